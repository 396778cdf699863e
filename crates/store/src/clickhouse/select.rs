//! Selections as conditions of SQL. Values are [literals](super::literal).

use super::literal::{ids, matches, text};
use crate::rollup::hour_of;
use crate::{Error, Result, Selection, Status};

/// The most values of one condition.
const MOST: usize = 1000;

const DAY_US: u64 = 86_400_000_000;

/// The day of an instant, in days since 1970, as tables have it.
pub(super) fn day_of(started_us: u64) -> u32 {
    u32::try_from(started_us / DAY_US).unwrap_or(u32::MAX)
}

/// An hour as tables have it.
pub(super) fn hour_number(hour: i64) -> u32 {
    u32::try_from(hour.max(0)).unwrap_or(u32::MAX)
}

/// The rows of a selection in `cell` or `changed`.
pub(super) fn of_hours(selection: &Selection) -> Result<String> {
    let mut all = of_places(selection)?;
    if let Some(since) = selection.since_us {
        all.push(format!("hour >= {}", hour_number(hour_of(since))));
    }
    if let Some(until) = selection.until_us {
        let last = hour_of(until.saturating_sub(1));
        all.push(format!("hour <= {}", hour_number(last)));
    }
    Ok(joined(&all))
}

/// The same of the days that the selection touches.
pub(super) fn of_days(selection: &Selection) -> Result<String> {
    let mut all = of_places(selection)?;
    if let Some(since) = selection.since_us {
        all.push(format!(
            "hour >= {}",
            hour_number(hour_of(since).div_euclid(24) * 24)
        ));
    }
    if let Some(until) = selection.until_us {
        let last = hour_of(until.saturating_sub(1)).div_euclid(24) * 24 + 23;
        all.push(format!("hour <= {}", hour_number(last)));
    }
    Ok(joined(&all))
}

/// The runs of a selection that are there, for `run FINAL`.
pub(super) fn of_runs(selection: &Selection) -> Result<String> {
    let mut all = of_places(selection)?;
    all.push("state = 0".to_owned());
    if let Some(since) = selection.since_us {
        all.push(format!("day >= {} AND started >= {since}", day_of(since)));
    }
    if let Some(until) = selection.until_us {
        let last = day_of(until.saturating_sub(1));
        all.push(format!("day <= {last} AND started < {until}"));
    }
    if let Some(wall) = selection.min_wall {
        all.push(format!("wall >= {wall}"));
    }
    if let Some(wall) = selection.max_wall {
        all.push(format!("wall <= {wall}"));
    }
    if let Some(title) = selection.title.as_ref().filter(|title| !title.is_empty()) {
        all.push(format!(
            "positionCaseInsensitive(title, {}) > 0",
            text(title)
        ));
    }
    if let Some(label) = &selection.label {
        all.push(matches("label", label));
    }
    for (name, value) in &selection.tags {
        let value = matches("v", value);
        all.push(format!(
            "arrayExists((n, v) -> n = {} AND {value}, tag_name, tag_value)",
            text(name)
        ));
    }
    any(&mut all, "host", &selection.hosts)?;
    statuses(&mut all, &selection.statuses)?;
    if !selection.ids.is_empty() {
        check(selection.ids.len())?;
        let ids = ids(selection.ids.iter().map(|id| &id.0));
        all.push(format!("id IN ({ids})"));
    }
    Ok(joined(&all))
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
    if values > MOST {
        return Err(Error::Query(format!(
            "{values} values in one condition, and {MOST} are the most"
        )));
    }
    Ok(())
}
