//! Selections as conditions of SQL. Values are [literals](super::literal).

use super::literal::{ids, matches, numbers, text};
use crate::rollup::hour_of;
use crate::{Error, Result, Selection, Status};

/// The most values of one condition.
const MAX_VALUES: usize = 1000;

const DAY_US: u64 = 86_400_000_000;

/// The day of an instant, in days since 1970, as tables have it.
pub(super) fn day_of(started_us: u64) -> u32 {
    u32::try_from(started_us / DAY_US).unwrap_or(u32::MAX)
}

/// An hour as tables have it.
pub(super) fn hour_number(hour: i64) -> u32 {
    u32::try_from(hour.max(0)).unwrap_or(u32::MAX)
}

/// The rows of a selection in `cell`, `daily` or `changed`.
#[derive(Debug, Clone)]
pub(super) struct Hours {
    /// The condition on all but the time.
    pub(super) places: String,
    /// The first and the last hour.
    first: Option<u32>,
    last: Option<u32>,
    /// Whether no route is named.
    pub(super) is_all_routes: bool,
}

impl Hours {
    /// Those of the hours that a selection touches.
    pub(super) fn of(selection: &Selection) -> Result<Self> {
        let last = |until: u64| hour_of(until.saturating_sub(1));
        Ok(Self {
            places: joined(&of_places(selection)?),
            first: selection.since_us.map(|us| hour_number(hour_of(us))),
            last: selection.until_us.map(|us| hour_number(last(us))),
            is_all_routes: selection.routes.is_empty(),
        })
    }

    /// Those of the days that it touches.
    pub(super) fn of_days(selection: &Selection) -> Result<Self> {
        let hours = Self::of(selection)?;
        Ok(Self {
            first: hours.first.map(|hour| hour / 24 * 24),
            last: hours.last.map(|hour| hour / 24 * 24 + 23),
            ..hours
        })
    }

    /// The condition.
    pub(super) fn condition(&self) -> String {
        let mut all = vec![self.places.clone()];
        all.extend(self.first.map(|hour| format!("hour >= {hour}")));
        all.extend(self.last.map(|hour| format!("hour <= {hour}")));
        joined(&all)
    }

    /// The condition without some days.
    pub(super) fn without(&self, days: impl Iterator<Item = u32>) -> String {
        let days = numbers(days);
        match days.as_str() {
            "" => self.condition(),
            days => format!("{} AND day NOT IN ({days})", self.condition()),
        }
    }

    /// The first whole day and the day after the last one, of those before `end`; none if
    /// there is none.
    pub(super) fn whole_days(&self, end: u32) -> Option<(u32, u32)> {
        let first = self.first.map_or(0, |hour| hour.div_ceil(24));
        let last = self.last.map_or(end, |hour| hour.saturating_add(1) / 24);
        let end = end.min(last);
        (first < end).then_some((first, end))
    }
}

/// The runs of a selection that are there, for `run FINAL`.
pub(super) fn of_runs(selection: &Selection) -> Result<String> {
    // Field by field, so that a new condition cannot be forgotten here.
    let Selection {
        app: _,
        routes: _,
        releases: _,
        since_us,
        until_us,
        hosts,
        statuses: ends,
        tags,
        min_wall,
        max_wall,
        title,
        label,
        ids: runs,
    } = selection;
    let mut all = of_places(selection)?;
    all.push("state = 0".to_owned());
    if let Some(since) = since_us {
        all.push(format!("day >= {} AND started >= {since}", day_of(*since)));
    }
    if let Some(until) = until_us {
        let last = day_of(until.saturating_sub(1));
        all.push(format!("day <= {last} AND started < {until}"));
    }
    if let Some(wall) = min_wall {
        all.push(format!("wall >= {wall}"));
    }
    if let Some(wall) = max_wall {
        all.push(format!("wall <= {wall}"));
    }
    if let Some(title) = title.as_ref().filter(|title| !title.is_empty()) {
        all.push(format!(
            "positionCaseInsensitive(title, {}) > 0",
            text(title)
        ));
    }
    if let Some(label) = label {
        all.push(matches("label", label));
    }
    for (name, value) in tags {
        let value = matches("v", value);
        all.push(format!(
            "arrayExists((n, v) -> n = {} AND {value}, tag_name, tag_value)",
            text(name)
        ));
    }
    any(&mut all, "host", hosts)?;
    statuses(&mut all, ends)?;
    if !runs.is_empty() {
        check(runs.len())?;
        let ids = ids(runs.iter().map(|id| &id.0));
        all.push(format!("id IN ({ids})"));
    }
    Ok(joined(&all))
}

