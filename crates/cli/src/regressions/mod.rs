//! `xhprof regressions`: what releases made slower.
//!
//! Profiles are read one at a time and added up by hour; only the sums stay in
//! memory. A store has the sums already. The detector works with the sums.

mod json;
mod markdown;
mod notice;
mod pages;
mod stored;
mod text;
mod words;

use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::{Result, bail};
use profile::native::Summary;
use regressions::{Collector, NotAdded, Options, Release, Report, Selection};
use store::RunId;

use crate::args::{FindingsFormat, RegressionsArguments};
use crate::directory::{self, Skipped};
use crate::input;
use crate::list::route;
use crate::pager;
use crate::progress::{Progress, Work};
use crate::since::Since;
use crate::terminal::say;

pub(crate) use notice::notices;
pub(crate) use pages::findings;

const HOUR_US: u64 = 3_600_000_000;

/// What is printed: the reports, and where the runs are.
pub(super) struct Findings {
    /// The reports, the latest release first.
    pub(super) reports: Vec<Report>,
    /// The first hour of each release.
    pub(super) since: Vec<i64>,
    runs: Vec<Run>,
}

/// A run that could be opened.
struct Run {
    route: String,
    release: String,
    hour: i64,
    wall: u64,
    at: At,
}

/// Where a run is.
#[derive(Debug)]
pub(super) enum At {
    File(PathBuf),
    /// In a store, under this id.
    Stored(RunId),
}

/// Prints the findings.
pub(crate) fn run(arguments: &RegressionsArguments) -> Result<()> {
    let findings = match &arguments.store {
        Some(folder) => Findings::stored(folder, arguments.app.as_deref(), arguments.since)?,
        None => Findings::read(arguments)?,
    };
    match arguments.format {
        FindingsFormat::Text => pager::print(false, |look| Ok(text::rendered(&findings, look))),
        FindingsFormat::Markdown => pager::print(false, |_| Ok(markdown::rendered(&findings))),
        FindingsFormat::Json => pager::print_json(&json::findings(&findings)),
    }
}

impl Findings {
    fn read(arguments: &RegressionsArguments) -> Result<Self> {
        let files = directory::files(&arguments.paths, None)?;
        let left_out = Skipped::default();
        let progress = Progress::new("reading", Work::Files(files.len() as u64));
        let mut collector = Collector::default();
        let mut runs = Vec::new();
        let (mut untimed, mut without) = (0, 0);
        for file in &files {
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
        Ok(Self::of(&releases, reports, arguments.since, runs))
    }

    /// The reports of releases: those that were deployed `since` then.
    fn of(
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

    /// The most usual run of a selection: that with the time nearest to the mean.
    pub(super) fn run(&self, release: &str, route: &str, of: &Selection) -> Option<&At> {
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
fn is_comparable(releases: &[(Release, u32)]) -> Result<()> {
    let found = match releases {
        [] => "without releases".to_owned(),
        [(release, _)] => format!("only of the release {}", release.name),
        _ => return Ok(()),
    };
    bail!(
        "nothing to compare: the profiles are {found}; \
         set the tag `release` in each, with xhprof_tag('release', …)"
    );
}

fn hour(unix_us: u64) -> i64 {
    i64::try_from(unix_us / HOUR_US).unwrap_or(i64::MAX)
}
