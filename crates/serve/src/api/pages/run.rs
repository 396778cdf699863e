//! A run among the others of its route.

use std::sync::Arc;

use axum::extract::{Path, State as Shared};
use axum::{Extension, Json};
use serde::Serialize;
use store::{RouteRow, RunInfo, RunQuery, RunSort, Selection, Store};
use utoipa::ToSchema;

use super::compared::{Compared, LEAST, float};
use super::window::HOUR_US;
use crate::access::Caller;
use crate::api::questions::{Answer, found};
use crate::asking::ask;
use crate::state::State;

/// How far from a run its usual runs are looked for.
const AROUND_US: u64 = 7 * 24 * HOUR_US;

/// The most siblings.
const SIBLINGS: u32 = 12;

/// A run and what is around it.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct RunContext {
    run: RunInfo,
    /// The run of the same route that began before it.
    previous: Option<RunInfo>,
    /// The one that began after it.
    next: Option<RunInfo>,
    /// The latest runs of its route under its release.
    siblings: Vec<RunInfo>,
    /// A run of its route under its release whose time is the median, to compare with.
    usual: Option<RunInfo>,
    /// All runs of the route under the release, seven days around it; none without times.
    route: Option<RouteRow>,
    /// Its wall time against the median.
    wall: Option<Compared>,
    /// Its peak against the mean.
    peak: Option<Compared>,
    /// The address of its trace, if the server has a template and the run is in a trace.
    trace: Option<String>,
}

/// A run with its neighbours, and the usual run of its route.
#[utoipa::path(get, path = "/api/v1/pages/run/{id}", params(("id" = String, Path)), responses((status = 200, body = RunContext), (status = 404)))]
pub(crate) async fn run(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Answer<RunContext> {
    let run = found(&state, &caller, &id).await?.info;
    let trace = state.config.trace_url.as_ref();
    let trace = trace.and_then(|template| template.of(&run));
    let context = ask(&state, move |store| RunContext::of(store, run)).await?;
    Ok(Json(RunContext { trace, ..context }))
}

impl RunContext {
    fn of(store: &dyn Store, run: RunInfo) -> store::Result<Self> {
        let of_route = Selection {
            app: Some(run.app.clone()),
            // A star in a name would be any text, which selects this route, too.
            routes: vec![run.route.clone()],
            ..Selection::default()
        };
        let is_other = |other: &RunInfo| other.route == run.route && other.id != run.id;
        let one = |selection: Selection, sort, ascending| {
            let query = RunQuery {
                selection,
                sort,
                ascending,
                limit: SIBLINGS,
                cursor: None,
            };
            let runs = store.runs(&query)?.runs.into_iter();
            store::Result::Ok(runs.filter(is_other).collect::<Vec<RunInfo>>())
        };
        let before = Selection {
            until_us: Some(run.started_us),
            ..of_route.clone()
        };
        let after = Selection {
            since_us: Some(run.started_us.saturating_add(1)),
            ..of_route.clone()
        };
        let around = Selection {
            releases: vec![run.release.clone()],
            since_us: Some(run.started_us.saturating_sub(AROUND_US)),
            until_us: Some(run.started_us.saturating_add(AROUND_US)),
            ..of_route
        };
        let route = store.requests(&around)?;
        let median = route.as_ref().map(|row| row.p50);
        let usual = match median {
            Some(median) => usual(one, &around, median)?,
            None => None,
        };
        let runs = [route.as_ref().map_or(0, |row| row.runs), u64::MAX];
        let is_time = run.unit == "time";
        Ok(Self {
            previous: one(before, RunSort::Started, false)?.into_iter().next(),
            next: one(after, RunSort::Started, true)?.into_iter().next(),
            siblings: one(around.clone(), RunSort::Started, false)?,
            usual,
            wall: median.filter(|_| is_time).map(|median| {
                Compared::cost(Some(float(median)), Some(float(run.wall)), runs, LEAST)
            }),
            peak: route
                .as_ref()
                .and_then(|row| row.mean_peak)
                .zip(run.peak)
                .map(|(mean, peak)| {
                    Compared::cost(Some(float(mean)), Some(float(peak)), runs, LEAST)
                }),
            route,
            run,
            trace: None,
        })
    }
}

/// The other run whose time is nearest to the median.
fn usual(
    runs: impl Fn(Selection, RunSort, bool) -> store::Result<Vec<RunInfo>>,
    around: &Selection,
    median: u64,
) -> store::Result<Option<RunInfo>> {
    let above = Selection {
        min_wall: Some(median),
        ..around.clone()
    };
    let below = Selection {
        max_wall: Some(median),
        ..around.clone()
    };
    let found = runs(above, RunSort::Wall, true)?;
    let found = found.into_iter().chain(runs(below, RunSort::Wall, false)?);
    Ok(found
        .filter(|run| run.unit == "time" && !run.failed)
        .min_by_key(|run| run.wall.abs_diff(median)))
}
