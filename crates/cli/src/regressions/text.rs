//! Findings for a terminal.

use regressions::{Finding, Report};
use unicode_width::UnicodeWidthStr;

use super::{At, Findings, words};
use crate::terminal::{Look, Style, printable};
use crate::words::quoted;

/// The routes of a finding that are printed.
const MOST_PLACES: usize = 5;

/// The whole output.
pub(super) fn rendered(findings: &Findings, look: Look) -> String {
    let mut text = String::new();
    for report in &findings.reports {
        release(&mut text, findings, report, look);
    }
    let all = || findings.reports.iter();
    let found: usize = all().map(|report| report.findings.len()).sum();
    let compared = all().filter(|report| report.routes > 0).count();
    text.push_str(&format!(
        "{found} regression{} in {compared} of {} releases that could be compared\n",
        if found == 1 { "" } else { "s" },
        findings.reports.len()
    ));
    text
}

fn release(text: &mut String, findings: &Findings, report: &Report, look: Look) {
    let name = look.paint(Style::Bold, &format!("Release {}", safe(&report.release)));
    text.push_str(&format!("{name}  {}\n", words::compared(report)));
    for (number, finding) in report.findings.iter().enumerate() {
        let sentence = look.paint(Style::Bold, &safe(&words::sentence(finding)));
        text.push_str(&format!(
            "\n  {}. {}: {sentence}\n",
            number + 1,
            words::kind(finding.kind)
        ));
        places(text, finding);
        if let Some(place) = finding.places.first() {
            if !place.path.is_empty() {
                text.push_str(&format!(
                    "     path    {}\n",
                    safe(&words::path(&place.path))
                ));
            }
            let runs = place.open.each_ref();
            match runs.map(|of| findings.run(&report.release, &place.route, of)) {
                [Some(At::File(before)), Some(At::File(after))] => {
                    let (before, after) = (quoted(before.as_os_str()), quoted(after.as_os_str()));
                    text.push_str(&format!("     open    xhprof diff {before} {after}\n"));
                }
                [Some(At::Stored(before)), Some(At::Stored(after))] => {
                    text.push_str(&format!("     runs    {before} before, {after} after\n"));
                }
                _ => {}
            }
        }
        text.push_str(&format!("     proof   {}\n", words::evidence(finding)));
    }
    for moved in &report.moved {
        let from = safe(&moved.moved_from.join(", "));
        text.push_str(&format!(
            "\n  moved, no new cost: {} has the time of {from}\n",
            safe(&moved.function)
        ));
    }
    if !report.undecided.is_empty() {
        text.push_str("\n  not decided:\n");
        for undecided in &report.undecided {
            text.push_str(&format!("     {}\n", safe(&words::undecided(undecided))));
        }
    }
    let skipped = report.skipped.len();
    if skipped > 0 && report.routes > 0 {
        text.push_str(&format!(
            "\n  not compared: {skipped} routes with too few runs\n"
        ));
    }
    text.push('\n');
}

/// The routes: before, after, and what a run has more.
fn places(text: &mut String, finding: &Finding) {
    let shown: Vec<[String; 4]> = finding
        .places
        .iter()
        .take(MOST_PLACES)
        .map(|place| {
            [
                safe(&place.route),
                words::figure(finding.kind, &place.before),
                words::figure(finding.kind, &place.after),
                words::cost(finding.kind, place),
            ]
        })
        .collect();
    let width = |column: usize| {
        let cells = shown.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.width()).max().unwrap_or(0)
    };
    let widths = [0, 1, 2].map(width);
    for row in &shown {
        let [route, before, after, cost] = row;
        let pad = |cell: &str, column: usize| {
            let width: usize = widths[column];
            format!("{cell}{}", " ".repeat(width.saturating_sub(cell.width())))
        };
        text.push_str(&format!(
            "     {}  {} → {}  {cost}\n",
            pad(route, 0),
            pad(before, 1),
            pad(after, 2)
        ));
    }
    let more = finding.places.len().saturating_sub(MOST_PLACES);
    if more > 0 {
        text.push_str(&format!("     and {more} more routes\n"));
    }
}

fn safe(text: &str) -> String {
    printable(text.as_bytes())
}
