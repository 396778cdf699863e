//! Findings for a chat or a merge request.

use regressions::{Finding, Report};

use super::{At, Findings, words};
use crate::terminal::printable;

/// The whole output.
pub(super) fn rendered(findings: &Findings) -> String {
    let mut text = String::from("## Regressions\n");
    for report in &findings.reports {
        release(&mut text, findings, report);
    }
    text
}

fn release(text: &mut String, findings: &Findings, report: &Report) {
    text.push_str(&format!("\n### Release {}\n\n", escaped(&report.release)));
    text.push_str(&format!("{}.\n", words::compared(report)));
    if report.findings.is_empty() && report.routes > 0 {
        text.push_str("\nNothing got slower.\n");
    }
    for of in &report.findings {
        finding(text, findings, report, of);
    }
    for moved in &report.moved {
        let from = escaped(&moved.moved_from.join(", "));
        let function = escaped(&moved.function);
        text.push_str(&format!(
            "\nMoved, no new cost: {function} has the time of {from}.\n"
        ));
    }
    if !report.undecided.is_empty() {
        text.push_str("\nNot decided:\n\n");
        for undecided in &report.undecided {
            text.push_str(&format!("- {}\n", escaped(&words::undecided(undecided))));
        }
    }
}

/// One finding, for a message of its own.
#[must_use]
pub fn one(findings: &Findings, app: &str, report: &Report, of: &Finding) -> String {
    let mut text = format!(
        "### {}: release {}\n",
        escaped(app),
        escaped(&report.release)
    );
    finding(&mut text, findings, report, of);
    text
}

/// One finding in a list of those of all releases.
pub(super) fn row(findings: &Findings, report: &Report, of: &Finding) -> String {
    let mut text = format!("\n### Release {}\n", escaped(&report.release));
    finding(&mut text, findings, report, of);
    text
}

fn finding(text: &mut String, findings: &Findings, report: &Report, finding: &Finding) {
    let kind = words::kind(finding.kind);
    text.push_str(&format!(
        "\n#### {kind}: {}\n\n",
        escaped(&words::sentence(finding))
    ));
    table(text, finding);
    if let Some(place) = finding.places.first() {
        let path: Vec<String> = place.path.iter().map(|name| escaped(name)).collect();
        text.push('\n');
        if !path.is_empty() {
            text.push_str(&format!("- Path: {}\n", path.join(" → ")));
        }
        let files = place.open.each_ref().map(|of| {
            let run = findings.run(&report.release, &place.route, of);
            run.map(|run| match run {
                At::File(file) => escaped(&file.display().to_string()),
                At::Stored(id) => id.to_string(),
            })
        });
        if let [Some(before), Some(after)] = files {
            text.push_str(&format!(
                "- Runs to open: {before} (before), {after} (after)\n"
            ));
        }
    }
    text.push_str(&format!("- Proof: {}\n", words::evidence(finding)));
}

fn table(text: &mut String, finding: &Finding) {
    text.push_str("| route | before | after | a run |\n|---|---|---|---|\n");
    for place in &finding.places {
        text.push_str(&format!(
            "| {} | {} | {} | {} |\n",
            escaped(&place.route),
            words::figure(finding.kind, &place.before),
            words::figure(finding.kind, &place.after),
            words::cost(finding.kind, place)
        ));
    }
}

/// Text that Markdown shows as it is. Names come from outside.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in printable(text.as_bytes()).chars() {
        if "\\`*_{}[]<>()#+!|~@&".contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_no_markup() {
        assert_eq!(escaped("a|b_c"), "a\\|b\\_c");
        assert_eq!(escaped("<b>@all"), "\\<b\\>\\@all");
    }
}
