//! `xhprof regressions`: what releases made slower.
//!
//! Profiles are read one at a time and added up by hour; only the sums stay in
//! memory. The detector works with the sums. A store has the sums already: the
//! program `xhprof-server` reads them, and shares the types and the output.

pub mod json;
pub mod markdown;
mod text;
pub mod words;

use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::{Result, bail};
use profile::native::Summary;
use profile::quantities::Since;
use regressions::{Collector, NotAdded, Options, Release, Report, Selection};

use crate::args::{FindingsFormat, RegressionsArguments};
use crate::directory::{self, Found, Skipped};
use crate::input;
use crate::list::route;
use crate::pager;
use crate::progress::{Progress, Work};
use crate::report::Rows;
use crate::report::json::with;
use crate::terminal::say;

/// The microseconds of an hour.
pub const HOUR_US: u64 = 3_600_000_000;

/// What is printed: the reports, and where the runs are.
#[derive(Debug)]
pub struct Findings {
    /// The reports, the latest release first.
    pub reports: Vec<Report>,
    /// The first hour of each release.
    pub since: Vec<i64>,
    /// The runs that may be opened.
    pub runs: Vec<Run>,
}

/// A run that could be opened.
#[derive(Debug)]
pub struct Run {
    /// Its route.
    pub route: String,
    /// Its release.
    pub release: String,
    /// The hour of its start, since 1970.
    pub hour: i64,
    /// Its wall time in nanoseconds.
    pub wall: u64,
    /// Where it is.
    pub at: At,
}

/// Where a run is.
#[derive(Debug)]
pub enum At {
    /// In a file.
    File(PathBuf),
    /// In a store, under this id.
    Stored(String),
}

/// Prints the findings in files.
pub fn run(arguments: &RegressionsArguments) -> Result<()> {
    let files = directory::files(&arguments.paths, None)?;
    print(&Findings::read(&files, arguments.since)?, arguments.format)
}

/// Prints findings.
pub fn print(findings: &Findings, format: FindingsFormat) -> Result<()> {
    match format {
        FindingsFormat::Text => pager::print(false, |look| Ok(text::rendered(findings, look))),
        FindingsFormat::Markdown => pager::print(false, |_| Ok(markdown::rendered(findings))),
        FindingsFormat::Json => pager::print_json(&json::findings(findings)),
    }
}

impl Findings {
    pub(crate) fn read(files: &[Found], since: Option<Since>) -> Result<Self> {
        let left_out = Skipped::default();
        let progress = Progress::new("reading", Work::Files(files.len() as u64));
        let mut collector = Collector::default();
        let mut runs = Vec::new();
        let (mut untimed, mut without) = (0, 0);
        for file in files {
            let profile = input::read_one_of_many(&file.path, &progress);
            let Some(profile) = left_out.take(file, profile)? else {
                continue;
            };
            let summary = Summary::of(&profile);
            let route = route(&summary).unwrap_or_else(|| "(no route)".to_owned());
            let Some(release) = profile.meta.tag("release").filter(|name| !name.is_empty()) else {
                without += 1;
                continue;
            };
            match collector.add(&route, release, &profile) {
                Ok(()) => runs.push(Run {
                    hour: hour(profile.meta.started_unix_us.unwrap_or(0)),
                    release: release.to_owned(),
                    wall: summary.total.wall,
                    at: At::File(file.path.clone()),
                    route,
                }),
                Err(NotAdded::Time | NotAdded::Unit) => untimed += 1,
            }
        }
        drop(progress);
        left_out.report(runs.len() + untimed + without)?;
        if untimed > 0 {
            say(&format!(
                "note: {untimed} profiles without a start, or without calls and times, are left out"
            ));
        }
        if without > 0 {
            say(&format!(
                "note: {without} profiles without the tag `release` are left out"
            ));
        }
        let releases = collector.releases();
        is_comparable(&releases)?;
        let reports = collector.reports(Options::default());
        Ok(Self::of(&releases, reports, since, runs))
    }

    /// The reports of releases: those that were deployed `since` then.
    #[must_use]
    pub fn of(
        releases: &[(Release, u32)],
        reports: Vec<Report>,
        first: Option<Since>,
        runs: Vec<Run>,
    ) -> Self {
        let since: Vec<i64> = releases
            .iter()
            .skip(1)
            .map(|release| release.0.since)
            .collect();
        let first = first.map(|since| hour(since.microseconds(SystemTime::now())));
        let mut kept: Vec<(Report, i64)> = reports.into_iter().zip(since).collect();
        kept.retain(|(_, since)| first.is_none_or(|first| *since >= first));
        kept.reverse();
        let (reports, since) = kept.into_iter().unzip();
        Self {
            reports,
            since,
            runs,
        }
    }

    /// Each finding as Markdown and as JSON, for `xhprof mcp`.
    pub(crate) fn rows(&self) -> Rows {
        let findings = self.reports.iter().flat_map(|report| {
            let row = |finding| {
                let release = &report.release;
                let value = json::finding(self, release, finding);
                let value = with(value, "release", release.as_str().into());
                (markdown::row(self, report, finding), value)
            };
            report.findings.iter().map(row)
        });
        Rows {
            rows: findings.collect(),
            others: 0,
        }
    }

    /// The most usual run of a selection: that with the time nearest to the mean.
    #[must_use]
    pub fn run(&self, release: &str, route: &str, of: &Selection) -> Option<&At> {
        let is_one = |run: &&Run| {
            run.route == route
                && (of.from..of.to).contains(&run.hour)
                && (run.release == release) == of.is_released
        };
        #[expect(clippy::cast_precision_loss, reason = "a distance between times")]
        let distance = |run: &&Run| (run.wall as f64 - of.route_ns).abs();
        let runs = self.runs.iter().filter(is_one);
        let nearest = runs.min_by(|a, b| distance(a).total_cmp(&distance(b)));
        nearest.map(|run| &run.at)
    }
}

/// Refuses less than two releases.
pub fn is_comparable(releases: &[(Release, u32)]) -> Result<()> {
    let found = match releases {
        [] => "without releases".to_owned(),
        [(release, _)] => format!("only of the release {}", release.name),
        _ => return Ok(()),
    };
    bail!(
        "nothing to compare: the profiles are {found}; \
         set the tag \"release\" in each, with xhprof_tag('release', …)"
    );
}

/// The hour of a time, since 1970.
#[must_use]
pub fn hour(unix_us: u64) -> i64 {
    i64::try_from(unix_us / HOUR_US).unwrap_or(i64::MAX)
}
