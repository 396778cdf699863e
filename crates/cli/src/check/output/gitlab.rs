//! GitLab: a code quality report, a list of issues in a part of Code Climate's
//! format.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::check::budget::Verdict;
use crate::check::output::github::place;
use crate::check::result::Results;

/// The issues: one for each budget that is not kept, and for each scenario that
/// could not run.
pub(in crate::check) fn render(results: &Results) -> Value {
    let config = results.config.as_ref().map_or_else(
        || "xhprof.yaml".to_owned(),
        |path| path.display().to_string(),
    );
    let mut issues = Vec::new();
    for scenario in &results.scenarios {
        if let Err(why) = &scenario.outcome {
            issues.push(issue(
                &format!("{}: could not run: {why}", scenario.name),
                "scenario",
                "critical",
                &scenario.name,
                (&config, 1),
            ));
        }
    }
    for (scenario, budget) in results.verdicts() {
        let Some(problem) = budget.problem() else {
            continue;
        };
        let severity = match &budget.verdict {
            Verdict::Undecided(_) => "info",
            _ => "major",
        };
        let (file, line) = place(results, budget).unwrap_or_else(|| (config.clone(), 1));
        // Not the value: it is the same issue if it changes a little.
        let identity = format!("{}\n{}\n{file}", scenario.name, budget.text);
        let description = format!("{}: {problem}", scenario.name);
        issues.push(issue(
            &description,
            "budget",
            severity,
            &identity,
            (&file, line),
        ));
    }
    issues.into()
}

fn issue(
    description: &str,
    check: &str,
    severity: &str,
    identity: &str,
    place: (&str, u64),
) -> Value {
    json!({
        "description": description,
        "check_name": format!("xhprof-{check}"),
        "fingerprint": fingerprint(identity),
        "severity": severity,
        "location": { "path": place.0, "lines": { "begin": place.1 } },
    })
}

fn fingerprint(identity: &str) -> String {
    let digest = Sha256::digest(identity.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::output::sample;

    #[test]
    fn every_problem_is_an_issue_that_keeps_its_fingerprint() {
        let issues = render(&sample::results());
        assert_eq!(issues.as_array().unwrap().len(), 3);
        let broken = &issues[1];
        assert_eq!(
            broken["location"],
            json!({"path": "src/Repo.php", "lines": {"begin": 12}})
        );
        assert_eq!(broken["severity"], "major");
        assert_eq!(broken["fingerprint"].as_str().unwrap().len(), 64);
        let again = render(&sample::results());
        assert_eq!(issues, again);
        assert_ne!(issues[1]["fingerprint"], issues[2]["fingerprint"]);
    }
}
