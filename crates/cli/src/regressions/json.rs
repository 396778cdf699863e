//! Findings as JSON.

use regressions::{Figures, Finding, Place, Report};
use serde_json::{Value, json};

use super::{At, Findings, words};

/// The version of the output. It changes when programs that read it have to.
const VERSION: u32 = 1;

/// All releases.
pub(super) fn findings(findings: &Findings) -> Value {
    let releases = findings.reports.iter().zip(&findings.since);
    let releases: Vec<Value> = releases
        .map(|(report, since)| release(findings, report, *since))
        .collect();
    json!({ "version": VERSION, "releases": releases })
}

fn release(findings: &Findings, report: &Report, since: i64) -> Value {
    let all = |of: &[Finding]| -> Vec<Value> {
        of.iter()
            .map(|of| finding(findings, &report.release, of))
            .collect()
    };
    let undecided = report.undecided.iter().map(|of| {
        json!({
            "kind": of.kind.name(),
            "function": of.function,
            "route": of.route,
            "change": of.change,
            "t": of.t,
            "t_needed": of.t_needed,
            "more_runs": of.more_runs,
        })
    });
    let skipped = report.skipped.iter();
    let skipped =
        skipped.map(|of| json!({ "route": of.route, "reason": words::reason(of.reason) }));
    json!({
        "release": report.release,
        "since_unix": since * 3600,
        "days": report.looks,
        "hours_left": report.hours_left,
        "replaced_after_hours": report.replaced_after,
        "routes": report.routes,
        "tests": report.tests,
        "common_change": report.common_change,
        "findings": all(&report.findings),
        "moved": all(&report.moved),
        "faster": all(&report.faster),
        "undecided": undecided.collect::<Vec<Value>>(),
        "not_compared": skipped.collect::<Vec<Value>>(),
    })
}

/// One finding.
#[must_use]
pub fn finding(findings: &Findings, release: &str, finding: &Finding) -> Value {
    let places = finding.places.iter().map(|of| place(findings, release, of));
    json!({
        "kind": finding.kind.name(),
        "function": finding.function,
        "caller": finding.caller,
        "text": words::sentence(finding),
        "found_after_days": finding.look,
        "is_gone": finding.is_gone,
        "is_provisional": finding.is_provisional,
        "moved_from": finding.moved_from,
        "places": places.collect::<Vec<Value>>(),
    })
}

fn place(findings: &Findings, release: &str, place: &Place) -> Value {
    let open = place.open.each_ref().map(|of| {
        let (file, run) = match findings.run(release, &place.route, of) {
            Some(At::File(file)) => (Some(file.display().to_string()), None),
            Some(At::Stored(id)) => (None, Some(id.clone())),
            None => (None, None),
        };
        json!({
            "from_unix": of.from * 3600,
            "to_unix": of.to * 3600,
            "file": file,
            "run": run,
        })
    });
    let contributors = place.contributors.iter();
    let contributors = contributors.map(|of| json!({ "path": of.path, "cost_ns": of.cost_ns }));
    let finite = |value: f64| value.is_finite().then_some(value);
    json!({
        "route": place.route,
        "path": place.path,
        "before": figures(&place.before),
        "after": figures(&place.after),
        "change": finite(place.change),
        "t": finite(place.t),
        "cost": place.cost,
        "share": place.share,
        "is_retained": place.is_retained,
        "contributors": contributors.collect::<Vec<Value>>(),
        "open": open,
    })
}

fn figures(figures: &Figures) -> Value {
    json!({
        "runs": figures.runs,
        "calls": figures.calls,
        "time_ns": figures.time_ns,
        "memory": figures.memory,
        "route_ns": figures.route_ns,
    })
}
