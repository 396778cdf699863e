//! The sums of a store, for the search.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Result, bail};
use regressions::{Around, Block, Cell, HourPath, Release, Report, RouteSums, reports};
use store::{CellHours, HoursOf, PathSums, ReleaseInfo, RunQuery, Selection, Store};

use cli::regressions::{At, Findings, HOUR_US, Run, hour, is_comparable};
use profile::quantities::Since;

use crate::store_place::StorePlace;

/// The most runs of which the most usual one is taken.
const MAX_RUNS: u32 = 200;

/// The findings of an application of the store in a folder.
pub(super) fn of_folder(
    folder: &Path,
    app: Option<&str>,
    since: Option<Since>,
) -> Result<Findings> {
    let store = StorePlace::named(folder.to_owned())?.open_for_reading()?;
    of_store(&*store, &folder.display().to_string(), app, since)
}

/// The findings of the only application of a store, or of the named one.
pub(crate) fn of_store(
    store: &dyn Store,
    name: &str,
    app: Option<&str>,
    since: Option<Since>,
) -> Result<Findings> {
    let apps: Vec<String> = store.apps()?.into_iter().map(|app| app.name).collect();
    let app = match (app, apps.as_slice()) {
        (Some(app), _) if apps.iter().any(|known| known == app) => app,
        (None, [only]) => only.as_str(),
        (_, []) => bail!("{name}: the store has no runs"),
        _ => bail!(
            "choose one of the applications of the store with --app: {}",
            apps.join(", ")
        ),
    };
    of_app(store, app, since)
}

/// The findings of an application of a store.
pub(super) fn of_app(store: &dyn Store, app: &str, since: Option<Since>) -> Result<Findings> {
    let of_app = Selection {
        app: Some(app.to_owned()),
        ..Selection::default()
    };
    let (releases, until) = releases(store, &of_app)?;
    is_comparable(&releases)?;
    let routes = store.routes(&of_app)?;
    let mut routes: Vec<String> = routes.into_iter().map(|route| route.route).collect();
    routes.sort_unstable();
    let reader = Reader {
        store,
        app,
        numbers: releases
            .iter()
            .map(|(release, number)| (release.name.as_str(), *number))
            .collect(),
    };
    let options = regressions::Options::default();
    let read = |route: &String, around: &Around<'_>| reader.sums(route, around);
    let reports = reports(&releases, until, options, &routes, read)?;
    let mut findings = Findings::of(&releases, reports, since, Vec::new());
    for report in &findings.reports {
        findings.runs.extend(runs(store, &of_app, report)?);
    }
    Ok(findings)
}

/// The releases of an application with their numbers, and the hour after the last
/// with runs.
fn releases(store: &dyn Store, of_app: &Selection) -> Result<(Vec<(Release, u32)>, i64)> {
    let mut releases = store.releases(of_app)?;
    releases.retain(|info| !info.release.is_empty());
    let last = releases.iter().map(|info| info.last_s / 3600).max();
    let release = |(number, info): (u32, ReleaseInfo)| {
        let release = Release {
            name: info.release,
            since: info.first_s / 3600,
        };
        (release, number)
    };
    let releases = (0..).zip(releases).map(release).collect();
    Ok((releases, last.map_or(0, |last| last + 1)))
}

/// Reads the sums of routes.
struct Reader<'a> {
    store: &'a dyn Store,
    app: &'a str,
    /// The numbers of the releases.
    numbers: HashMap<&'a str, u32>,
}

impl Reader<'_> {
    /// The sums of a route around a release.
    fn sums(&self, route: &str, around: &Around<'_>) -> Result<RouteSums> {
        let of = HoursOf {
            app: self.app,
            route,
            hours: around.hours,
            only: Some((around.release.since, &around.release.name)),
        };
        let mut sums = RouteSums::new(route);
        // The numbers of the functions, by those of the store.
        let mut functions = HashMap::new();
        self.store.hours(&of, &mut |hour| {
            if let Some(release) = self.numbers.get(hour.release.as_str()) {
                add(&mut sums, &mut functions, *release, hour);
            }
        })?;
        Ok(sums)
    }
}

fn add(
    sums: &mut RouteSums,
    functions: &mut HashMap<u32, Option<u32>>,
    release: u32,
    hour: &CellHours,
) {
    let block = Block {
        hour: hour.hour,
        release,
        runs: hour.runs,
        wall_ns: hour.wall,
        ln_wall: hour.ln_wall,
        peak_bytes: hour.peak,
        ..Block::default()
    };
    let mut function = |name: u32| {
        *functions.entry(name).or_insert_with(|| {
            let symbol = hour.names.get(name as usize);
            sums.function(symbol.map_or(b"[unknown]", |symbol| &symbol.name))
        })
    };
    let path = |path: &PathSums| HourPath {
        parent: path.parent,
        function: function(path.name),
        cell: Cell {
            path: 0,
            runs: path.runs,
            calls: path.calls,
            self_ns: path.own_wall.max(0).unsigned_abs(),
            ln_self: path.ln_own,
            memory: path.own_memory,
        },
    };
    let paths: Vec<HourPath> = hour.paths.iter().map(path).collect();
    sums.add_hour(&block, paths);
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
                limit: MAX_RUNS,
                ..RunQuery::default()
            };
            runs.extend(store.runs(&query)?.runs.into_iter().map(|run| Run {
                hour: hour(run.started_us),
                route: run.route,
                release: run.release,
                wall: run.wall,
                at: At::Stored(run.id.to_string()),
            }));
        }
    }
    Ok(runs)
}
