//! One route, or any other selection: its functions, spans and slowest runs.

use std::sync::Arc;

use axum::extract::{Query, State as Shared};
use axum::{Extension, Json};
use serde::Serialize;
use store::{
    FunctionDays, FunctionSort, FunctionTotal, ReleaseInfo, RouteRow, RunInfo, RunQuery, RunSort,
    Selection, SpanTotal, Store,
};
use utoipa::ToSchema;

use super::compared::{float, part};
use super::proposals::{Proposal, of_filter};
use super::routes::DayMean;
use crate::access::Caller;
use crate::api::questions::{Answer, Filter};
use crate::asking::ask;
use crate::problem::Problem;
use crate::state::State;

/// Statements of one text in a run, from which on they look like a loop.
const REPEATED: f64 = 5.0;

/// The most functions, spans and runs.
const FUNCTIONS: usize = 30;
const SPANS: usize = 20;
const SLOWEST: u32 = 10;

/// The runs of a route, or of any other selection.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct RouteOfRuns {
    /// The route, if the selection has one.
    route: Option<String>,
    /// The application, if the selection has one.
    app: Option<String>,
    total: RouteRow,
    /// The mean wall time, in nanoseconds.
    mean: f64,
    /// The share of runs that failed, 0 to 1.
    failed_share: f64,
    /// The part of its application's time that the route takes, 0 to 1; none if the selection is no route.
    share: Option<f64>,
    /// The functions with the most self time.
    functions: Vec<RouteFunction>,
    /// The spans with the most time.
    spans: Vec<RouteSpan>,
    /// The runs with the most time.
    slowest: Vec<RunInfo>,
    /// Its releases, in the order in which they were first seen.
    releases: Vec<ReleaseInfo>,
    /// Comparisons of its runs.
    proposals: Vec<Proposal>,
}

/// A function, by run.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct RouteFunction {
    name: String,
    /// Its part of the time of all runs, 0 to 1.
    share: f64,
    /// Its self time in a run, in nanoseconds, on average.
    own: f64,
    /// Its time with callees in a run.
    wall: f64,
    /// Its self CPU time in a run.
    own_cpu: f64,
    /// The memory that its own code adds in a run, in bytes.
    own_memory: f64,
    /// Its calls in a run.
    calls: f64,
    /// Its self time in a run of each day.
    days: Vec<DayMean>,
}

/// Spans of the same text.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct RouteSpan {
    #[serde(flatten)]
    total: SpanTotal,
    /// How many a run has that has any, on average.
    per_run: f64,
    /// Their time in a run of the route, in nanoseconds, on average.
    wall_per_run: f64,
    /// Their part of the time of all runs, 0 to 1.
    share: f64,
    /// Whether one text comes so often in a run that it looks like a query in a loop.
    is_repeated: bool,
}

/// One route, or any other selection: its functions, spans and slowest runs.
#[utoipa::path(get, path = "/api/v1/pages/route", params(Filter), responses((status = 200, body = RouteOfRuns), (status = 404)))]
pub(crate) async fn route(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
) -> Answer<RouteOfRuns> {
    let selection = filter.selection(&caller)?;
    let text = filter.q.clone();
    let found = ask(&state, move |store| {
        RouteOfRuns::of(store, &selection, &text)
    })
    .await?;
    let missing = || Problem::nothing_matches(&filter.q);
    Ok(Json(found.ok_or_else(missing)?))
}

impl RouteOfRuns {
    fn of(store: &dyn Store, selection: &Selection, filter: &str) -> store::Result<Option<Self>> {
        let Some(total) = store.requests(selection)? else {
            return Ok(None);
        };
        let top = store.top_costs(selection, FunctionSort::OwnWall, FUNCTIONS)?;
        let names: Vec<String> = top.iter().map(|row| row.name.clone()).collect();
        let days = store.function_days(selection, &names)?;
        let slowest = RunQuery {
            selection: selection.clone(),
            sort: RunSort::Wall,
            limit: SLOWEST,
            ..RunQuery::default()
        };
        let releases = store.releases(selection)?;
        let app = selection.app.clone().or_else(|| {
            let last = releases.last()?;
            Some(last.app.clone())
        });
        let functions = top.into_iter().zip(&days);
        let spans = store.spans(selection, SPANS)?.into_iter();
        Ok(Some(Self {
            route: match selection.routes.as_slice() {
                [route] => Some(route.clone()),
                _ => None,
            },
            mean: part(total.wall, total.runs).unwrap_or(0.0),
            failed_share: part(total.failed, total.runs).unwrap_or(0.0),
            share: share(store, selection)?,
            functions: functions
                .map(|(row, days)| RouteFunction::of(row, days, &total))
                .collect(),
            spans: spans.map(|row| RouteSpan::of(row, &total)).collect(),
            slowest: store.runs(&slowest)?.runs,
            proposals: of_filter(filter, app.as_deref().unwrap_or_default(), &releases),
            app: selection.app.clone(),
            releases,
            total,
        }))
    }
}

impl RouteFunction {
    #[expect(clippy::cast_precision_loss, reason = "means")]
    fn of(row: FunctionTotal, days: &FunctionDays, total: &RouteRow) -> Self {
        let runs = float(total.runs.max(1));
        let own = row.own_wall.max(0) as f64;
        Self {
            name: row.name,
            share: own / float(total.wall.max(1)),
            own: own / runs,
            wall: float(row.wall) / runs,
            own_cpu: row.own_cpu.max(0) as f64 / runs,
            own_memory: row.own_memory as f64 / runs,
            calls: float(row.calls) / runs,
            days: days.days.iter().map(DayMean::from).collect(),
        }
    }
}

impl RouteSpan {
    fn of(total: SpanTotal, of: &RouteRow) -> Self {
        let per_run = part(total.calls, total.runs).unwrap_or(0.0);
        Self {
            per_run,
            wall_per_run: part(total.wall, of.runs).unwrap_or(0.0),
            share: part(total.wall, of.wall).unwrap_or(0.0),
            is_repeated: per_run >= REPEATED && total.kind != "other" && total.kind != "stream",
            total,
        }
    }
}

/// The part of its application's time, in the same time, that the route takes.
fn share(store: &dyn Store, selection: &Selection) -> store::Result<Option<f64>> {
    let [route] = selection.routes.as_slice() else {
        return Ok(None);
    };
    if selection.app.is_none() || !selection.is_of_hours() {
        return Ok(None);
    }
    let all = Selection {
        routes: Vec::new(),
        ..selection.clone()
    };
    let rows = store.routes(&all)?;
    let found = rows.iter().find(|row| row.route == *route);
    Ok(found.map(|row| row.share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_repeat_in_a_run_look_like_a_loop() {
        let of = |kind: &str, calls| {
            let span = SpanTotal {
                kind: kind.to_owned(),
                runs: 10,
                calls,
                wall: 500,
                ..SpanTotal::default()
            };
            let total = RouteRow {
                runs: 20,
                wall: 1000,
                ..RouteRow::default()
            };
            RouteSpan::of(span, &total)
        };
        assert!(of("sql", 50).is_repeated && of("redis", 60).is_repeated);
        assert!(!of("sql", 49).is_repeated && !of("stream", 500).is_repeated);
        let span = of("sql", 50);
        assert_eq!(
            (span.per_run, span.wall_per_run, span.share),
            (5.0, 25.0, 0.5)
        );
    }
}
