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
pub(super) fn of_yaml(error: &serde_saphyr::Error, text: &str, name: &str) -> String {
    let message = error.without_snippet().to_string();
    let Some(place) = error.location() else {
        return format!("{name}: {message}");
    };
    let (line, column) = (place.line(), place.column());
    // The place stands before the message here.
    let behind = format!(" at line {line}, column {column}");
    let message = message.strip_suffix(&behind).unwrap_or(&message);
    let index = usize::try_from(line).unwrap_or_default().saturating_sub(1);
    let source = text
        .lines()
        .nth(index)
        .unwrap_or_default()
        .replace('\t', " ");
    let message = match message {
        "expected string scalar" if source.contains(": ") => {
            "expected a text; one with `: ` in it needs quotation marks around it, as in \
             'calls(\"f\", under: \"g\") == 1'"
                .to_owned()
        }
        "invalid u32" | "invalid u64" | "invalid usize" => "expected a whole number".to_owned(),
        other => format!("{other}{}", of_field(other)),
    };
    let width = usize::try_from(column).unwrap_or_default().clamp(1, 200);
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
        crate::suggest::suggestion(field, known.split(", "))
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
                "xhprof.yaml:4:5: unknown field `repaet`, expected one of name, ",
            ),
            (
                "    repeat: many",
                "xhprof.yaml:4:13: expected a whole number\n      repeat: many\n              ^",
            ),
            (
                "    budgets: [{a: b}]",
                "xhprof.yaml:4:15: expected a text; one with `: ` in it needs quotation marks",
            ),
            ("    budgets:\n\t- edges <= 1", "xhprof.yaml:5:2: tabs "),
        ] {
            let error = error(&scenario(line));
            assert!(error.starts_with(expected), "{error}");
            assert!(
                !error.contains("<input>") && error.lines().count() == 3,
                "{error}"
            );
        }
        let error = error(&scenario("    repaet: 3"));
        assert!(error.contains("budgets; did you mean repeat?\n"), "{error}");
    }
}
