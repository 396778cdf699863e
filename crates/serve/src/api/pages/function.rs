//! One function of many runs: over time, on which routes, by whom it is called.

use std::sync::Arc;

use axum::extract::{Query, State as Shared};
use axum::http::StatusCode;
use axum::{Extension, Json};
use serde::Serialize;
use store::{FunctionDetail, FunctionRoute, Neighbour, ReleaseInfo, TrendPoint};
use utoipa::ToSchema;

use super::compared::{float, part};
use crate::access::Caller;
use crate::api::questions::{Answer, Filter, NameQuery};
use crate::asking::ask;
use crate::problem::Problem;
use crate::state::State;

/// The most routes.
const MAX_ROUTES: usize = 100;

/// A function of a selection; its costs are those of a run, on average.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct FunctionOfRuns {
    name: String,
    /// The runs of the selection on the routes that call it.
    runs: u64,
    /// The runs that called it, if that is known: for whole days.
    called: Option<u64>,
    /// All calls.
    calls: u64,
    /// All self time, in nanoseconds.
    own: f64,
    /// All time with callees.
    wall: f64,
    per_run: FunctionCost,
    /// The median of its time with callees, of the runs that called it.
    p50: Option<u64>,
    /// Of 100 such runs, 95 took at most this.
    p95: Option<u64>,
    /// By day and release, in their order.
    days: Vec<FunctionDay>,
    /// The routes on which it was called, those with the most self time first.
    routes: Vec<FunctionOnRoute>,
    /// Its callers, those with the most time first.
    callers: Vec<NeighbourRow>,
    callees: Vec<NeighbourRow>,
    /// The releases of the selection.
    releases: Vec<ReleaseInfo>,
}

/// What a function costs in a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct FunctionCost {
    /// The calls.
    calls: f64,
    /// Self time, in nanoseconds.
    own: f64,
    /// Time with callees.
    wall: f64,
    /// Self CPU time.
    own_cpu: f64,
    /// The memory that its own code adds, in bytes.
    own_memory: f64,
}

/// A function on a day, under one release.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct FunctionDay {
    /// The day, in seconds since 1970.
    time_s: i64,
    release: String,
    /// The runs, also those that did not call it.
    runs: u64,
    per_run: FunctionCost,
    p50: Option<u64>,
    p95: Option<u64>,
}

/// A function on one route.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct FunctionOnRoute {
    app: String,
    route: String,
    /// All runs of the route.
    runs: u64,
    per_run: FunctionCost,
    /// The part of the function's self time that is spent here, 0 to 1.
    part: f64,
}

/// A caller or a callee.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct NeighbourRow {
    name: String,
    /// The calls between, in a run.
    calls: f64,
    /// Their time in a run, in nanoseconds.
    wall: f64,
    /// Their CPU time in a run.
    cpu: f64,
    /// Their part of the function's time with callees, 0 to 1.
    share: f64,
}

/// A function of a selection: over time, on which routes, by whom it is called.
#[utoipa::path(get, path = "/api/v1/pages/function", params(Filter, NameQuery), responses((status = 200, body = FunctionOfRuns), (status = 404)))]
pub(crate) async fn function(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
    Query(NameQuery { name }): Query<NameQuery>,
) -> Answer<FunctionOfRuns> {
    let selection = filter.selection(&caller)?;
    let asked = name.clone();
    let found = ask(&state, move |store| {
        let detail = store.function(&selection, &asked)?;
        let Some(detail) = detail else {
            return Ok(None);
        };
        Ok(Some(FunctionOfRuns::of(
            &detail,
            store.releases(&selection)?,
        )))
    });
    let missing = || {
        let reason = format!("no run of this filter calls {name}");
        Problem::new(StatusCode::NOT_FOUND, reason)
    };
    Ok(Json(found.await?.ok_or_else(missing)?))
}

#[expect(clippy::cast_precision_loss, reason = "means")]
impl FunctionOfRuns {
    fn of(detail: &FunctionDetail, releases: Vec<ReleaseInfo>) -> Self {
        let total = &detail.total;
        let runs: u64 = detail.routes.iter().map(|route| route.route_runs).sum();
        let own = total.own_wall.max(0) as f64;
        let neighbours = |rows: &[Neighbour]| {
            let rows = rows.iter();
            rows.map(|row| NeighbourRow {
                name: row.name.clone(),
                calls: part(row.calls, runs).unwrap_or(0.0),
                wall: part(row.wall, runs).unwrap_or(0.0),
                cpu: part(row.cpu, runs).unwrap_or(0.0),
                share: part(row.wall, total.wall).unwrap_or(0.0),
            })
            .collect()
        };
        Self {
            name: total.name.clone(),
            runs,
            called: total.runs,
            calls: total.calls,
            own,
            wall: float(total.wall),
            per_run: FunctionCost::of_total(total, runs),
            p50: total.p50,
            p95: total.p95,
            days: detail.days.iter().map(FunctionDay::of).collect(),
            routes: detail
                .routes
                .iter()
                .take(MAX_ROUTES)
                .map(|row| FunctionOnRoute::of(row, own))
                .collect(),
            callers: neighbours(&detail.callers),
            callees: neighbours(&detail.callees),
            releases,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "means")]
impl FunctionCost {
    fn of_total(total: &store::FunctionTotal, runs: u64) -> Self {
        let runs = float(runs.max(1));
        Self {
            calls: float(total.calls) / runs,
            own: total.own_wall.max(0) as f64 / runs,
            wall: float(total.wall) / runs,
            own_cpu: total.own_cpu.max(0) as f64 / runs,
            own_memory: total.own_memory as f64 / runs,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "means")]
impl FunctionDay {
    fn of(point: &TrendPoint) -> Self {
        let runs = float(point.runs.max(1));
        Self {
            time_s: point.time_s,
            release: point.release.clone(),
            runs: point.runs,
            per_run: FunctionCost {
                calls: float(point.calls) / runs,
                own: point.own_wall.max(0) as f64 / runs,
                wall: float(point.wall) / runs,
                own_cpu: point.own_cpu.max(0) as f64 / runs,
                own_memory: point.own_memory as f64 / runs,
            },
            p50: point.p50,
            p95: point.p95,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "means")]
impl FunctionOnRoute {
    fn of(row: &FunctionRoute, own_of_all: f64) -> Self {
        Self {
            app: row.app.clone(),
            route: row.route.clone(),
            runs: row.route_runs,
            per_run: FunctionCost::of_total(&row.total, row.route_runs),
            part: row.total.own_wall as f64 / own_of_all.max(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::FunctionTotal;

    #[test]
    fn costs_are_those_of_a_run() {
        let total = FunctionTotal {
            name: "f".to_owned(),
            calls: 60,
            wall: 2000,
            own_wall: 1000,
            ..FunctionTotal::default()
        };
        let detail = FunctionDetail {
            routes: vec![FunctionRoute {
                route_runs: 20,
                total: total.clone(),
                ..FunctionRoute::default()
            }],
            callers: vec![Neighbour {
                name: "main()".to_owned(),
                calls: 60,
                wall: 500,
                cpu: 0,
            }],
            total,
            ..FunctionDetail::default()
        };
        let found = FunctionOfRuns::of(&detail, Vec::new());
        assert_eq!(found.per_run.calls, 3.0);
        assert_eq!((found.per_run.own, found.per_run.wall), (50.0, 100.0));
        assert_eq!(found.routes[0].part, 1.0);
        assert_eq!(
            (found.callers[0].share, found.callers[0].wall),
            (0.25, 25.0)
        );
    }
}
