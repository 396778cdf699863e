//! Findings for the pages of a server.

use ::serve::{Found, FoundFigures, FoundPlace, ReleaseFindings};
use anyhow::Result;
use cli::regressions::{At, Findings, words};
use regressions::{Figures, Finding, Kind, Place, Report};
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
    let errors = first.map_or(0.0, |place| place.t);
    Found {
        kind: finding.kind.name().to_owned(),
        heading: words::kind(finding.kind).to_owned(),
        sentence: words::sentence(finding),
        function: (!is_route).then(|| finding.function.clone()),
        caller: finding.caller.clone(),
        proof: words::evidence(finding),
        days: finding.look as u64,
        errors: errors.is_finite().then_some(errors),
        is_provisional: finding.is_provisional,
        is_gone: finding.is_gone,
        is_memory: finding.kind == Kind::MoreMemory,
        path: first.map(|place| place.path.clone()).unwrap_or_default(),
        places: finding.places.iter().map(place).collect(),
        runs,
    }
}

fn place(place: &Place) -> FoundPlace {
    FoundPlace {
        route: place.route.clone(),
        before: figures(&place.before),
        after: figures(&place.after),
        cost: place.cost,
        share: place.share,
        change: place.change.is_finite().then_some(place.change),
    }
}

fn figures(figures: &Figures) -> FoundFigures {
    FoundFigures {
        runs: figures.runs,
        calls: figures.calls,
        time: figures.time_ns,
        memory: figures.memory,
    }
}
