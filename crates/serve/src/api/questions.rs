//! Questions to the store, and their answers as JSON.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::extract::{Path, Query, State as Shared};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use store::{
    AppInfo, DayCount, Facets, FunctionChange, FunctionDetail, FunctionSort, FunctionTotal,
    ReleaseInfo, RouteRow, RunId, RunInfo, RunPage, RunQuery, RunSort, Selection, SpanTotal, Stats,
    TrendOf, TrendPoint, TrendStep,
};
use utoipa::{IntoParams, ToSchema};

use crate::access::{Caller, Scope};
use crate::admission::work::run_blocking;
use crate::asking::{ask, change};
use crate::filter;
use crate::problem::Problem;
use crate::state::State;

pub(super) type Answer<T> = Result<Json<T>, Problem>;

/// A filter, as people type it.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Filter {
    /// Such as `route:/cart* wall:>200ms release:2026.11 since:7d`.
    #[serde(default)]
    pub(crate) q: String,
}

impl Filter {
    /// The selection, within the application that the caller may see.
    pub(crate) fn selection(&self, caller: &Caller) -> Result<Selection, Problem> {
        selection(&self.q, caller)
    }
}

pub(crate) fn selection(filter: &str, caller: &Caller) -> Result<Selection, Problem> {
    let mut selection = filter::selection(filter).map_err(Problem::bad)?;
    if let Some(app) = &selection.app {
        for_app(caller, app)?;
    }
    selection.app = caller.app.clone().or(selection.app);
    Ok(selection)
}

/// Whether the server works. It asks nothing and waits for nothing, so it needs no token.
#[utoipa::path(get, path = "/healthz", responses((status = 200, body = String)))]
pub(crate) async fn health() -> &'static str {
    "ok\n"
}

/// Whether the store answers, and is not damaged: at most once a second, and within two. It
/// needs no token.
#[utoipa::path(get, path = "/readyz", responses((status = 200, body = String), (status = 503)))]
pub(crate) async fn ready(Shared(state): Shared<Arc<State>>) -> Result<&'static str, Problem> {
    let answer = state.admission.ready.of(&state.config.store).await;
    let not_ready = |reason: String| {
        tracing::warn!(reason, "the server is not ready");
        // Clients without a token may ask: the log has the rest.
        Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the store does not answer as it should",
        )
    };
    answer.map(|()| "ok\n").map_err(not_ready)
}

/// Says of other applications to a token of one what is said of those that do not
/// exist.
pub(super) fn for_app(caller: &Caller, app: &str) -> Result<(), Problem> {
    if caller.sees(app) {
        return Ok(());
    }
    let reason = format!("this token sees no application {app}");
    Err(Problem::new(StatusCode::NOT_FOUND, reason))
}

/// Refuses a token of one application what counts all of them.
pub(super) fn for_all(caller: &Caller) -> Result<(), Problem> {
    if caller.app.is_some() {
        let reason = "this token is for one application, and this counts all of them";
        return Err(Problem::new(StatusCode::FORBIDDEN, reason));
    }
    Ok(())
}

/// Counters for Prometheus.
#[utoipa::path(get, path = "/metrics", responses((status = 200, body = String)))]
pub(crate) async fn metrics(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
) -> Result<String, Problem> {
    for_all(&caller)?;
    let shared = Arc::clone(&state);
    let size = move || shared.recent_size(&*shared.config.store);
    let stats = run_blocking(&state.admission.counter_slots, size).await??;
    let crashed = state.config.readers.crashed.load(Ordering::Relaxed);
    Ok(state.counters.text(&stats, crashed, &state.admission))
}

/// The order and the part of a list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Paging {
    /// The order.
    #[serde(default)]
    sort: RunSort,
    /// The least first.
    #[serde(default)]
    ascending: bool,
    /// How many, at most 1,000.
    limit: Option<u32>,
    /// The `next` of the page before.
    cursor: Option<String>,
}

/// A page of the list of runs.
#[utoipa::path(get, path = "/api/v1/runs", params(Filter, Paging), responses((status = 200, body = RunPage)))]
pub(crate) async fn runs(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
    Query(part): Query<Paging>,
) -> Answer<RunPage> {
    let query = RunQuery {
        selection: filter.selection(&caller)?,
        sort: part.sort,
        ascending: part.ascending,
        limit: part.limit.unwrap_or(100),
        cursor: part.cursor,
    };
    Ok(Json(ask(&state, move |store| store.runs(&query)).await?))
}

/// How many runs of a selection each route, release, host, status and tag has.
#[utoipa::path(get, path = "/api/v1/facets", params(Filter), responses((status = 200, body = Facets)))]
pub(crate) async fn facets(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
) -> Answer<Facets> {
    let selection = filter.selection(&caller)?;
    Ok(Json(
        ask(&state, move |store| store.facets(&selection)).await?,
    ))
}

