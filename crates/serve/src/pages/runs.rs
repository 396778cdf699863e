//! The list of runs.

use std::fmt::Write;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Query, State as Shared};
use store::{RunQuery, RunSort};

use super::Page;
use super::frame::{Section, page};
use super::html::{encoded, error, escaped, form};
use super::run_table::RunTable;
use crate::access::Caller;
use crate::api::{Filter, ask};
use crate::state::State;

/// The order and the part of the list of runs, and a group to compare with.
#[derive(Debug, Default, serde::Deserialize)]
pub(crate) struct Part {
    #[serde(default)]
    sort: RunSort,
    cursor: Option<String>,
    /// The filter of the runs before a change.
    before: Option<String>,
}

const EMPTY: &str = "<p>There are no runs yet. Send one with \
    <code>xhprof push run.xhp --to http://…</code>, or start the server with <code>--watch DIR</code>, \
    the folder of <code>xhprof.output_dir</code>.</p>";

/// The list of runs.
pub(crate) async fn runs(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
    Query(part): Query<Part>,
) -> Page {
    let shown = |body: &str| Ok(page(&state, &caller, Section::Runs, "Runs", body));
    let before = part.before.as_deref();
    let hidden: Vec<(&str, &str)> = before
        .map(|before| ("before", before))
        .into_iter()
        .collect();
    let mut body = form(&filter, &hidden);
    let is_live = part.cursor.is_none() && part.sort == RunSort::Started;
    let query = RunQuery {
        selection: match filter.selection(&caller) {
            Ok(selection) => selection,
            Err(problem) => return shown(&(body + &error(&problem.message))),
        },
        sort: part.sort,
        cursor: part.cursor,
        limit: 100,
        ..RunQuery::default()
    };
    let found = ask(&state, move |store| store.runs(&query)).await?;
    body.push_str(&groups(&filter.q, before));
    if found.runs.is_empty() && filter.q.is_empty() {
        return shown(&(body + EMPTY));
    }
    if found.runs.is_empty() {
        body.push_str("<p>No run matches this filter.</p>");
        return shown(&body);
    }
    let sort = serde_json::to_value(part.sort).unwrap_or_default();
    let mut address = format!("/?q={}", encoded(&filter.q));
    if let Some(before) = before {
        let _ = write!(address, "&before={}", encoded(before));
    }
    let table = RunTable {
        label: "Runs",
        address: &address,
        is_live,
    };
    body.push_str(&table.html(&found.runs));
    if let Some(next) = found.next {
        let _ = write!(
            body,
            "<p><a href=\"{}&amp;sort={}&amp;cursor={}\">More</a></p>",
            escaped(&address),
            encoded(sort.as_str().unwrap_or_default()),
            encoded(&next)
        );
    }
    shown(&body)
}

/// How two groups of runs are chosen: one filter, then the other.
fn groups(filter: &str, before: Option<&str>) -> String {
    let Some(before) = before else {
        return format!(
            "<p class=\"links\"><a href=\"/?before={0}&amp;q={0}\">Compare these runs with others</a> · \
             <a href=\"/tree?q={0}\">All as one profile</a></p>",
            encoded(filter)
        );
    };
    let shown = if before.is_empty() {
        "all runs"
    } else {
        before
    };
    format!(
        "<p class=\"note\">Before: <code>{}</code>. Now filter the runs after, then \
         <a class=\"button\" href=\"/compare?before={}&amp;after={}\">compare</a> \
         <a href=\"/?q={}\">Cancel</a></p>",
        escaped(shown),
        encoded(before),
        encoded(filter),
        encoded(filter)
    )
}
