//! Selections as conditions of SQL. Values are always bound, never pasted.

use rusqlite::types::Value;

use super::cells::hour_of;
use super::put::number;
use crate::{Error, Result, Selection, Status};

/// The most values of one condition.
const MAX_VALUES: usize = 1000;

/// The first and the last hour of a selection. Hours that are partly selected
/// are in.
pub(super) fn hours(selection: &Selection) -> (i64, i64) {
    let last = selection
        .until_us
        .map(|until| hour_of(until.saturating_sub(1)));
    (
        selection.since_us.map_or(0, hour_of),
        last.unwrap_or(i64::MAX),
    )
}

/// Conditions and the values in them.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    parts: Vec<String>,
    values: Vec<Value>,
}

impl Conditions {
    /// The runs of a selection, for a statement over `run`.
    pub(super) fn of_runs(selection: &Selection) -> Result<Self> {
        // Field by field, so that a new condition cannot be forgotten here.
        let Selection {
            app,
            routes,
            releases,
            since_us,
            until_us,
            hosts,
            statuses,
            tags,
            min_wall,
            max_wall,
            title,
            label,
            ids,
        } = selection;
        let mut all = Self::default();
        if !all.one_route(selection) {
            if let Some(app) = app {
                all.add("run.app = (SELECT id FROM app WHERE name = ?)", [text(app)]);
            }
            all.any(
                "route",
                "run.route IN (SELECT id FROM route WHERE ",
                routes,
                ")",
            )?;
        }
        all.any(
            "release",
            "run.release IN (SELECT id FROM release WHERE ",
            releases,
            ")",
        )?;
        all.any("host", "", hosts, "")?;
        if let Some(since) = since_us {
            all.add("run.started >= ?", [Value::Integer(number(*since))]);
        }
        if let Some(until) = until_us {
            all.add("run.started < ?", [Value::Integer(number(*until))]);
        }
        if let Some(wall) = min_wall {
            all.add("run.wall >= ?", [Value::Integer(number(*wall))]);
        }
        if let Some(wall) = max_wall {
            all.add("run.wall <= ?", [Value::Integer(number(*wall))]);
        }
        if let Some(title) = title {
            all.add("instr(lower(run.title), lower(?)) > 0", [text(title)]);
        }
        if let Some(label) = label {
            let (operator, pattern) = operator(label);
            all.add(&format!("run.label {operator} ?"), [text(&pattern)]);
        }
        for (name, value) in tags {
            let (operator, pattern) = operator(value);
            if name == "trace_id" && operator == "=" {
                // The name is no parameter, so that SQLite uses the index of these tags.
                let of_trace = "run.number IN (SELECT run_tag.run FROM run_tag
                     WHERE run_tag.name = 'trace_id' AND run_tag.value = ?)";
                all.add(of_trace, [text(&pattern)]);
                continue;
            }
            all.add(
                &format!(
                    "EXISTS (SELECT 1 FROM run_tag WHERE run_tag.run = run.number
                     AND run_tag.name = ? AND run_tag.value {operator} ?)"
                ),
                [text(name), text(&pattern)],
            );
        }
        all.statuses(statuses)?;
        if !ids.is_empty() {
            check(ids.len())?;
            let marks = vec!["?"; ids.len()].join(", ");
            let ids = ids.iter().map(|id| Value::Blob(id.0.to_vec()));
            all.add(&format!("run.id IN ({marks})"), ids);
        }
        Ok(all)
    }

    /// Adds the route of a selection that has an application and one route in it; says
    /// whether it is so. Unlike `IN`, a route that equals one value lets `SQLite` read the
    /// runs in the order of an index, and stop when it has enough.
    fn one_route(&mut self, selection: &Selection) -> bool {
        let (Some(app), [route]) = (&selection.app, selection.routes.as_slice()) else {
            return false;
        };
        if is_pattern(route) {
            return false;
        }
        self.add(
            "run.route = (SELECT id FROM route WHERE name = ?
             AND app = (SELECT id FROM app WHERE name = ?))",
            [text(route), text(app)],
        );
        true
    }

    /// The rows of a selection in the hours `first` to `last`, for a statement
    /// over `cell` or `daily AS cell`.
    pub(super) fn of_cells(selection: &Selection, (first, last): (i64, i64)) -> Result<Self> {
        let mut all = Self::of_places(selection)?;
        if first > 0 {
            all.add("cell.hour >= ?", [Value::Integer(first)]);
        }
        if last < i64::MAX {
            all.add("cell.hour <= ?", [Value::Integer(last)]);
        }
        Ok(all)
    }

    /// The application, routes and releases of a selection.
    fn of_places(selection: &Selection) -> Result<Self> {
        let mut all = Self::default();
        if let Some(app) = &selection.app {
            all.add(
                "cell.route IN (SELECT id FROM route
                 WHERE app = (SELECT id FROM app WHERE name = ?))",
                [text(app)],
            );
        }
        all.any(
            "route",
            "cell.route IN (SELECT id FROM route WHERE ",
            &selection.routes,
            ")",
        )?;
        all.any(
            "release",
            "cell.release IN (SELECT id FROM release WHERE ",
            &selection.releases,
            ")",
        )?;
        Ok(all)
    }

    /// The days of a selection, for a statement over `day AS cell`.
    pub(super) fn of_days(selection: &Selection) -> Result<Self> {
        let mut all = Self::of_places(selection)?;
        if let Some(since) = selection.since_us {
            let first = hour_of(since).div_euclid(24);
            all.add("cell.day >= ?", [Value::Integer(first)]);
        }
        if let Some(until) = selection.until_us {
            let last = hour_of(until.saturating_sub(1)).div_euclid(24);
            all.add("cell.day <= ?", [Value::Integer(last)]);
        }
        Ok(all)
    }

    /// One more condition.
    pub(super) fn add(&mut self, condition: &str, values: impl IntoIterator<Item = Value>) {
        self.parts.push(condition.to_owned());
        self.values.extend(values);
    }

    /// ` WHERE …`, or nothing.
    pub(super) fn sql(&self) -> String {
        if self.parts.is_empty() {
            return String::new();
        }
        format!(" WHERE {}", self.parts.join(" AND "))
    }

    /// The values, in the order of the statement.
    pub(super) fn values(&self) -> impl rusqlite::Params + '_ {
        rusqlite::params_from_iter(self.values.iter())
    }

    /// One of these patterns.
    fn any(&mut self, of: &str, before: &str, patterns: &[String], after: &str) -> Result<()> {
        if patterns.is_empty() {
            return Ok(());
        }
        check(patterns.len())?;
        let column = if of == "host" { "run.host" } else { "name" };
        let operators = patterns.iter().map(|pattern| operator(pattern));
        let (conditions, values): (Vec<_>, Vec<_>) = operators
            .map(|(operator, pattern)| (format!("{column} {operator} ?"), text(&pattern)))
            .unzip();
        let any = conditions.join(" OR ");
        self.add(&format!("{before}({any}){after}"), values);
        Ok(())
    }

    fn statuses(&mut self, statuses: &[Status]) -> Result<()> {
        if statuses.is_empty() {
            return Ok(());
        }
        check(statuses.len())?;
        let mut any = Vec::new();
        let mut values = Vec::new();
        for status in statuses {
            match status {
                Status::Failed => any.push("run.failed <> 0"),
                Status::Class(digit) => {
                    any.push("run.status LIKE ?");
                    values.push(text(&format!("{digit}__")));
                }
                Status::Is(code) => {
                    any.push("run.status IN (?, ?)");
                    values.push(text(code));
                    values.push(text(&format!("exit {code}")));
                }
            }
        }
        self.add(&format!("({})", any.join(" OR ")), values);
        Ok(())
    }
}

