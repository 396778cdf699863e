//! Sums of requests: routes, trends, releases.

use std::collections::BTreeMap;

use super::source::{self, Grouping, Place, Source};
use crate::rollup::{Sign, SketchSum, Totals};
use crate::{ReleaseInfo, Result, RouteRelease, RouteRow, Selection, TrendPoint, TrendStep};

/// The most runs that a question without sums is answered from.
pub(super) const MAX_RUNS: usize = 100_000;

/// Nothing is told apart.
pub(super) const ALL: Grouping = Grouping {
    app: false,
    route: false,
    release: false,
    step: TrendStep::All,
};

#[derive(Default)]
pub(super) struct Sum {
    /// Without the sketch.
    pub(super) totals: Totals,
    walls: SketchSum,
    requests: f64,
    /// The time of the requests that the runs stand for.
    weighted_wall: f64,
    first: i64,
    last: i64,
}

impl Sum {
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    fn add(&mut self, place: &Place, totals: &Totals) {
        if self.totals.runs == 0 {
            (self.first, self.last) = place.hours;
        }
        self.first = self.first.min(place.hours.0);
        self.last = self.last.max(place.hours.1);
        self.totals.merge_numbers(totals, Sign::Plus);
        self.requests += source::requests_of(totals.runs, place.rate);
        self.weighted_wall += totals.wall as f64 / place.rate.max(1e-9);
    }

    /// The same with the quantiles of the wall times.
    pub(super) fn add_with_walls(&mut self, place: &Place, totals: &Totals) {
        self.add(place, totals);
        self.walls.add_times(&totals.walls, place.weight);
    }

    /// Adds another sum with its quantiles.
    pub(super) fn merge(&mut self, other: &Self) {
        if self.totals.runs == 0 {
            (self.first, self.last) = (other.first, other.last);
        }
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
        self.totals.merge_numbers(&other.totals, Sign::Plus);
        self.requests += other.requests;
        self.weighted_wall += other.weighted_wall;
        self.walls.add(&other.walls.sketch());
    }
}

/// Adds up the totals of a selection by a key, which `grouping` must tell apart.
fn sums<K: Ord>(
    source: &dyn Source,
    selection: &Selection,
    grouping: Grouping,
    key: impl Fn(&Place) -> K,
) -> Result<BTreeMap<K, Sum>> {
    sums_by(source, selection, grouping, key, Sum::add_with_walls)
}

/// The same without quantiles.
pub(super) fn costs<K: Ord>(
    source: &dyn Source,
    selection: &Selection,
    grouping: Grouping,
    key: impl Fn(&Place) -> K,
) -> Result<BTreeMap<K, Sum>> {
    sums_by(source, selection, grouping, key, Sum::add)
}

fn sums_by<K: Ord>(
    source: &dyn Source,
    selection: &Selection,
    grouping: Grouping,
    key: impl Fn(&Place) -> K,
    add: impl Fn(&mut Sum, &Place, &Totals),
) -> Result<BTreeMap<K, Sum>> {
    let mut sums: BTreeMap<K, Sum> = BTreeMap::new();
    let mut add = |place: &Place, totals: &Totals| {
        add(sums.entry(key(place)).or_default(), place, totals);
    };
    if selection.is_of_hours() {
        source.totals(selection, grouping, &mut add)?;
        return Ok(sums);
    }
    let infos = source.infos(selection, MAX_RUNS)?;
    let highest = infos.iter().map(|info| info.rate).fold(0.0, f64::max);
    for info in infos {
        if info.unit == "time" {
            add(&Place::of(&info, highest), &Totals::of(&info, 0));
        }
    }
    Ok(sums)
}

/// All requests of a selection.
pub(crate) fn requests(source: &dyn Source, selection: &Selection) -> Result<Option<RouteRow>> {
    let all = sums(source, selection, ALL, |_| ())?.remove(&());
    Ok(all.filter(|sum| sum.totals.runs > 0).map(|sum| RouteRow {
        share: 1.0,
        ..row(&sum)
    }))
}

