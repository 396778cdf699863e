//! Markdown, for a merge request or a job summary.

use crate::check::budget::Verdict;
use crate::check::result::{Ending, Results};

/// The results as a table, and each broken budget below it.
pub(in crate::check) fn render(results: &Results) -> String {
    let heading = match results.ending() {
        Ending::Kept => "All performance budgets are kept",
        Ending::Broken => "Performance budgets are broken",
        Ending::Failed => "Scenarios could not run",
        Ending::Undecided => "Performance budgets could not be decided",
    };
    let mut text =
        format!("### {heading}\n\n| | scenario | budget | measured |\n|---|---|---|---|\n");
    let mut details = String::new();
    for scenario in &results.scenarios {
        if let Err(why) = &scenario.outcome {
            text.push_str(&format!(
                "| ❌ | {} | | could not run |\n",
                cell(&scenario.name)
            ));
            details.push_str(&format!(
                "\n**{}** could not run:\n\n{}\n",
                cell(&scenario.name),
                block(why)
            ));
        }
    }
    for (scenario, budget) in results.verdicts() {
        let (mark, value) = match &budget.verdict {
            Verdict::Kept { value } => ("✅", value.clone()),
            Verdict::Broken { value, .. } => ("❌", value.clone()),
            Verdict::Undecided(_) => ("❔", "not decided".to_owned()),
        };
        text.push_str(&format!(
            "| {mark} | {} | {} | {} |\n",
            cell(&scenario.name),
            code(&budget.text),
            cell(&value)
        ));
        let Some(problem) = budget.problem() else {
            continue;
        };
        let mut lines = vec![problem];
        if let Verdict::Broken { culprits, .. } = &budget.verdict {
            lines.extend(culprits.lines.iter().cloned());
            lines.extend(culprits.path.iter().map(|path| format!("path: {path}")));
            lines.extend(
                scenario
                    .command(budget)
                    .map(|command| format!("look: {command}")),
            );
        }
        details.push_str(&format!(
            "\n**{}**\n\n{}\n",
            cell(&scenario.name),
            block(&lines.join("\n"))
        ));
    }
    text + &details
}

/// A block of code, which ends nowhere in the text.
fn block(text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}text\n{text}\n{fence}")
}

/// Code in a cell of a table.
fn code(text: &str) -> String {
    let mark = if text.contains('`') { "``" } else { "`" };
    format!(
        "{mark}{}{mark}",
        text.replace('|', "\\|").replace('\n', " ")
    )
}

/// Text in a cell: no markup and no HTML.
fn cell(text: &str) -> String {
    let mut safe = String::new();
    for letter in text.chars() {
        match letter {
            '<' => safe.push_str("&lt;"),
            '\n' | '\r' => safe.push(' '),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '#' | '!' => {
                safe.push('\\');
                safe.push(letter);
            }
            letter => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::output::sample;

    #[test]
    fn the_table_has_every_budget_and_text_is_no_markup() {
        let text = render(&sample::results());
        assert!(
            text.starts_with("### Performance budgets are broken\n"),
            "{text}"
        );
        assert!(
            text.contains("| ❌ | front page | `spans.sql.repeated <= 1` | 25 |\n"),
            "{text}"
        );
        assert!(
            text.contains("| ❌ | broken server | | could not run |\n"),
            "{text}"
        );
        assert!(
            text.contains("path: main() → Shop\\Repo::find → PDO::query\n"),
            "{text}"
        );
        assert_eq!(cell("<b>|[x](y)"), "&lt;b>\\|\\[x\\](y)");
        assert_eq!(block("```"), "````text\n```\n````");
    }
}
