//! The viewer: of a run, and of the sum of a selection.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, Query, State as Shared};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use store::RunId;

use crate::access::Caller;
use crate::api::{Filter, ask};
use crate::problem::Problem;
use crate::state::State;

/// A run in the viewer.
pub(crate) async fn run(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let id: RunId = id.parse().map_err(Problem::bad)?;
    let found = ask(&state, move |store| store.run(&id)).await?;
    let is_visible = |run: &store::Run| caller.app.as_ref().is_none_or(|app| *app == run.info.app);
    let found = found.filter(is_visible);
    let missing = || Problem::new(StatusCode::NOT_FOUND, format!("there is no run {id}"));
    let run = found.ok_or_else(missing)?;
    let title = format!("{} · {id}", run.info.route);
    viewer(&state, run.file, title).await
}

/// The sum of a selection in the viewer.
pub(crate) async fn tree(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
) -> Result<Response, Problem> {
    let selection = filter.selection(&caller)?;
    let (file, runs) = ask(&state, move |store| {
        let sum = store.tree(&selection)?;
        let mut bytes = Vec::new();
        profile::native::write(&sum.profile, &mut bytes)?;
        Ok((bytes, sum.runs))
    })
    .await?;
    viewer(&state, file, format!("{} · {runs} runs", filter.q)).await
}

async fn viewer(state: &Arc<State>, file: Vec<u8>, mut title: String) -> Result<Response, Problem> {
    if state.config.is_demo {
        title.insert_str(0, "demo data · ");
    }
    let shared = Arc::clone(state);
    let page = tokio::task::spawn_blocking(move || (shared.config.viewer)(&file, &title)).await;
    let failed = |reason: String| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, reason);
    let page = page
        .map_err(|error| failed(error.to_string()))?
        .map_err(failed)?;
    let policy = format!("{}; frame-ancestors 'none'", state.config.viewer_policy);
    let policy = HeaderValue::from_str(&policy).map_err(|error| failed(error.to_string()))?;
    Ok(([(header::CONTENT_SECURITY_POLICY, policy)], Html(page)).into_response())
}
