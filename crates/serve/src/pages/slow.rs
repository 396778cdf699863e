//! Which functions explain a change of the 95th percentile.
//!
//! A percentile is no sum of its functions. So the runs nearest to it are
//! compared: the mean times of their functions add up to about the percentile.

use regressions::significance::p95_error;
use store::{CancelToken, Difference, RouteRow, RunId, RunQuery, RunSort, Selection, Store};

/// The runs on each side of the percentile: a fortieth of all, from 5 to 40.
const NEAR_FRACTION: u64 = 40;
const MAX_NEAR: u64 = 40;
const MIN_NEAR: u64 = 5;

/// A comparison of the runs near a percentile.
pub(super) struct Near {
    pub(super) difference: Difference,
    /// The standard error of the percentiles' difference, as a logarithm: they
    /// differ between samples of the same runs, too.
    pub(super) error: f64,
}

/// Compares the runs near the 95th percentile of both; none if fewer than ten
/// runs of a side are kept.
pub(super) fn near_p95(
    store: &dyn Store,
    sides: [(&Selection, &RouteRow); 2],
) -> store::Result<Option<Near>> {
    let mut near = Vec::new();
    let mut variance = 0.0;
    let [one, other] = sides;
    let (one_runs, other_runs) = CancelToken::both(
        || nearest(store, one.0, one.1),
        || nearest(store, other.0, other.1),
    );
    for ((_, row), found) in sides.into_iter().zip([one_runs, other_runs]) {
        let (ids, walls) = found?;
        if ids.len() < 10 {
            return Ok(None);
        }
        variance += p95_error(row.runs, &walls).powi(2);
        near.push(Selection {
            ids,
            ..within(&Selection::default(), row)
        });
    }
    let [before, after] = near.as_slice() else {
        return Ok(None);
    };
    Ok(Some(Near {
        difference: store.diff(before, after)?,
        error: variance.sqrt(),
    }))
}

/// The selection in the hours that have its runs: a release is in use for some days, and
/// a store of a database has its runs by day.
fn within(selection: &Selection, row: &RouteRow) -> Selection {
    const SECOND_US: u64 = 1_000_000;
    let us = |seconds: i64| {
        u64::try_from(seconds)
            .unwrap_or(0)
            .saturating_mul(SECOND_US)
    };
    let (first, end) = (us(row.first_s), us(row.last_s.saturating_add(3600)));
    Selection {
        since_us: Some(selection.since_us.map_or(first, |since| since.max(first))),
        until_us: Some(selection.until_us.map_or(end, |until| until.min(end))),
        ..selection.clone()
    }
}

/// The runs nearest to the percentile, and their times.
fn nearest(
    store: &dyn Store,
    selection: &Selection,
    row: &RouteRow,
) -> store::Result<(Vec<RunId>, Vec<u64>)> {
    let limit = (row.runs / NEAR_FRACTION).clamp(MIN_NEAR, MAX_NEAR);
    let mut near_runs = Vec::new();
    for is_above in [true, false] {
        let mut near = within(selection, row);
        if is_above {
            near.min_wall = near.min_wall.max(Some(row.p95));
        } else {
            let below = row.p95.saturating_sub(1);
            near.max_wall = Some(near.max_wall.map_or(below, |most| most.min(below)));
        }
        let query = RunQuery {
            selection: near,
            sort: RunSort::Wall,
            ascending: is_above,
            limit: u32::try_from(limit).unwrap_or(1),
            cursor: None,
        };
        let runs = store.runs(&query)?.runs.into_iter();
        let timed = runs.filter(|run| run.unit == "time");
        near_runs.extend(timed.map(|run| (run.id, run.wall)));
    }
    Ok(near_runs.into_iter().unzip())
}
