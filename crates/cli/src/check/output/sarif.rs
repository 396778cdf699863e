//! SARIF 2.1.0, for code scanning.

use serde_json::{Value, json};

use crate::check::budget::Verdict;
use crate::check::output::github::place;
use crate::check::result::Results;

/// The whole file.
pub(in crate::check) fn render(results: &Results) -> Value {
    let broken = results.verdicts().filter_map(|(scenario, budget)| {
        let problem = budget.problem()?;
        let level = match &budget.verdict {
            Verdict::Undecided(_) => "note",
            _ => "error",
        };
        let mut text = format!("{}: {problem}", scenario.name);
        if let Verdict::Broken { culprits, .. } = &budget.verdict {
            for line in &culprits.lines {
                text.push_str(&format!("\n{line}"));
            }
        }
        let mut result = json!({
            "ruleId": "budget",
            "ruleIndex": 0,
            "level": level,
            "message": { "text": text },
            "partialFingerprints": { "scenarioAndBudget/v1": format!("{}\n{}", scenario.name, budget.text) },
        });
        if let (Some((file, line)), Some(result)) = (place(results, budget), result.as_object_mut()) {
            let location = json!([{ "physicalLocation": {
                "artifactLocation": { "uri": uri(&file) },
                "region": { "startLine": line },
            }}]);
            result.insert("locations".to_owned(), location);
        }
        Some(result)
    });
    let notifications = results.scenarios.iter().filter_map(|scenario| {
        let why = scenario.outcome.as_ref().err()?;
        let text = format!("{}: could not run: {why}", scenario.name);
        Some(json!({ "level": "error", "message": { "text": text } }))
    });
    let notifications: Vec<Value> = notifications.collect();
    json!({
        "version": "2.1.0",
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "runs": [{
            "tool": { "driver": {
                "name": "xhprof check",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": [{
                    "id": "budget",
                    "shortDescription": { "text": "A performance budget is exceeded" },
                    "help": { "text": "The budget is in the file that `xhprof check --config` names." },
                }],
            }},
            "invocations": [{
                "executionSuccessful": notifications.is_empty(),
                "toolExecutionNotifications": notifications,
            }],
            "results": broken.collect::<Vec<Value>>(),
        }],
    })
}

/// A relative reference: bytes that a URI does not have are escaped.
fn uri(file: &str) -> String {
    let mut uri = String::new();
    for byte in file.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::output::sample;

    #[test]
    fn problems_are_results_with_places() {
        let sarif = render(&sample::results());
        let run = &sarif["runs"][0];
        assert_eq!(run["results"].as_array().unwrap().len(), 2);
        let place = &run["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "src/Repo.php");
        assert_eq!(place["region"]["startLine"], 12);
        assert_eq!(run["invocations"][0]["executionSuccessful"], false);
        assert_eq!(uri("src/a b#.php"), "src/a%20b%23.php");
    }
}