/// A sum without the names of its route.
pub(super) fn row(sum: &Sum) -> RouteRow {
    let (totals, walls) = (&sum.totals, sum.walls.sketch());
    let quantile = |q| walls.quantile_by_mean(q, totals.wall.checked_div(totals.runs));
    RouteRow {
        app: String::new(),
        route: String::new(),
        runs: totals.runs,
        requests: sum.requests,
        failed: totals.failed,
        wall: totals.wall,
        share: 0.0,
        p50: quantile(0.50),
        p95: quantile(0.95),
        p99: quantile(0.99),
        mean_cpu: totals.cpu.checked_div(totals.cpu_runs),
        mean_peak: totals.peak.checked_div(totals.peak_runs),
        first_s: sum.first * 3600,
        last_s: sum.last * 3600,
    }
}

/// Routes are told apart.
pub(super) const BY_ROUTE: Grouping = Grouping {
    app: true,
    route: true,
    ..ALL
};

/// An application and a route.
pub(super) type RouteKey = (String, String);

pub(super) fn route_of(place: &Place) -> RouteKey {
    (place.app.clone(), place.route.clone())
}

/// The routes, those with the most time first.
pub(crate) fn routes(source: &dyn Source, selection: &Selection) -> Result<Vec<RouteRow>> {
    Ok(rows(sums(source, selection, BY_ROUTE, route_of)?))
}

/// The rows of routes, those with the most time first.
pub(super) fn rows(sums: BTreeMap<RouteKey, Sum>) -> Vec<RouteRow> {
    let whole: f64 = sums.values().map(|sum| sum.weighted_wall).sum();
    let mut rows: Vec<(f64, RouteRow)> = sums
        .into_iter()
        .map(|((app, route), sum)| {
            let share = if whole > 0.0 {
                sum.weighted_wall / whole
            } else {
                0.0
            };
            (
                sum.weighted_wall,
                RouteRow {
                    app,
                    route,
                    share,
                    ..row(&sum)
                },
            )
        })
        .collect();
    rows.sort_by(|one, other| other.0.total_cmp(&one.0));
    rows.into_iter().map(|(_, row)| row).collect()
}

/// The releases of each route.
pub(crate) fn route_releases(
    source: &dyn Source,
    selection: &Selection,
) -> Result<Vec<RouteRelease>> {
    let grouping = Grouping {
        app: true,
        route: true,
        release: true,
        ..ALL
    };
    let sums = costs(source, selection, grouping, |place| {
        (
            place.app.clone(),
            place.route.clone(),
            place.release.clone(),
        )
    })?;
    let releases = sums.into_iter();
    let releases = releases.map(|((app, route, release), sum)| RouteRelease {
        app,
        route,
        release,
        runs: sum.totals.runs,
        wall: sum.totals.wall,
    });
    Ok(releases.collect())
}

/// How requests changed over time.
pub(crate) fn request_trend(
    source: &dyn Source,
    selection: &Selection,
    step: TrendStep,
) -> Result<Vec<TrendPoint>> {
    let grouping = Grouping {
        release: true,
        step,
        ..ALL
    };
    let sums = sums(source, selection, grouping, |place| {
        (step.first_hour(place.hour), place.release.clone())
    })?;
    let points = sums.into_iter().map(|((hour, release), sum)| {
        let (totals, walls) = (&sum.totals, sum.walls.sketch());
        let quantile = |q| walls.quantile_by_mean(q, totals.wall.checked_div(totals.runs));
        TrendPoint {
            time_s: hour * 3600,
            release,
            runs: totals.runs,
            requests: sum.requests,
            calls: totals.calls,
            wall: totals.wall,
            cpu: totals.cpu,
            memory: totals.memory,
            called: Some(totals.runs),
            p50: Some(quantile(0.50)),
            p95: Some(quantile(0.95)),
            p99: Some(quantile(0.99)),
            ..TrendPoint::default()
        }
    });
    Ok(points.collect())
}

/// The releases, in the order in which they were first seen.
pub(crate) fn releases(source: &dyn Source, selection: &Selection) -> Result<Vec<ReleaseInfo>> {
    let grouping = Grouping {
        app: true,
        release: true,
        ..ALL
    };
    let sums = costs(source, selection, grouping, |place| {
        (place.app.clone(), place.release.clone())
    })?;
    let mut releases: Vec<ReleaseInfo> = sums
        .into_iter()
        .map(|((app, release), sum)| ReleaseInfo {
            app,
            release,
            first_s: sum.first * 3600,
            last_s: sum.last * 3600,
            runs: sum.totals.runs,
        })
        .collect();
    releases.sort_by_key(|release| release.first_s);
    Ok(releases)
}
