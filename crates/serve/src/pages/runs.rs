//! The list of runs.

use std::fmt::Write;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Query, State as Shared};
use store::{RunInfo, RunQuery, RunSort};

use super::Page;
use super::html::{END, bytes, date, encoded, escaped, form, page, table, time};
use crate::access::Caller;
use crate::api::{Filter, ask};
use crate::state::State;

/// The order and the part of the list of runs.
#[derive(Debug, Default, serde::Deserialize)]
pub(crate) struct Part {
    #[serde(default)]
    sort: RunSort,
    cursor: Option<String>,
}

const EMPTY: &str = "<p>There are no runs yet. Send one: <code>xhprof push run.xhp --to \
    http://…</code>, or start the server with <code>--watch DIR</code>.</p>";

/// The list of runs.
pub(crate) async fn runs(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
    Query(part): Query<Part>,
) -> Page {
    let query = RunQuery {
        selection: match filter.selection(&caller) {
            Ok(selection) => selection,
            Err(problem) => {
                return Ok(page(&state, "Runs", &form(&filter, Some(&problem.message))));
            }
        },
        sort: part.sort,
        cursor: part.cursor,
        limit: 100,
        ..RunQuery::default()
    };
    let found = ask(&state, move |store| store.runs(&query)).await?;
    let mut body = form(&filter, None);
    if found.runs.is_empty() {
        body.push_str(if filter.q.is_empty() {
            EMPTY
        } else {
            "<p>No run matches this filter.</p>"
        });
        return Ok(page(&state, "Runs", &body));
    }
    body.push_str(&table_of(&found.runs, &filter));
    if let Some(next) = found.next {
        let sort = serde_json::to_value(part.sort).unwrap_or_default();
        let _ = write!(
            body,
            "<p><a href=\"/?q={}&amp;sort={}&amp;cursor={}\">More</a></p>",
            encoded(&filter.q),
            encoded(sort.as_str().unwrap_or_default()),
            encoded(&next)
        );
    }
    Ok(page(&state, "Runs", &body))
}

/// The runs as a table; its headings sort the list of runs.
pub(super) fn table_of(runs: &[RunInfo], filter: &Filter) -> String {
    let q = encoded(&filter.q);
    let sorted = |sort: &str, name: &str| format!("<a href=\"/?q={q}&amp;sort={sort}\">{name}</a>");
    let mut html = table(&[
        ("name", &sorted("started", "Started (UTC)")),
        ("name", "Route"),
        ("", "Status"),
        ("", &sorted("wall", "Wall")),
        ("", &sorted("cpu", "CPU")),
        ("", &sorted("peak", "Peak")),
        ("", &sorted("sql", "SQL")),
        ("", &sorted("calls", "Calls")),
        ("", "Release"),
        ("", "Host"),
        ("", "Label"),
    ]);
    for run in runs {
        let seconds = i64::try_from(run.started_us / 1_000_000).unwrap_or(0);
        let wall = if run.unit == "time" {
            time(run.wall)
        } else {
            format!("{} {}", run.wall, escaped(&run.unit))
        };
        let _ = write!(
            html,
            "<tr{}><td><a href=\"/run/{}\">{}</a></td><td class=\"name\">{}</td><td>{}</td>\
             <td>{wall}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            if run.failed { " class=\"failed\"" } else { "" },
            run.id,
            date(seconds),
            escaped(&run.route),
            escaped(&run.status),
            run.cpu.map_or_else(String::new, time),
            run.peak.map_or_else(String::new, bytes),
            run.sql,
            run.calls,
            escaped(&run.release),
            escaped(&run.host),
            escaped(&run.label),
        );
    }
    html.push_str(END);
    html
}
