//! What charts of requests show: all releases of a step together.

use std::collections::BTreeMap;

use super::requests::{ALL, MAX_RUNS, Sum};
use super::source::{Grouping, Place, Source};
use super::want::{PartSums, Want};
use crate::rollup::{Totals, kind_name};
use crate::{Result, Selection, SeriesPoint, TrendStep};

/// The requests of a selection over time.
pub(crate) fn series(
    source: &dyn Source,
    selection: &Selection,
    step: TrendStep,
) -> Result<Vec<SeriesPoint>> {
    let mut steps: BTreeMap<i64, (Sum, u64)> = BTreeMap::new();
    if selection.is_of_hours() {
        let grouping = Grouping { step, ..ALL };
        source.totals(selection, grouping, &mut |place, totals| {
            let (sum, _) = steps.entry(step.first_hour(place.hour)).or_default();
            sum.add_with_walls(place, totals);
        })?;
        source.cells(
            selection,
            Want::Spans,
            step.into(),
            &mut |place, _, part| {
                let PartSums::Spans(spans) = part else { return };
                let of_sql = spans.rows.iter();
                let of_sql = of_sql.filter(|((kind, _), _)| kind_name(*kind) == "sql");
                let count: u64 = of_sql.map(|(_, row)| row.calls).sum();
                if let Some((_, sql)) = steps.get_mut(&step.first_hour(place.hour)) {
                    *sql = sql.saturating_add(count);
                }
            },
        )?;
    } else {
        let infos = source.infos(selection, MAX_RUNS)?;
        let highest = infos.iter().map(|info| info.rate).fold(0.0, f64::max);
        for info in infos.into_iter().filter(|info| info.unit == "time") {
            let place = Place::of(&info, highest);
            let (sum, sql) = steps.entry(step.first_hour(place.hour)).or_default();
            sum.add_with_walls(&place, &Totals::of(&info, 0));
            *sql = sql.saturating_add(info.sql);
        }
    }
    let has_sql = steps.values().any(|(_, sql)| *sql > 0);
    let points = steps
        .into_iter()
        .filter(|(_, (sum, _))| sum.totals.runs > 0);
    Ok(points
        .map(|(hour, (sum, sql))| point(hour, &sum, has_sql.then_some(sql)))
        .collect())
}

#[expect(clippy::cast_precision_loss, reason = "means")]
fn point(hour: i64, sum: &Sum, sql: Option<u64>) -> SeriesPoint {
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
        sql: sql.map(|sql| sql as f64 / runs as f64),
    }
}
