//! Sums of requests: routes, trends, releases.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::super::conditions::Conditions;
use super::super::runs;
use super::super::visit::{self, Place, Resolution, visit_totals};
use crate::rollup::{Sign, Totals};
use crate::{ReleaseInfo, Result, RouteRow, RunInfo, Selection, TrendPoint, TrendStep};

/// The most runs that a question without sums is answered from.
const MOST_RUNS: usize = 100_000;

#[derive(Default)]
pub(super) struct Sum {
    pub(super) totals: Totals,
    walls: crate::Sketch,
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
        self.totals.merge(totals, Sign::Plus);
        match place.weight {
            1 => self.walls.add(&totals.walls),
            weight => self.walls.add(&totals.walls.times(weight)),
        }
        self.requests += visit::requests(totals.runs, place.rate);
        self.weighted_wall += totals.wall as f64 / place.rate.max(1e-9);
    }
}

/// Adds up the totals of a selection by a key.
pub(super) fn sums<K: Ord>(
    connection: &Connection,
    selection: &Selection,
    step: Resolution,
    key: impl Fn(&Place) -> K,
) -> Result<BTreeMap<K, Sum>> {
    let mut sums: BTreeMap<K, Sum> = BTreeMap::new();
    let mut add = |place: &Place, totals: &Totals| {
        sums.entry(key(place)).or_default().add(place, totals);
    };
    if selection.is_of_hours() {
        visit_totals(connection, selection, step, &mut |_, place, totals| {
            add(place, &totals);
            Ok(())
        })?;
        return Ok(sums);
    }
    let conditions = Conditions::of_runs(selection)?;
    let infos = runs::infos(connection, &conditions, MOST_RUNS)?;
    let highest = infos.iter().map(|(_, info)| info.rate).fold(0.0, f64::max);
    for (_, info) in infos {
        if info.unit == "time" {
            let totals = Totals::of(&info, 0);
            add(&place(info, highest), &totals);
        }
    }
    Ok(sums)
}

fn place(info: RunInfo, highest: f64) -> Place {
    let hour = super::super::cells::hour_of(info.started_us);
    Place {
        app: info.app,
        route: info.route,
        release: info.release,
        hour,
        hours: (hour, hour),
        rate: info.rate,
        weight: visit::weight(highest, info.rate),
    }
}

/// All requests of a selection.
pub(in super::super) fn requests(
    connection: &Connection,
    selection: &Selection,
) -> Result<Option<RouteRow>> {
    let all = sums(connection, selection, Resolution::Day, |_| ())?.remove(&());
    Ok(all.filter(|sum| sum.totals.runs > 0).map(|sum| RouteRow {
        share: 1.0,
        ..row(&sum)
    }))
}

/// A sum without the names of its route.
fn row(sum: &Sum) -> RouteRow {
    let totals = &sum.totals;
    RouteRow {
        app: String::new(),
        route: String::new(),
        runs: totals.runs,
        requests: sum.requests,
        failed: totals.failed,
        wall: totals.wall,
        share: 0.0,
        p50: sum.walls.quantile(0.50),
        p95: sum.walls.quantile(0.95),
        p99: sum.walls.quantile(0.99),
        mean_cpu: totals.cpu.checked_div(totals.cpu_runs),
        mean_peak: totals.peak.checked_div(totals.peak_runs),
        first_s: sum.first * 3600,
        last_s: sum.last * 3600,
    }
}

/// The routes, those with the most time first.
pub(in super::super) fn routes(
    connection: &Connection,
    selection: &Selection,
) -> Result<Vec<RouteRow>> {
    let sums = sums(connection, selection, Resolution::Day, |place| {
        (place.app.clone(), place.route.clone())
    })?;
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
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}

/// How requests changed over time.
pub(in super::super) fn request_trend(
    connection: &Connection,
    selection: &Selection,
    step: TrendStep,
) -> Result<Vec<TrendPoint>> {
    let sums = sums(connection, selection, step.into(), |place| {
        (step.first_hour(place.hour), place.release.clone())
    })?;
    let points = sums.into_iter().map(|((hour, release), sum)| TrendPoint {
        time_s: hour * 3600,
        release,
        runs: sum.totals.runs,
        requests: sum.requests,
        calls: sum.totals.calls,
        wall: sum.totals.wall,
        cpu: sum.totals.cpu,
        memory: sum.totals.memory,
        called: Some(sum.totals.runs),
        p50: Some(sum.walls.quantile(0.50)),
        p95: Some(sum.walls.quantile(0.95)),
        p99: Some(sum.walls.quantile(0.99)),
        ..TrendPoint::default()
    });
    Ok(points.collect())
}

/// The releases, in the order in which they were first seen.
pub(in super::super) fn releases(
    connection: &Connection,
    selection: &Selection,
) -> Result<Vec<ReleaseInfo>> {
    let sums = sums(connection, selection, Resolution::Day, |place| {
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
