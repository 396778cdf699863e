//! The sums of a store, for the search.

use std::path::Path;

use anyhow::{Result, bail};
use regressions::{Block, Cell, Collector, Hour, HourPath, Report};
use store::{CellHours, Options, RunQuery, Selection, SqliteStore, Store};

use super::{At, Findings, HOUR_US, Run, hour};
use crate::since::Since;

/// The most runs of which the most usual one is taken.
const MOST_RUNS: u32 = 200;

impl Findings {
    /// Those of an application of the store in a folder.
    pub(super) fn stored(folder: &Path, app: Option<&str>, since: Option<Since>) -> Result<Self> {
        let options = Options {
            read_only: true,
            ..Options::default()
        };
        let store = SqliteStore::open_with(folder, options)?;
        let apps: Vec<String> = store.apps()?.into_iter().map(|app| app.name).collect();
        let app = match (app, apps.as_slice()) {
            (Some(app), _) if apps.iter().any(|known| known == app) => app,
            (None, [only]) => only.as_str(),
            (_, []) => bail!("{}: the store has no runs", folder.display()),
            _ => bail!(
                "choose one of the applications of the store with --app: {}",
                apps.join(", ")
            ),
        };
        Self::of_app(&store, app, since)
    }

    pub(super) fn of_app(store: &dyn Store, app: &str, since: Option<Since>) -> Result<Self> {
        let of_app = Selection {
            app: Some(app.to_owned()),
            ..Selection::default()
        };
        let mut collector = Collector::default();
        for route in store.routes(&of_app)? {
            // One route at a time: the sums of all of them may be large.
            for hour in store.hours(app, &route.route, 0)? {
                if !hour.release.is_empty() {
                    add(&mut collector, &route.route, &hour);
                }
            }
        }
        let mut findings = Self::of(&collector, since, Vec::new())?;
        for report in &findings.reports {
            findings.runs.extend(runs(store, &of_app, report)?);
        }
        Ok(findings)
    }
}

fn add(collector: &mut Collector, route: &str, hour: &CellHours) {
    let block = Block {
        hour: hour.hour,
        runs: hour.runs,
        wall_ns: hour.wall,
        ln_wall: hour.ln_wall,
        peak_bytes: hour.peak,
        ..Block::default()
    };
    let paths = hour.paths.iter().map(|path| HourPath {
        parent: path.parent,
        function: hour
            .names
            .get(path.name as usize)
            .map_or(b"[unknown]".as_slice(), AsRef::as_ref),
        cell: Cell {
            path: 0,
            runs: path.runs,
            calls: path.calls,
            self_ns: path.own_wall.max(0).unsigned_abs(),
            ln_self: path.ln_own,
            memory: path.own_memory,
        },
    });
    let hour = Hour {
        route,
        release: &hour.release,
        block: &block,
    };
    collector.add_hour(hour, paths);
}

/// Runs that show the findings of a release, before and after it.
fn runs(store: &dyn Store, of_app: &Selection, report: &Report) -> Result<Vec<Run>> {
    let mut runs = Vec::new();
    let places = report
        .findings
        .iter()
        .filter_map(|finding| finding.places.first());
    for place in places {
        for open in &place.open {
            let micros = |hours: i64| u64::try_from(hours).unwrap_or(0).saturating_mul(HOUR_US);
            let query = RunQuery {
                selection: Selection {
                    routes: vec![place.route.clone()],
                    since_us: Some(micros(open.from)),
                    until_us: Some(micros(open.to)),
                    ..of_app.clone()
                },
                limit: MOST_RUNS,
                ..RunQuery::default()
            };
            runs.extend(store.runs(&query)?.runs.into_iter().map(|run| Run {
                hour: hour(run.started_us),
                route: run.route,
                release: run.release,
                wall: run.wall,
                at: At::Stored(run.id),
            }));
        }
    }
    Ok(runs)
}
