//! Sums of a selection: of all its requests, and by day of many routes or
//! functions at once.

use std::sync::Arc;

use axum::Extension;
use axum::Json;
use axum::extract::{Query, State as Shared};
use store::{FunctionDays, RouteDays, RouteRow};
use utoipa::IntoParams;

use super::questions::{Answer, Filter, selection};
use crate::access::Caller;
use crate::asking::ask;
use crate::problem::Problem;
use crate::state::State;

/// The most functions of one question.
const MAX_FUNCTIONS: usize = 100;

/// All requests of a selection as if they were of one route, whose names are
/// empty.
#[utoipa::path(get, path = "/api/v1/requests", params(Filter), responses((status = 200, body = RouteRow), (status = 404)))]
pub(crate) async fn requests(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
) -> Answer<RouteRow> {
    let selection = filter.selection(&caller)?;
    let found = ask(&state, move |store| store.requests(&selection)).await?;
    let missing = || Problem::nothing_matches(&filter.q);
    Ok(Json(found.ok_or_else(missing)?))
}

/// The days of each route: its runs, their calls and their time.
#[utoipa::path(get, path = "/api/v1/routes/days", params(Filter), responses((status = 200, body = Vec<RouteDays>)))]
pub(crate) async fn route_days(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
) -> Answer<Vec<RouteDays>> {
    let selection = filter.selection(&caller)?;
    Ok(Json(
        ask(&state, move |store| store.route_days(&selection)).await?,
    ))
}

/// The functions of a question.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes what `function_days` reads")]
pub(crate) struct Names {
    /// A function; several are given as `name=a&name=b`, at most 100.
    name: Vec<String>,
}

/// The days of functions: the runs, the calls and the self time, in the order of
/// the names.
#[utoipa::path(get, path = "/api/v1/functions/days", params(Filter, Names), responses((status = 200, body = Vec<FunctionDays>)))]
pub(crate) async fn function_days(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(asked): Query<Vec<(String, String)>>,
) -> Answer<Vec<FunctionDays>> {
    let filter = asked.iter().find(|(key, _)| key == "q");
    let selection = selection(filter.map_or("", |(_, filter)| filter), &caller)?;
    let names = asked.iter().filter(|(key, _)| key == "name");
    let names: Vec<String> = names.map(|(_, name)| name.clone()).collect();
    if names.is_empty() || names.len() > MAX_FUNCTIONS {
        return Err(Problem::bad(format!(
            "{} functions: give 1 to {MAX_FUNCTIONS}, as name=a&name=b",
            names.len()
        )));
    }
    let days = ask(&state, move |store| store.function_days(&selection, &names));
    Ok(Json(days.await?))
}
