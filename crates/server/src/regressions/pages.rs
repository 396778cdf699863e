//! Findings for the pages of a server.

use ::serve::{Found, FoundPlace, ReleaseFindings};
use anyhow::Result;
use cli::regressions::{At, Findings, words};
use regressions::{Finding, Kind, Report};
use store::Store;

use super::stored::of_app;

/// The findings of an application of a store.
pub(crate) fn findings(store: &dyn Store, app: &str) -> Result<::serve::Findings> {
    let findings = of_app(store, app, None)?;
    let reports = findings.reports.iter().zip(&findings.since);
    let releases = reports.map(|(report, since)| release(&findings, report, *since));
    Ok(::serve::Findings {
        releases: releases.collect(),
    })
}

fn release(findings: &Findings, report: &Report, since: i64) -> ReleaseFindings {
    let found = report.findings.iter();
    let undecided = report.undecided.iter().map(|of| ::serve::Undecided {
        function: of.function.clone(),
        route: of.route.clone(),
        text: words::missing(of),
    });
    let moved = report.moved.iter();
    ReleaseFindings {
        release: report.release.clone(),
        since_s: since * 3600,
        compared: words::compared(report),
        is_compared: report.routes > 0 && report.looks > 0,
        found: found.map(|of| one(findings, report, of)).collect(),
        moved: moved
            .map(|of| {
                format!(
                    "{} has the time of {}",
                    of.function,
                    of.moved_from.join(", ")
                )
            })
            .collect(),
        undecided: undecided.collect(),
        not_compared: report.skipped.len(),
    }
}

fn one(findings: &Findings, report: &Report, finding: &Finding) -> Found {
    let first = finding.places.first();
    let runs = first.and_then(|place| {
        let runs = place.open.each_ref();
        match runs.map(|of| findings.run(&report.release, &place.route, of)) {
            [Some(At::Stored(before)), Some(At::Stored(after))] => {
                Some([before.parse().ok()?, after.parse().ok()?])
            }
            _ => None,
        }
    });
    let is_route = finding.kind == Kind::SlowerRoute;
    Found {
        kind: words::kind(finding.kind).to_owned(),
        sentence: words::sentence(finding),
        function: (!is_route).then(|| finding.function.clone()),
        proof: words::evidence(finding),
        is_provisional: finding.is_provisional,
        is_gone: finding.is_gone,
        path: first.map(|place| place.path.clone()).unwrap_or_default(),
        places: finding
            .places
            .iter()
            .map(|place| FoundPlace {
                route: place.route.clone(),
                before: words::figure(finding.kind, &place.before),
                after: words::figure(finding.kind, &place.after),
                cost: words::cost(finding.kind, place),
            })
            .collect(),
        runs,
    }
}
