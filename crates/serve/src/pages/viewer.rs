//! The viewer: of a run, of the sum of a selection, and of two of either.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, Query, State as Shared};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use store::{Aggregate, RunId};

use crate::access::Caller;
use crate::admission::work::run_blocking;
use crate::api::{Both, Filter, ask, found, selection};
use crate::problem::Problem;
use crate::state::{State, Viewed, ViewedFile};

/// A run in the viewer.
pub(crate) async fn run(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let run = found(&state, &caller, &id).await?;
    let title = format!("{} · {id}", run.info.route);
    let file = ViewedFile {
        name: title.clone(),
        bytes: run.file,
    };
    viewer(&state, title, file, None).await
}

/// The sum of a selection in the viewer.
pub(crate) async fn tree(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
) -> Result<Response, Problem> {
    let selection = filter.selection(&caller)?;
    let (bytes, runs) = ask(&state, move |store| {
        let sum = store.tree(&selection)?;
        let mut bytes = Vec::new();
        profile::native::write(&sum.profile, &mut bytes)?;
        Ok((bytes, sum.runs))
    })
    .await?;
    let title = format!("{} · {runs} runs", filter.q);
    let file = ViewedFile {
        name: title.clone(),
        bytes,
    };
    viewer(&state, title, file, None).await
}

/// Two runs.
#[derive(Debug, serde::Deserialize)]
pub(crate) struct TwoRuns {
    base: String,
    new: String,
}

/// Two runs in the viewer: what changed from the first to the second.
pub(crate) async fn two_runs(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(TwoRuns { base, new }): Query<TwoRuns>,
) -> Result<Response, Problem> {
    let base = found(&state, &caller, &base).await?;
    let new = found(&state, &caller, &new).await?;
    let name = |id: RunId, route: &str| format!("{route} {id}");
    let title = format!(
        "{}, compared with {}",
        new.info.route,
        name(base.info.id, &base.info.route)
    );
    let file = |run: store::Run| ViewedFile {
        name: name(run.info.id, &run.info.route),
        bytes: run.file,
    };
    viewer(&state, title, file(new), Some(file(base))).await
}

/// The sums of two selections in the viewer, as costs of a thousand runs each.
pub(crate) async fn two_trees(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(both): Query<Both>,
) -> Result<Response, Problem> {
    let before = selection(&both.before, &caller)?;
    let after = selection(&both.after, &caller)?;
    let (before, after) = ask(&state, move |store| {
        Ok((side(store.tree(&before)?)?, side(store.tree(&after)?)?))
    })
    .await?;
    for (filter, (_, runs)) in [(&both.before, &before), (&both.after, &after)] {
        if *runs == 0 {
            let reason = format!("no run matches the filter “{filter}”");
            return Err(Problem::new(StatusCode::NOT_FOUND, reason));
        }
    }
    let name = |filter: &str, runs: u64| format!("{filter} ({runs} runs)");
    let (before_name, after_name) = (name(&both.before, before.1), name(&both.after, after.1));
    let title = format!("{after_name}, compared with {before_name}; costs of 1000 runs");
    let new = ViewedFile {
        name: after_name,
        bytes: after.0,
    };
    let base = ViewedFile {
        name: before_name,
        bytes: before.0,
    };
    viewer(&state, title, new, Some(base)).await
}

fn side(sum: Aggregate) -> store::Result<(Vec<u8>, u64)> {
    let runs = sum.runs;
    let mut bytes = Vec::new();
    profile::native::write(&sum.per_thousand_runs(), &mut bytes)?;
    Ok((bytes, runs))
}

async fn viewer(
    state: &Arc<State>,
    mut title: String,
    file: ViewedFile,
    base: Option<ViewedFile>,
) -> Result<Response, Problem> {
    if state.config.demo.is_some() {
        title.insert_str(0, "demo data · ");
    }
    let shared = Arc::clone(state);
    let viewed = Viewed { title, file, base };
    let page = move || (shared.config.viewer)(viewed);
    let page = run_blocking(&state.admission.query_slots, page).await?;
    let failed = |reason: String| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, reason);
    let page = page.map_err(failed)?;
    let policy = format!("{}; frame-ancestors 'none'", state.config.viewer_policy);
    let policy = HeaderValue::from_str(&policy).map_err(|error| failed(error.to_string()))?;
    Ok(([(header::CONTENT_SECURITY_POLICY, policy)], Html(page)).into_response())
}