/// The run of an address, if the caller may see it.
pub(crate) async fn found(
    state: &Arc<State>,
    caller: &Caller,
    id: &str,
) -> Result<store::Run, Problem> {
    let id: RunId = id.parse().map_err(Problem::bad)?;
    let run = ask(state, move |store| store.run(&id)).await?;
    let is_visible = |run: &store::Run| caller.sees(&run.info.app);
    let missing = || Problem::new(StatusCode::NOT_FOUND, format!("there is no run {id}"));
    run.filter(is_visible).ok_or_else(missing)
}

/// What the list shows of a run.
#[utoipa::path(get, path = "/api/v1/runs/{id}", params(("id" = String, Path)), responses((status = 200, body = RunInfo)))]
pub(crate) async fn run(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Answer<RunInfo> {
    Ok(Json(found(&state, &caller, &id).await?.info))
}

/// A run's native file.
#[utoipa::path(get, path = "/api/v1/runs/{id}/file", params(("id" = String, Path)), responses((status = 200, content_type = "application/octet-stream")))]
pub(crate) async fn run_file(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let run = found(&state, &caller, &id).await?;
    Ok(file(run.file, &format!("{}.xhp", run.info.id)))
}

pub(crate) fn file(bytes: Vec<u8>, name: &str) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    (headers, bytes).into_response()
}

/// Deletes a run, and takes it out of the sums.
#[utoipa::path(delete, path = "/api/v1/runs/{id}", params(("id" = String, Path)), responses((status = 204)))]
pub(crate) async fn delete_run(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let id = found(&state, &caller, &id).await?.info.id;
    change(&state, move |store| store.delete(&[id])).await?;
    tracing::info!(target: "audit", by = caller.name, run = %id, "deleted");
    Ok(StatusCode::NO_CONTENT)
}

/// A label.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct Label {
    /// Empty removes it.
    label: String,
}

/// Gives a run a label: labelled runs are not removed by age. The token needs the scopes write
/// and read.
#[utoipa::path(put, path = "/api/v1/runs/{id}/label", params(("id" = String, Path)), request_body = Label, responses((status = 204)))]
pub(crate) async fn label_run(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Json(label): Json<Label>,
) -> Result<StatusCode, Problem> {
    // A token that only sends runs must not decide how long they are kept.
    if !caller.may(Scope::Read) {
        let reason = "a label keeps a run: this token needs the scope read, too";
        return Err(Problem::new(StatusCode::FORBIDDEN, reason));
    }
    let id = found(&state, &caller, &id).await?.info.id;
    change(&state, move |store| store.label(&id, &label.label)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The applications.
#[utoipa::path(get, path = "/api/v1/apps", responses((status = 200, body = Vec<AppInfo>)))]
pub(crate) async fn apps(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
) -> Answer<Vec<AppInfo>> {
    Ok(Json(visible_apps(&state, &caller).await?))
}

/// The applications that the caller may see.
pub(crate) async fn visible_apps(
    state: &Arc<State>,
    caller: &Caller,
) -> Result<Vec<AppInfo>, Problem> {
    let mut apps = ask(state, |store| store.apps()).await?;
    apps.retain(|app| caller.sees(&app.name));
    Ok(apps)
}

/// The routes of a selection, those with the most time first.
#[utoipa::path(get, path = "/api/v1/routes", params(Filter), responses((status = 200, body = Vec<RouteRow>)))]
pub(crate) async fn all_routes(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
) -> Answer<Vec<RouteRow>> {
    let selection = filter.selection(&caller)?;
    Ok(Json(
        ask(&state, move |store| store.routes(&selection)).await?,
    ))
}

/// The releases of a selection.
#[utoipa::path(get, path = "/api/v1/releases", params(Filter), responses((status = 200, body = Vec<ReleaseInfo>)))]
pub(crate) async fn releases(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
) -> Answer<Vec<ReleaseInfo>> {
    let selection = filter.selection(&caller)?;
    Ok(Json(
        ask(&state, move |store| store.releases(&selection)).await?,
    ))
}

/// The number of runs of each day.
#[utoipa::path(get, path = "/api/v1/days", params(Filter), responses((status = 200, body = Vec<DayCount>)))]
pub(crate) async fn days(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
) -> Answer<Vec<DayCount>> {
    let selection = filter.selection(&caller)?;
    Ok(Json(
        ask(&state, move |store| store.days(&selection)).await?,
    ))
}

/// The subject and step of a trend.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct TrendQuery {
    /// A function; requests if there is none.
    function: Option<String>,
    /// The length of a step.
    #[serde(default)]
    step: TrendStep,
}

/// How requests or a function changed over time, by release.
#[utoipa::path(get, path = "/api/v1/trend", params(Filter, TrendQuery), responses((status = 200, body = Vec<TrendPoint>)))]
pub(crate) async fn trend(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
    Query(trend): Query<TrendQuery>,
) -> Answer<Vec<TrendPoint>> {
    let selection = filter.selection(&caller)?;
    let of = trend.function.map_or(TrendOf::Requests, TrendOf::Function);
    let points = ask(&state, move |store| {
        store.trend(&selection, &of, trend.step)
    })
    .await?;
    Ok(Json(points))
}

/// The order of functions, and how many.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct TopQuery {
    /// The order.
    #[serde(default)]
    sort: FunctionSort,
    /// How many, at most 10,000.
    limit: Option<u32>,
}

