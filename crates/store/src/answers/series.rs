//! What charts of requests show: all releases of a step together.

use std::collections::BTreeMap;

use super::requests::{ALL, BY_ROUTE, MAX_RUNS, RouteKey, Sum, route_of, rows};
use super::source::{Grouping, Place, Source};
use crate::rollup::Totals;
use crate::{Result, RouteRow, Selection, SeriesPoint, TrendStep};

/// The requests of a selection over time.
pub(crate) fn series(
    source: &dyn Source,
    selection: &Selection,
    step: TrendStep,
) -> Result<Vec<SeriesPoint>> {
    let mut steps: BTreeMap<i64, (Sum, Statements)> = BTreeMap::new();
    let grouping = Grouping { step, ..ALL };
    visit(source, selection, grouping, &mut |place, totals, calls| {
        let (sum, sql) = steps.entry(step.first_hour(place.hour)).or_default();
        if totals.runs > 0 {
            sum.add_with_walls(place, totals);
        }
        sql.add(totals.runs, calls, place);
    })?;
    let has_sql = steps.values().any(|(_, sql)| sql.calls > 0);
    let points = steps
        .into_iter()
        .filter(|(_, (sum, _))| sum.totals.runs > 0);
    Ok(points
        .map(|(hour, (sum, sql))| point(hour, &sum, has_sql.then_some(sql)))
        .collect())
}

/// All requests of a selection, as the only point of [`series`], and its [`routes`](super::routes).
pub(crate) fn whole_and_routes(
    source: &dyn Source,
    selection: &Selection,
) -> Result<(Option<SeriesPoint>, Vec<RouteRow>)> {
    let mut routes: BTreeMap<RouteKey, Sum> = BTreeMap::new();
    let mut sql = Statements::default();
    visit(source, selection, BY_ROUTE, &mut |place, totals, calls| {
        if totals.runs > 0 {
            let sum = routes.entry(route_of(place)).or_default();
            sum.add_with_walls(place, totals);
        }
        sql.add(totals.runs, calls, place);
    })?;
    let mut whole = Sum::default();
    for sum in routes.values() {
        whole.merge(sum);
    }
    let hour = TrendStep::All.first_hour(0);
    let point = (whole.totals.runs > 0).then(|| point(hour, &whole, sql.known()));
    Ok((point, rows(routes)))
}

/// Visits the requests of a selection and the calls of their statements, which have the weight of their place.
fn visit(
    source: &dyn Source,
    selection: &Selection,
    grouping: Grouping,
    visitor: &mut dyn FnMut(&Place, &Totals, u64),
) -> Result<()> {
    if selection.is_of_hours() {
        return source.totals_with_sql(selection, grouping, visitor);
    }
    let infos = source.infos(selection, MAX_RUNS)?;
    let highest = infos.iter().map(|info| info.rate).fold(0.0, f64::max);
    for info in infos.into_iter().filter(|info| info.unit == "time") {
        let place = Place::of(&info, highest);
        let calls = info.sql.saturating_mul(place.weight);
        visitor(&place, &Totals::of(&info, 0), calls);
    }
    Ok(())
}

/// The SQL statements of runs, which count as often as the requests that they stand for.
#[derive(Debug, Clone, Copy, Default)]
struct Statements {
    runs: u64,
    calls: u64,
}

impl Statements {
    /// Adds runs of a place, and calls that have its weight already.
    fn add(&mut self, runs: u64, calls: u64, place: &Place) {
        let runs = runs.saturating_mul(place.weight);
        self.runs = self.runs.saturating_add(runs);
        self.calls = self.calls.saturating_add(calls);
    }

    /// None if no run has any: whether statements were recorded is not known then.
    fn known(self) -> Option<Self> {
        (self.calls > 0).then_some(self)
    }
}

#[expect(clippy::cast_precision_loss, reason = "means")]
fn point(hour: i64, sum: &Sum, sql: Option<Statements>) -> SeriesPoint {
    let row = super::requests::row(sum);
    let runs = row.runs.max(1);
    SeriesPoint {
        time_s: hour * 3600,
        runs: row.runs,
        requests: row.requests,
        failed: row.failed,
        mean: row.wall / runs,
        p50: row.p50,
        p95: row.p95,
        p99: row.p99,
        cpu: row.mean_cpu,
        peak: row.mean_peak,
        sql: sql.map(|sql| sql.calls as f64 / sql.runs.max(1) as f64),
    }
}
