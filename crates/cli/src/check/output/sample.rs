//! Results with every kind of verdict, for the tests of the outputs.

use crate::check::budget::Verdict;
use crate::check::culprits::{Culprits, Place};
use crate::check::result::{BudgetResult, Results, ScenarioResult};

/// A broken, an undecided and a kept budget, and a scenario that could not run.
pub(in crate::check) fn results() -> Results {
    let budget = |text: &str, line, verdict| BudgetResult {
        text: text.to_owned(),
        line,
        column: 9,
        verdict,
    };
    let culprits = Culprits {
        lines: vec!["25× SELECT <a> & \"b\" by Shop\\Repo::find (src/Repo.php:12)".to_owned()],
        place: Some(Place {
            file: "src/Repo.php".to_owned(),
            line: 12,
        }),
        path: Some("main() → Shop\\Repo::find → PDO::query".to_owned()),
        function: Some("Shop\\Repo::find".to_owned()),
    };
    let broken = Verdict::Broken {
        value: "25".to_owned(),
        limit: "at most 1".to_owned(),
        excess: "24 more".to_owned(),
        culprits,
        measured: 25.0,
    };
    let kept = Verdict::Kept {
        value: "0".to_owned(),
    };
    let first = ScenarioResult {
        name: "front page".to_owned(),
        runs: 3,
        seconds: 1.5,
        outcome: Ok(vec![
            budget("no_call(\"var_dump\")", 6, kept),
            budget("spans.sql.repeated <= 1", 7, broken),
            budget(
                "wall <= base + noise",
                8,
                Verdict::Undecided("too noisy".to_owned()),
            ),
        ]),
        artifacts: vec!["build/front-page/run-1.xhp".into()],
    };
    let second = ScenarioResult {
        name: "broken server".to_owned(),
        runs: 0,
        seconds: 0.0,
        outcome: Err("`php x` ended with the exit code 255".to_owned()),
        artifacts: Vec::new(),
    };
    Results {
        config: Some("xhprof.yaml".into()),
        scenarios: vec![first, second],
    }
}
