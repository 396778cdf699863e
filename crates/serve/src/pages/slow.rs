//! Which functions explain a change of the 95th percentile.
//!
//! A percentile is no sum of its functions. So the runs nearest to it are
//! compared: the mean times of their functions add up to about the percentile.

use store::{Difference, RouteRow, RunQuery, RunSort, Selection, Store};

/// The runs on each side of the percentile: a fortieth of all, from 5 to 40.
const PART: u64 = 40;
const MOST: u64 = 40;
const LEAST: u64 = 5;

/// Compares the runs near the 95th percentile of both; none if fewer than ten
/// runs of a side are kept.
pub(super) fn near_p95(
    store: &dyn Store,
    sides: [(&Selection, &RouteRow); 2],
) -> store::Result<Option<Difference>> {
    let mut near = Vec::new();
    for (selection, row) in sides {
        let near_of_side = nearest(store, selection, row)?;
        if near_of_side.ids.len() < 10 {
            return Ok(None);
        }
        near.push(near_of_side);
    }
    match near.as_slice() {
        [before, after] => Ok(Some(store.diff(before, after)?)),
        _ => Ok(None),
    }
}

fn nearest(store: &dyn Store, selection: &Selection, row: &RouteRow) -> store::Result<Selection> {
    let limit = (row.runs / PART).clamp(LEAST, MOST);
    let mut ids = Vec::new();
    for is_above in [true, false] {
        let mut near = selection.clone();
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
        ids.extend(runs.filter(|run| run.unit == "time").map(|run| run.id));
    }
    Ok(Selection {
        ids,
        ..Selection::default()
    })
}
