//! Errors of `xhprof.yaml` as people read them: the place, the line, and a mark below
//! the column.

use super::language::LanguageError;

/// An error with the budget, and a mark below the column:
///
/// ```text
/// xhprof.yaml:7:28: expected a comparison
///   calls("PDO::*") 12
///                   ^
/// ```
pub(super) fn pointed(
    budget: &str,
    error: &LanguageError,
    place: Option<(&str, &str, u64, u64)>,
) -> String {
    let before = budget.get(..error.column).unwrap_or(budget).chars().count();
    let place = place.map_or(String::new(), |(name, text, line, column)| {
        let index = usize::try_from(line).unwrap_or_default().saturating_sub(1);
        // In quotation marks, escapes would move the column.
        let source = text.lines().nth(index).unwrap_or_default();
        let from = usize::try_from(column)
            .unwrap_or_default()
            .saturating_sub(1);
        let shown: String = source.chars().skip(from).collect();
        let inside = if shown.starts_with(budget) { 0 } else { 1 };
        format!("{name}:{line}:{}: ", from + inside + before + 1)
    });
    let line = budget.replace(['\n', '\r'], " ");
    format!(
        "{place}{}\n  {line}\n  {:>width$}",
        error.message,
        '^',
        width = before + 1
    )
}

/// An error of the YAML reader as those of budgets: with its place, the line, and a
/// mark below the column.
pub(super) fn of_yaml(error: &yaml_serde::Error, text: &str, name: &str) -> String {
    let message = error.to_string();
    let Some(place) = error.location() else {
        return format!("{name}: {message}");
    };
    let (line, column) = (place.line(), place.column());
    // The place stands before the message here.
    let behind = format!(" at line {line} column {column}");
    let message = message.replace(&behind, "");
    let source = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let is_tab = source.trim_start_matches(' ').starts_with('\t');
    let source = source.replace('\t', " ");
    let (path, what) = match message.split_once(": ") {
        Some((path, what))
            if path.ends_with(|last: char| last == ']' || last.is_alphanumeric()) =>
        {
            (format!("{path}: "), what)
        }
        _ => (String::new(), message.as_str()),
    };
    let message = if what == "invalid type: map, expected a string" && source.contains(": ") {
        format!(
            "{path}expected a text; one with `: ` in it needs quotation marks around it, as in \
             'calls(\"f\", under: \"g\") == 1'"
        )
    } else if ["u16", "u32", "u64", "usize"]
        .iter()
        .any(|kind| what.ends_with(&format!("expected {kind}")))
    {
        format!("{path}expected a whole number")
    } else if is_tab && what.starts_with("found character that cannot start any token") {
        "a tab cannot indent a line of YAML: write spaces".to_owned()
    } else {
        format!("{message}{}", of_field(what))
    };
    let width = column.clamp(1, 200);
    format!(
        "{name}:{line}:{column}: {message}\n  {source}\n  {:>width$}",
        '^'
    )
}

/// What was meant by a key that is not known: `; did you mean repeat?`, or nothing.
fn of_field(message: &str) -> String {
    let parts = message
        .strip_prefix("unknown field `")
        .and_then(|rest| rest.split_once("`, expected one of "));
    parts.map_or(String::new(), |(field, known)| {
        crate::suggest::suggestion(field, known.split(", ").map(|name| name.trim_matches('`')))
    })
}

#[cfg(test)]
mod tests {
    use super::super::config::Config;

    fn error(text: &str) -> String {
        format!("{:#}", Config::parse(text, "xhprof.yaml").unwrap_err())
    }

    #[test]
    fn errors_of_yaml_point_to_line_and_column() {
        let scenario =
            |line: &str| format!("scenarios:\n  - name: a\n    run: php a.php\n{line}\n");
        for (line, expected) in [
            (
                "    repaet: 3",
                "xhprof.yaml:4:5: scenarios[0]: unknown field `repaet`, expected one of `name`, ",
            ),
            (
                "    repeat: many",
                "xhprof.yaml:4:13: scenarios[0].repeat: expected a whole number\n      repeat: many\n              ^",
            ),
            (
                "    budgets: [{a: b}]",
                "xhprof.yaml:4:15: scenarios[0].budgets[0]: expected a text; one with `: ` in it needs quotation marks",
            ),
            (
                "    budgets:\n\t- edges <= 1",
                "xhprof.yaml:5:1: a tab cannot ",
            ),
        ] {
            let error = error(&scenario(line));
            assert!(error.starts_with(expected), "{error}");
            assert!(
                !error.contains("<input>") && error.lines().count() == 3,
                "{error}"
            );
        }
        let error = error(&scenario("    repaet: 3"));
        assert!(
            error.contains("budgets`; did you mean repeat?\n"),
            "{error}"
        );
    }
}
