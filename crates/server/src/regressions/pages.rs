//! Findings for the pages of a server.

use ::serve::{Found, FoundFigures, FoundPlace, Measure, ReleaseFindings, condition};
use anyhow::Result;
use cli::regressions::{At, Findings, words};
use regressions::{Figures, Finding, Kind, Place, Report};
use store::{Selection, Store};

use super::notice;
use super::stored::of_app;

/// The findings of an application of a store.
pub(crate) fn findings(store: &dyn Store, app: &str) -> Result<::serve::Findings> {
    let findings = of_app(store, app, None)?;
    let of = Selection {
        app: Some(app.to_owned()),
        ..Selection::default()
    };
    // In the order in which they were first seen.
    let releases = store.releases(&of)?.into_iter().map(|info| info.release);
    let releases: Vec<String> = releases.filter(|name| !name.is_empty()).collect();
    let reports = findings.reports.iter().zip(&findings.since);
    let reports = reports.map(|(report, since)| {
        let place = releases.iter().position(|name| *name == report.release);
        let before = place.and_then(|place| releases.get(place.checked_sub(1)?));
        let of = Of {
            app,
            before: before.map(String::as_str),
            findings: &findings,
            report,
        };
        of.release(*since)
    });
    Ok(::serve::Findings {
        releases: reports.collect(),
    })
}

/// A report, and what it is of.
struct Of<'a> {
    app: &'a str,
    before: Option<&'a str>,
    findings: &'a Findings,
    report: &'a Report,
}

impl Of<'_> {
    fn release(&self, since: i64) -> ReleaseFindings {
        let report = self.report;
        let found = report.findings.iter();
        let undecided = report.undecided.iter().map(|of| ::serve::Undecided {
            function: of.function.clone(),
            route: of.route.clone(),
            text: words::missing(of),
        });
        let moved = report.moved.iter();
        ReleaseFindings {
            release: report.release.clone(),
            before: self.before.map(str::to_owned),
            since_s: since * 3600,
            compared: words::compared(report),
            is_compared: report.routes > 0 && report.looks > 0,
            found: found.map(|of| self.one(of)).collect(),
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

    fn one(&self, finding: &Finding) -> Found {
        let (findings, report) = (self.findings, self.report);
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
        let errors = first.map_or(0.0, |place| place.t);
        let route = first.map(|place| condition("route", &place.route));
        let filter = format!(
            "{} {}",
            condition("app", self.app),
            route.unwrap_or_default()
        );
        let of_release = |name: &str| format!("{filter} {}", condition("release", name));
        let compare = self
            .before
            .map(|before| [of_release(before), of_release(&report.release)]);
        // Of a peak the cause is known on some routes.
        let mut paths = finding.places.iter().map(|place| &place.path);
        let path = paths.find(|path| !path.is_empty());
        let cause = path.and_then(|path| path.last().cloned());
        let function = match finding.kind {
            Kind::SlowerRoute => None,
            Kind::HigherPeak => cause,
            _ => Some(finding.function.clone()),
        };
        Found {
            id: notice::id(self.app, report, finding),
            kind: finding.kind.name().to_owned(),
            heading: words::kind(finding.kind).to_owned(),
            sentence: words::sentence(finding),
            function,
            caller: finding.caller.clone(),
            proof: words::evidence(finding),
            days: finding.look as u64,
            errors: errors.is_finite().then_some(errors),
            is_provisional: finding.is_provisional,
            is_gone: finding.is_gone,
            is_memory: matches!(finding.kind, Kind::MoreMemory | Kind::HigherPeak),
            measure: match finding.kind {
                Kind::SlowerRoute => Measure::Wall,
                Kind::Slower => Measure::Own,
                Kind::MoreCalls | Kind::NewCall => Measure::Calls,
                Kind::MoreMemory => Measure::Memory,
                Kind::HigherPeak => Measure::Peak,
            },
            path: path.cloned().unwrap_or_default(),
            filter,
            compare,
            places: finding.places.iter().map(place).collect(),
            runs,
        }
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
