//! For people: what broke, by how much, the path that did it, the command to
//! look at it.

use crate::check::budget::Verdict;
use crate::check::result::{BudgetResult, Results, ScenarioResult};
use crate::terminal::{Look, Style};
use crate::units;

/// The results as lines.
pub(in crate::check) fn render(results: &Results, look: Look) -> String {
    let mut text = String::new();
    for scenario in &results.scenarios {
        text.push_str(&of_scenario(scenario, look));
    }
    text.push_str(&summary(results, look));
    text
}

fn of_scenario(scenario: &ScenarioResult, look: Look) -> String {
    let runs = units::counted(scenario.runs as u64, "run");
    let name = look.paint(Style::Bold, &scenario.name);
    let mut text = format!("{name}  {runs}, {:.1} s\n", scenario.seconds);
    match &scenario.outcome {
        Err(why) => {
            let mark = look.paint(Style::Hot, "✗");
            text.push_str(&format!("  {mark} could not run: {why}\n"));
        }
        Ok(budgets) => {
            for budget in budgets {
                text.push_str(&of_budget(scenario, budget, look));
            }
        }
    }
    text.push('\n');
    text
}

fn of_budget(scenario: &ScenarioResult, budget: &BudgetResult, look: Look) -> String {
    match &budget.verdict {
        Verdict::Kept { value } => {
            let mark = look.paint(Style::Good, "✓");
            let value = look.paint(Style::Faint, value);
            format!("  {mark} {}  {value}\n", budget.text)
        }
        Verdict::Undecided(why) => {
            let mark = look.paint(Style::Warm, "?");
            format!("  {mark} {}\n      not decided: {why}\n", budget.text)
        }
        Verdict::Broken {
            value,
            limit,
            excess,
            culprits,
            ..
        } => {
            let mark = look.paint(Style::Hot, "✗");
            let mut text = format!(
                "  {mark} {}\n      {value}, {limit} is allowed: {excess}\n",
                budget.text
            );
            for line in &culprits.lines {
                text.push_str(&format!("      {line}\n"));
            }
            if let Some(path) = &culprits.path {
                let path = look.paint(Style::Faint, path);
                text.push_str(&format!("      path: {path}\n"));
            }
            if let Some(command) = scenario.command(budget) {
                text.push_str(&format!("      look: {command}\n"));
            }
            text
        }
    }
}

fn summary(results: &Results, look: Look) -> String {
    let count = |is: fn(&Verdict) -> bool| {
        results
            .verdicts()
            .filter(|(_, budget)| is(&budget.verdict))
            .count() as u64
    };
    let kept = count(|verdict| matches!(verdict, Verdict::Kept { .. }));
    let broken = count(|verdict| matches!(verdict, Verdict::Broken { .. }));
    let undecided = count(|verdict| matches!(verdict, Verdict::Undecided(_)));
    let failed = results
        .scenarios
        .iter()
        .filter(|scenario| scenario.outcome.is_err())
        .count() as u64;
    let mut parts = vec![format!("{} kept", units::counted(kept, "budget"))];
    if broken > 0 {
        parts.push(look.paint(Style::Hot, &format!("{broken} broken")));
    }
    if undecided > 0 {
        parts.push(look.paint(Style::Warm, &format!("{undecided} not decided")));
    }
    if failed > 0 {
        let failed = format!("{} could not run", units::counted(failed, "scenario"));
        parts.push(look.paint(Style::Hot, &failed));
    }
    let mut text = parts.join(", ") + "\n";
    let has_profile = |scenario: &ScenarioResult| !scenario.artifacts.is_empty();
    if broken > 0 && !results.scenarios.iter().any(has_profile) {
        text.push_str("--artifacts DIR keeps a profile, a flame graph and a page of what broke\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::output::sample;

    #[test]
    fn a_broken_budget_has_its_culprit_path_and_command() {
        let text = render(&sample::results(), Look::plain());
        let expected = "\
front page  3 runs, 1.5 s
  ✓ no_call(\"var_dump\")  0
  ✗ spans.sql.repeated <= 1
      25, at most 1 is allowed: 24 more
      25× SELECT <a> & \"b\" by Shop\\Repo::find (src/Repo.php:12)
      path: main() → Shop\\Repo::find → PDO::query
      look: xhprof report build/front-page/run-1.xhp --spans
  ? wall <= base + noise
      not decided: too noisy

broken server  0 runs, 0.0 s
  ✗ could not run: `php x` ended with the exit code 255

1 budget kept, 1 broken, 1 not decided, 1 scenario could not run
";
        assert_eq!(text, expected);
    }
}