/// The functions of a selection.
#[utoipa::path(get, path = "/api/v1/functions", params(Filter, TopQuery), responses((status = 200, body = Vec<FunctionTotal>)))]
pub(crate) async fn functions(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
    Query(top): Query<TopQuery>,
) -> Answer<Vec<FunctionTotal>> {
    let selection = filter.selection(&caller)?;
    let limit = top.limit.unwrap_or(100).min(10_000) as usize;
    let rows = ask(&state, move |store| store.top(&selection, top.sort, limit)).await?;
    Ok(Json(rows))
}

/// A function's name.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct NameQuery {
    /// The name.
    pub(super) name: String,
}

/// Where a function is called from, and on which routes.
#[utoipa::path(get, path = "/api/v1/function", params(Filter, NameQuery), responses((status = 200, body = FunctionDetail), (status = 404)))]
pub(crate) async fn function(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
    Query(NameQuery { name }): Query<NameQuery>,
) -> Answer<FunctionDetail> {
    let selection = filter.selection(&caller)?;
    let asked = name.clone();
    let found = ask(&state, move |store| store.function(&selection, &asked)).await?;
    let missing = || Problem::new(StatusCode::NOT_FOUND, format!("no run calls {name}"));
    Ok(Json(found.ok_or_else(missing)?))
}

/// What the costs of a sum are of.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct TreeQuery {
    /// `run`: the costs of an average run, so that sums of different numbers of runs can be compared. Without it,
    /// those of all runs.
    per: Option<Per>,
}

/// What the costs of a sum are of.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Per {
    /// An average run.
    Run,
}

/// The header with the number of runs in a sum.
const RUNS_HEADER: &str = "x-xhprof-runs";

/// The sum of the calls of a selection, as a native file. The header `X-Xhprof-Runs` has the number of its runs.
#[utoipa::path(get, path = "/api/v1/tree", params(Filter, TreeQuery), responses((status = 200, content_type = "application/octet-stream"), (status = 404)))]
pub(crate) async fn tree(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
    Query(TreeQuery { per }): Query<TreeQuery>,
) -> Result<Response, Problem> {
    let selection = filter.selection(&caller)?;
    let (bytes, runs) = ask(&state, move |store| {
        let sum = store.tree(&selection)?;
        let runs = sum.runs;
        let profile = match per {
            Some(Per::Run) => sum.per_run(),
            None => sum.profile,
        };
        let mut bytes = Vec::new();
        profile::native::write(&profile, &mut bytes)?;
        Ok((bytes, runs))
    })
    .await?;
    // Nothing cannot be compared with.
    if runs == 0 && per.is_some() {
        return Err(Problem::nothing_matches(&filter.q));
    }
    let mut answer = file(bytes, "tree.xhp");
    answer.headers_mut().insert(RUNS_HEADER, runs.into());
    Ok(answer)
}

/// Two filters.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Both {
    /// The filter of the runs before.
    #[serde(default)]
    pub(crate) before: String,
    /// The filter of the runs after.
    #[serde(default)]
    pub(crate) after: String,
}

/// How two selections differ.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Difference {
    /// The runs before.
    pub(crate) before_runs: u64,
    /// The runs after.
    pub(crate) after_runs: u64,
    /// The functions, those first whose self time changed most.
    pub(crate) functions: Vec<FunctionChange>,
}

impl Both {
    pub(crate) async fn answer(
        &self,
        state: &Arc<State>,
        caller: &Caller,
    ) -> Result<Difference, Problem> {
        let before = selection(&self.before, caller)?;
        let after = selection(&self.after, caller)?;
        let found = ask(state, move |store| store.diff(&before, &after)).await?;
        Ok(Difference {
            before_runs: found.before.runs,
            after_runs: found.after.runs,
            functions: found.functions,
        })
    }
}

/// How two selections differ, by run.
#[utoipa::path(get, path = "/api/v1/diff", params(Both), responses((status = 200, body = Difference)))]
pub(crate) async fn diff(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(both): Query<Both>,
) -> Answer<Difference> {
    Ok(Json(both.answer(&state, &caller).await?))
}

/// The spans of a selection.
#[utoipa::path(get, path = "/api/v1/spans", params(Filter), responses((status = 200, body = Vec<SpanTotal>)))]
pub(crate) async fn spans(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
) -> Answer<Vec<SpanTotal>> {
    let selection = filter.selection(&caller)?;
    Ok(Json(
        ask(&state, move |store| store.spans(&selection, 200)).await?,
    ))
}

/// How much there is.
#[utoipa::path(get, path = "/api/v1/stats", responses((status = 200, body = Stats)))]
pub(crate) async fn stats(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
) -> Answer<Stats> {
    for_all(&caller)?;
    Ok(Json(ask(&state, |store| store.stats()).await?))
}
