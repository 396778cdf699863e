//! XHProf's own links: `index.php?run=ID&source=NAME`.
//!
//! A run that was taken from XHProf's folder of saved runs keeps both names as
//! tags, so links that were written down before open it.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Query, Request, State as Shared};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;
use store::{RunId, RunQuery, Selection};

use crate::access::Caller;
use crate::api::ask;
use crate::problem::Problem;
use crate::saved::{RUN, SOURCE};
use crate::state::State;

/// The most runs of one link.
const MAX_RUNS: usize = 100;

/// The query of XHProf's `index.php` and `callgraph.php`.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Link {
    run: Option<String>,
    run1: Option<String>,
    run2: Option<String>,
    source: Option<String>,
}

/// Sends `/?run=…` on to `/index.php?run=…`; the list has no such parameters.
pub(crate) async fn link_first(request: Request, next: Next) -> Response {
    let query = request.uri().query().unwrap_or_default();
    let is_link = query
        .split('&')
        .any(|pair| pair.starts_with("run=") || pair.starts_with("run1="));
    if is_link {
        return Redirect::temporary(&format!("/index.php?{query}")).into_response();
    }
    next.run(request).await
}

/// Opens what one of XHProf's links shows: a run, the sum of several, or the
/// comparison of two.
pub(crate) async fn open(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(link): Query<Link>,
) -> Result<Response, Problem> {
    let source = link.source.as_deref();
    let place = match (&link.run, &link.run1, &link.run2) {
        (_, Some(before), Some(after)) => {
            let before = find(&state, &caller, before, source).await?;
            let after = find(&state, &caller, after, source).await?;
            format!("/compare/runs?base={before}&new={after}")
        }
        (Some(runs), _, _) => {
            let names: Vec<&str> = runs.split(',').take(MAX_RUNS + 1).collect();
            if names.len() > MAX_RUNS {
                return Err(Problem::bad(format!("a link has at most {MAX_RUNS} runs")));
            }
            let mut ids = Vec::with_capacity(names.len());
            for name in names {
                ids.push(find(&state, &caller, name, source).await?);
            }
            match ids.as_slice() {
                [only] => format!("/run/{only}"),
                ids => {
                    let ids: Vec<String> = ids.iter().map(|id| format!("run:{id}")).collect();
                    format!("/tree?q={}", ids.join("%20"))
                }
            }
        }
        _ => "/".to_owned(),
    };
    Ok(Redirect::temporary(&place).into_response())
}

/// The run with that id of ours, or of XHProf's.
async fn find(
    state: &Arc<State>,
    caller: &Caller,
    name: &str,
    source: Option<&str>,
) -> Result<RunId, Problem> {
    let mut selection = Selection {
        app: caller.app.clone(),
        ..Selection::default()
    };
    match name.parse() {
        Ok(id) => selection.ids.push(id),
        Err(_) => {
            let tag = |name: &str, value: &str| (name.to_owned(), value.to_owned());
            selection.tags.push(tag(RUN, name));
            let source = source.filter(|source| !source.is_empty());
            selection
                .tags
                .extend(source.map(|source| tag(SOURCE, source)));
        }
    }
    // In a selection a star would be any text.
    let is_name = !name.contains('*') && source.is_none_or(|source| !source.contains('*'));
    let query = RunQuery {
        selection,
        limit: 1,
        ..RunQuery::default()
    };
    let found = if is_name {
        ask(state, move |store| store.runs(&query)).await?.runs
    } else {
        Vec::new()
    };
    let missing = || {
        let of = source.map_or_else(String::new, |source| format!(" of the source {source}"));
        let reason = format!(
            "there is no run {name}{of}; `xhprof import DIR` takes the runs of XHProf's folder"
        );
        Problem::new(StatusCode::NOT_FOUND, reason)
    };
    found.first().map(|run| run.id).ok_or_else(missing)
}
