//! Two selections side by side: what changed, and how sure that is.
//!
//! [`regressions::significance`] judges the changes that the store found.

use std::collections::BTreeSet;

use regressions::significance::{
    Change, Common, Confidence, ENOUGH_NEAR_PERCENTILE, Sides, common, confidence, p95_error,
};
use store::{
    CancelToken, Difference, FunctionChange, RouteRow, RunId, RunQuery, RunSort, Selection, Store,
    TrendOf, TrendStep,
};

/// The runs on each side of the percentile: a fortieth of all, from 5 to 40.
const NEAR_FRACTION: u64 = 40;
const MAX_NEAR: u64 = 40;
const MIN_NEAR: u64 = 5;

/// How two selections differ.
#[derive(Debug)]
pub struct Comparison {
    /// All requests of each.
    pub totals: [RouteRow; 2],
    /// What the comparison of all runs is made of.
    pub sides: Sides,
    /// What changed in the mean run.
    pub mean: Difference,
    /// What changed in the runs near the 95th percentile; none if fewer than ten runs of
    /// a side are kept.
    pub near_p95: Option<NearPercentile>,
}

/// A comparison of the runs near a percentile.
///
/// A percentile is no sum of its functions. So the runs nearest to it are
/// compared: the mean times of their functions add up to about the percentile.
#[derive(Debug)]
pub struct NearPercentile {
    /// What changed in these runs.
    pub difference: Difference,
    /// What the comparison of these runs is made of.
    pub sides: Sides,
}

impl Comparison {
    /// Compares two selections; or returns the number of the one without runs.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub fn of(
        store: &dyn Store,
        selections: &[Selection; 2],
    ) -> store::Result<Result<Self, usize>> {
        let [before, after] = selections;
        let side =
            |selection| store::Result::Ok((store.requests(selection)?, days(store, selection)?));
        let (one, other) = CancelToken::both(|| side(before), || side(after));
        let ((one, one_days), (other, other_days)) = (one?, other?);
        let totals = match (one, other) {
            (Some(before), Some(after)) => [before, after],
            (None, _) => return Ok(Err(0)),
            (_, None) => return Ok(Err(1)),
        };
        let sides = Sides {
            runs: [totals[0].runs, totals[1].runs],
            days: [one_days, other_days],
            error: 0.0,
            enough: [0, 0],
        };
        let (mean, near_p95) = CancelToken::both(
            || store.diff(before, after),
            || near_p95(store, [(before, &totals[0]), (after, &totals[1])], sides),
        );
        Ok(Ok(Self {
            sides,
            mean: mean?,
            near_p95: near_p95?,
            totals,
        }))
    }
}

/// What the functions have in common, and how sure the change of each is.
#[must_use]
pub fn judge(rows: &[FunctionChange], sides: Sides) -> (Common, Vec<Confidence>) {
    let change = |row: &FunctionChange| Change {
        own_before: row.own_before,
        ln_change: row.ln_change,
        z: row.z,
        called: [row.called_before, row.called_after],
    };
    let changes: Vec<Change> = rows.iter().map(change).collect();
    let common = common(&changes);
    let judged = changes.iter().map(|row| confidence(row, common, sides));
    (common, judged.collect())
}

/// How many days have runs: from the sums, so that it takes no longer with more runs.
fn days(store: &dyn Store, selection: &Selection) -> store::Result<u64> {
    let points = store.trend(selection, &TrendOf::Requests, TrendStep::Day)?;
    let days: BTreeSet<i64> = points.iter().map(|point| point.time_s).collect();
    Ok(days.len() as u64)
}

/// Compares the runs near the 95th percentile of both.
fn near_p95(
    store: &dyn Store,
    selections: [(&Selection, &RouteRow); 2],
    sides: Sides,
) -> store::Result<Option<NearPercentile>> {
    let mut near = Vec::new();
    let mut variance = 0.0;
    let [one, other] = selections;
    let (one_runs, other_runs) = CancelToken::both(
        || nearest(store, one.0, one.1),
        || nearest(store, other.0, other.1),
    );
    for ((_, row), found) in selections.into_iter().zip([one_runs, other_runs]) {
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
    let difference = store.diff(before, after)?;
    let sides = Sides {
        runs: [difference.before.runs, difference.after.runs],
        // The percentiles of samples of the same runs differ, too.
        error: variance.sqrt(),
        enough: ENOUGH_NEAR_PERCENTILE,
        ..sides
    };
    Ok(Some(NearPercentile { difference, sides }))
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