fn is_pattern(value: &str) -> bool {
    value.contains('*')
}

fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}

fn check(values: usize) -> Result<()> {
    if values > MAX_VALUES {
        return Err(Error::Query(format!(
            "{values} values in one condition, and {MAX_VALUES} are the most"
        )));
    }
    Ok(())
}

/// The operator for a pattern, and the pattern for it: only `*` has a meaning.
fn operator(pattern: &str) -> (&'static str, String) {
    if !is_pattern(pattern) {
        return ("=", pattern.to_owned());
    }
    let mut escaped = String::with_capacity(pattern.len());
    for character in pattern.chars() {
        match character {
            '?' | '[' => {
                escaped.push('[');
                escaped.push(character);
                escaped.push(']');
            }
            _ => escaped.push(character),
        }
    }
    ("GLOB", escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_star_has_a_meaning() {
        assert_eq!(operator("/a?"), ("=", "/a?".to_owned()));
        assert_eq!(operator("/a/?/[x]*"), ("GLOB", "/a/[?]/[[]x]*".to_owned()));
    }

    #[test]
    fn a_condition_has_a_limit() {
        let selection = Selection {
            routes: vec!["/".to_owned(); 1001],
            ..Selection::default()
        };
        assert!(matches!(
            Conditions::of_cells(&selection, (0, 0)),
            Err(Error::Query(_))
        ));
    }
}
