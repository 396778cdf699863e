//! `/trace/{id}`: other programs link to the runs of a trace.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State as Shared};
use axum::response::{IntoResponse, Redirect, Response};
use store::{RunQuery, Selection};

use crate::access::Caller;
use crate::address::encoded;
use crate::api::ask;
use crate::filter::condition;
use crate::problem::Problem;
use crate::state::State;
use crate::trace_url::{TRACE, hexadecimal};

/// Opens the run of a trace, or the list of its runs.
pub(crate) async fn open(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    // Jaeger leaves out zeros in front.
    let id = hexadecimal(&id, 1..=32).ok_or_else(|| {
        Problem::bad("the id of a trace has up to 32 digits, 0 to 9 and a to f, not all zero")
    })?;
    let id = format!("{id:0>32}");
    let query = RunQuery {
        selection: Selection {
            app: caller.app.clone(),
            tags: vec![(TRACE.to_owned(), id.clone())],
            ..Selection::default()
        },
        limit: 2,
        ..RunQuery::default()
    };
    let runs = ask(&state, move |store| store.runs(&query)).await?.runs;
    let place = match runs.as_slice() {
        [only] => format!("/run/{}", only.id),
        // Also without a run: it may still be on its way.
        _ => {
            let filter = condition(&format!("tag.{TRACE}"), &id);
            format!("/runs?q={}", encoded(&filter))
        }
    };
    Ok(Redirect::temporary(&place).into_response())
}
