//! Two selections side by side.

use std::fmt::Write;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Query, State as Shared};
use axum::http::StatusCode;

use super::Page;
use super::html::{END, escaped, page, span, table};
use crate::access::Caller;
use crate::api::Both;
use crate::state::State;

/// What each function takes in a run, before and after.
pub(crate) async fn compare(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(both): Query<Both>,
) -> Page {
    let title = "Compare";
    let mut body = format!(
        "<form><label>Before <input name=\"before\" value=\"{}\" \
         placeholder=\"route:/cart release:1\"></label> <label>After <input name=\"after\" \
         value=\"{}\" placeholder=\"route:/cart release:2\"></label> <button>Compare</button></form>",
        escaped(&both.before),
        escaped(&both.after)
    );
    if both.before.is_empty() && both.after.is_empty() {
        body.push_str("<p>Type two filters: two releases, days, hosts or tags.</p>");
        return Ok(page(&state, title, &body));
    }
    let found = match both.answer(&state, &caller).await {
        Ok(found) => found,
        Err(problem) if problem.status == StatusCode::BAD_REQUEST => {
            let _ = write!(body, "<p class=\"error\">{}</p>", escaped(&problem.message));
            return Ok(page(&state, title, &body));
        }
        Err(problem) => return Err(problem),
    };
    let _ = write!(
        body,
        "<p>{} runs before, {} after. Times are those of one run, on average. z is the change in \
         standard errors, where days of UTC are whole; it takes runs for independent.</p>",
        found.before_runs, found.after_runs
    );
    body.push_str(&table(&[
        ("name", "Function"),
        ("", "Self, before"),
        ("", "after"),
        ("", "Change"),
        ("", "by calls"),
        ("", "Calls, before"),
        ("", "after"),
        ("", "z"),
    ]));
    for row in found.functions.iter().take(100) {
        let _ = write!(
            body,
            "<tr><td class=\"name\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>\
             <td>{:.2}</td><td>{:.2}</td><td>{}</td></tr>",
            escaped(&row.name),
            span(row.own_before),
            span(row.own_after),
            span(row.own_after - row.own_before),
            span(row.by_calls),
            row.calls_before,
            row.calls_after,
            row.z.map_or_else(String::new, |z| format!("{z:.1}")),
        );
    }
    body.push_str(END);
    Ok(page(&state, title, &body))
}
