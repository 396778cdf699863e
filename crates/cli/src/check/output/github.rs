//! GitHub: workflow commands, which become annotations beside the code.

use crate::check::budget::Verdict;
use crate::check::result::{BudgetResult, Results, ScenarioResult};

/// One line for each problem, for standard output.
pub(in crate::check) fn annotations(results: &Results) -> String {
    let mut text = String::new();
    for scenario in &results.scenarios {
        match &scenario.outcome {
            Err(why) => text.push_str(&line("error", results, None, &scenario.name, why)),
            Ok(budgets) => {
                for budget in budgets {
                    text.push_str(&of_budget(results, scenario, budget));
                }
            }
        }
    }
    text
}

fn of_budget(results: &Results, scenario: &ScenarioResult, budget: &BudgetResult) -> String {
    let Some(problem) = budget.problem() else {
        return String::new();
    };
    let level = match &budget.verdict {
        Verdict::Undecided(_) => "warning",
        _ => "error",
    };
    let mut message = problem;
    if let Verdict::Broken { culprits, .. } = &budget.verdict {
        for culprit in &culprits.lines {
            message.push_str(&format!("\n{culprit}"));
        }
    }
    line(level, results, Some(budget), &scenario.name, &message)
}

fn line(
    level: &str,
    results: &Results,
    budget: Option<&BudgetResult>,
    title: &str,
    message: &str,
) -> String {
    let mut properties = Vec::new();
    if let Some((file, line)) = budget.and_then(|budget| place(results, budget)) {
        properties.push(format!("file={}", property(&file)));
        properties.push(format!("line={line}"));
    }
    properties.push(format!("title={}", property(&format!("xhprof: {title}"))));
    format!("::{level} {}::{}\n", properties.join(","), data(message))
}

/// The culprit's place, else the budget's.
pub(super) fn place(results: &Results, budget: &BudgetResult) -> Option<(String, u64)> {
    if let Verdict::Broken { culprits, .. } = &budget.verdict
        && let Some(place) = &culprits.place
        // Code of eval(), such as a compiled template, is in no file.
        && !place.file.contains("eval()'d code")
    {
        return Some((place.file.clone(), place.line.into()));
    }
    let config = results.config.as_ref().filter(|_| budget.line > 0)?;
    Some((config.display().to_string(), budget.line))
}

/// The escapes of a command's message, as GitHub's own toolkit writes them.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::output::sample;

    #[test]
    fn every_problem_is_one_line_at_the_culprit() {
        let text = annotations(&sample::results());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        let expected = "::error file=src/Repo.php,line=12,title=xhprof%3A front page::spans.sql.repeated <= 1: 25, at most 1 is allowed (24 more)%0A25× SELECT <a>";
        assert!(lines[0].starts_with(expected), "{}", lines[0]);
        assert!(
            lines[1].starts_with("::warning file=xhprof.yaml,line=8,"),
            "{}",
            lines[1]
        );
        assert!(
            lines[2].starts_with("::error title=xhprof%3A broken server::`php x`"),
            "{}",
            lines[2]
        );
    }

    #[test]
    fn no_text_begins_another_command() {
        assert_eq!(data("50%\n::error::x"), "50%25%0A::error::x");
        assert_eq!(property("a:b,c"), "a%3Ab%2Cc");
    }
}