/// The days of runs that begin between two instants.
pub(super) fn of_started(since_us: Option<u64>, until_us: Option<u64>) -> String {
    let since = since_us.map(|since| format!("day >= {}", day_of(since)));
    let until = until_us.map(|until| format!("day <= {}", day_of(until.saturating_sub(1))));
    joined(&since.into_iter().chain(until).collect::<Vec<_>>())
}

fn of_places(selection: &Selection) -> Result<Vec<String>> {
    let mut all = Vec::new();
    if let Some(app) = &selection.app {
        all.push(format!("app = {}", text(app)));
    }
    any(&mut all, "route", &selection.routes)?;
    any(&mut all, "release", &selection.releases)?;
    Ok(all)
}

fn any(all: &mut Vec<String>, column: &str, patterns: &[String]) -> Result<()> {
    if !patterns.is_empty() {
        check(patterns.len())?;
        let any: Vec<String> = patterns.iter().map(|one| matches(column, one)).collect();
        all.push(format!("({})", any.join(" OR ")));
    }
    Ok(())
}

fn statuses(all: &mut Vec<String>, statuses: &[Status]) -> Result<()> {
    if statuses.is_empty() {
        return Ok(());
    }
    check(statuses.len())?;
    let any: Vec<String> = statuses
        .iter()
        .map(|status| match status {
            Status::Failed => "failed != 0".to_owned(),
            Status::Class(digit) => format!(
                "(length(status) = 3 AND substring(status, 1, 1) = {})",
                text(digit.to_string())
            ),
            Status::Is(code) => {
                format!(
                    "status IN ({}, {})",
                    text(code),
                    text(format!("exit {code}"))
                )
            }
        })
        .collect();
    all.push(format!("({})", any.join(" OR ")));
    Ok(())
}

/// Conditions that all hold; `1` if there are none.
fn joined(all: &[String]) -> String {
    if all.is_empty() {
        return "1".to_owned();
    }
    all.join(" AND ")
}

fn check(values: usize) -> Result<()> {
    if values > MAX_VALUES {
        return Err(Error::Query(format!(
            "{values} values in one condition, and {MAX_VALUES} are the most"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_whole_between_the_ends_of_a_selection() {
        let hours = |first: Option<u32>, last: Option<u32>| Hours {
            places: "1".to_owned(),
            first,
            last,
            is_all_routes: true,
        };
        assert_eq!(hours(None, None).whole_days(9), Some((0, 9)));
        assert_eq!(hours(Some(48), None).whole_days(9), Some((2, 9)));
        assert_eq!(hours(Some(49), None).whole_days(9), Some((3, 9)));
        assert_eq!(hours(None, Some(71)).whole_days(9), Some((0, 3)));
        assert_eq!(hours(None, Some(70)).whole_days(9), Some((0, 2)));
        assert_eq!(hours(Some(48), Some(70)).whole_days(9), None);
        assert_eq!(hours(Some(9 * 24), None).whole_days(9), None);
        assert_eq!(
            hours(Some(48), Some(70)).without([2, 3].into_iter()),
            "1 AND hour >= 48 AND hour <= 70 AND day NOT IN (2, 3)"
        );
        let selection = Selection {
            since_us: Some(5 * 3_600_000_000),
            until_us: Some(30 * 3_600_000_000),
            ..Selection::default()
        };
        let found = Hours::of(&selection).unwrap();
        assert_eq!(found.condition(), "1 AND hour >= 5 AND hour <= 29");
        let found = Hours::of_days(&selection).unwrap();
        assert_eq!(found.condition(), "1 AND hour >= 0 AND hour <= 47");
    }
}
