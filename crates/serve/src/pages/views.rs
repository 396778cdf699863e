//! Runs, routes, one route, a comparison; and the viewer.

use std::fmt::Write;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, Query, State as Shared};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use store::{FunctionSort, RunId, RunInfo, RunQuery, RunSort, TrendOf, TrendStep};

use super::html::{bytes, condition, date, encoded, escaped, page, span, time};
use crate::access::Caller;
use crate::api::{Both, Filter, ask};
use crate::problem::Problem;
use crate::state::State;

type Page = Result<Html<String>, Problem>;

/// The order and the part of the list of runs.
#[derive(Debug, Default, serde::Deserialize)]
pub(crate) struct Part {
    #[serde(default)]
    sort: RunSort,
    cursor: Option<String>,
}

/// The style of all pages.
pub(crate) async fn style() -> Response {
    (
        [(header::CONTENT_TYPE, "text/css")],
        include_str!("style.css"),
    )
        .into_response()
}

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
            "<p>There are no runs yet. Send one: <code>xhprof push run.xhp --to http://…</code>, or \
             start the server with <code>--watch DIR</code>.</p>"
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

fn form(filter: &Filter, error: Option<&str>) -> String {
    let mut form = format!(
        "<form><input name=\"q\" size=\"70\" aria-label=\"Filter\" value=\"{}\" \
         placeholder=\"route:/cart* wall:&gt;200ms release:2026.11 since:7d\"> \
         <button>Filter</button></form>",
        escaped(&filter.q)
    );
    if let Some(error) = error {
        let _ = write!(form, "<p class=\"error\">{}</p>", escaped(error));
    }
    form
}

fn table_of(runs: &[RunInfo], filter: &Filter) -> String {
    let mut table = String::from("<table><thead><tr>");
    for (name, sort) in [
        ("Started (UTC)", "started"),
        ("Route", ""),
        ("Status", ""),
        ("Wall", "wall"),
        ("CPU", "cpu"),
        ("Peak", "peak"),
        ("SQL", "sql"),
        ("Calls", "calls"),
        ("Release", ""),
        ("Host", ""),
        ("Label", ""),
    ] {
        if sort.is_empty() {
            let _ = write!(table, "<th scope=\"col\">{name}</th>");
        } else {
            let q = encoded(&filter.q);
            let _ = write!(
                table,
                "<th scope=\"col\"><a href=\"/?q={q}&amp;sort={sort}\">{name}</a></th>"
            );
        }
    }
    table.push_str("</tr></thead><tbody>");
    for run in runs {
        let seconds = i64::try_from(run.started_us / 1_000_000).unwrap_or(0);
        let is_time = run.unit == "time";
        let _ = write!(
            table,
            "<tr{}><td><a href=\"/run/{}\">{}</a></td><td class=\"name\">{}</td><td>{}</td>\
             <td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            if run.failed { " class=\"failed\"" } else { "" },
            run.id,
            date(seconds),
            escaped(&run.route),
            escaped(&run.status),
            if is_time {
                time(run.wall)
            } else {
                format!("{} {}", run.wall, escaped(&run.unit))
            },
            run.cpu.map_or_else(String::new, time),
            run.peak.map_or_else(String::new, bytes),
            run.sql,
            run.calls,
            escaped(&run.release),
            escaped(&run.host),
            escaped(&run.label),
        );
    }
    table.push_str("</tbody></table>");
    table
}

/// The routes.
pub(crate) async fn routes(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
) -> Page {
    let selection = match filter.selection(&caller) {
        Ok(selection) => selection,
        Err(problem) => {
            return Ok(page(
                &state,
                "Routes",
                &form(&filter, Some(&problem.message)),
            ));
        }
    };
    let rows = ask(&state, move |store| store.routes(&selection)).await?;
    let mut body = form(&filter, None);
    body.push_str(
        "<table><thead><tr><th scope=\"col\">Application</th><th scope=\"col\">Route</th>\
         <th scope=\"col\">Share of time</th><th scope=\"col\">Runs</th><th scope=\"col\">Requests</th>\
         <th scope=\"col\">Failed</th><th scope=\"col\">p50</th><th scope=\"col\">p95</th>\
         <th scope=\"col\">p99</th><th scope=\"col\">Peak, mean</th></tr></thead><tbody>",
    );
    for row in &rows {
        let q = format!(
            "{} {}",
            condition("app", &row.app),
            condition("route", &row.route)
        );
        let _ = write!(
            body,
            "<tr><td>{}</td><td class=\"name\"><a href=\"/route?q={}\">{}</a></td><td>{:.1} %</td>\
             <td>{}</td><td>{:.0}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            escaped(&row.app),
            encoded(&q),
            escaped(&row.route),
            row.share * 100.0,
            row.runs,
            row.requests,
            row.failed,
            time(row.p50),
            time(row.p95),
            time(row.p99),
            row.mean_peak.map_or_else(String::new, bytes),
        );
    }
    body.push_str("</tbody></table>");
    if rows.is_empty() {
        body.push_str("<p>There are no runs of this selection.</p>");
    }
    Ok(page(&state, "Routes", &body))
}

/// One route, or any other selection: its days, functions, spans and slowest
/// runs.
pub(crate) async fn route(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
) -> Page {
    let title = "Route";
    let selection = match filter.selection(&caller) {
        Ok(selection) => selection,
        Err(problem) => return Ok(page(&state, title, &form(&filter, Some(&problem.message)))),
    };
    let slowest = RunQuery {
        selection: selection.clone(),
        sort: RunSort::Wall,
        limit: 10,
        ..RunQuery::default()
    };
    let (days, top, spans, slowest) = ask(&state, move |store| {
        Ok((
            store.trend(&selection, &TrendOf::Requests, TrendStep::Day)?,
            store.top(&selection, FunctionSort::OwnWall, 30)?,
            store.spans(&selection, 20)?,
            store.runs(&slowest)?.runs,
        ))
    })
    .await?;
    let mut body = form(&filter, None);
    let _ = write!(
        body,
        "<p><a href=\"/tree?q={0}\">All runs as one flame graph</a> · <a href=\"/?q={0}\">Runs</a></p>\
         <h2>Days</h2><table><thead><tr><th scope=\"col\">Day</th><th scope=\"col\">Release</th>\
         <th scope=\"col\">Runs</th><th scope=\"col\">p50</th><th scope=\"col\">p95</th>\
         <th scope=\"col\">p99</th></tr></thead><tbody>",
        encoded(&filter.q)
    );
    for day in days.iter().rev() {
        let shown = |time_ns: Option<u64>| time_ns.map_or_else(String::new, time);
        let _ = write!(
            body,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            date(day.time_s).split(' ').next().unwrap_or_default(),
            escaped(&day.release),
            day.runs,
            shown(day.p50),
            shown(day.p95),
            shown(day.p99),
        );
    }
    body.push_str(
        "</tbody></table><h2>Functions</h2><table><thead><tr><th scope=\"col\">Function</th>\
         <th scope=\"col\">Calls</th><th scope=\"col\">Self time</th>\
         <th scope=\"col\">With callees</th></tr></thead><tbody>",
    );
    for row in &top {
        let _ = write!(
            body,
            "<tr><td class=\"name\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            escaped(&row.name),
            row.calls,
            time(row.own_wall.max(0).unsigned_abs()),
            time(row.wall),
        );
    }
    body.push_str("</tbody></table>");
    if !spans.is_empty() {
        body.push_str(
            "<h2>Spans</h2><table><thead><tr><th scope=\"col\">Kind</th><th scope=\"col\">Text</th>\
             <th scope=\"col\">Number</th><th scope=\"col\">Time</th><th scope=\"col\">Longest</th>\
             </tr></thead><tbody>",
        );
        for row in &spans {
            let _ = write!(
                body,
                "<tr><td>{}</td><td class=\"name\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                escaped(&row.kind),
                escaped(&row.text),
                row.calls,
                time(row.wall),
                time(row.max),
            );
        }
        body.push_str("</tbody></table>");
    }
    body.push_str("<h2>Slowest runs</h2>");
    body.push_str(&table_of(&slowest, &filter));
    Ok(page(&state, title, &body))
}

/// Two selections side by side.
pub(crate) async fn compare(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(both): Query<Both>,
) -> Page {
    let mut body = format!(
        "<form><label>Before <input name=\"before\" size=\"40\" value=\"{}\" \
         placeholder=\"route:/cart release:1\"></label> <label>After <input name=\"after\" size=\"40\" \
         value=\"{}\" placeholder=\"route:/cart release:2\"></label> <button>Compare</button></form>",
        escaped(&both.before),
        escaped(&both.after)
    );
    if both.before.is_empty() && both.after.is_empty() {
        return Ok(page(&state, "Compare", &body));
    }
    let found = match both.answer(&state, &caller).await {
        Ok(found) => found,
        Err(problem) if problem.status == StatusCode::BAD_REQUEST => {
            let _ = write!(body, "<p class=\"error\">{}</p>", escaped(&problem.message));
            return Ok(page(&state, "Compare", &body));
        }
        Err(problem) => return Err(problem),
    };
    let _ = write!(
        body,
        "<p>{} runs before, {} after. Times are those of one run, on average. z is the change in \
         standard errors, where days of UTC are whole; it takes runs for independent.</p>\
         <table><thead><tr><th scope=\"col\">Function</th><th scope=\"col\">Self, before</th>\
         <th scope=\"col\">after</th><th scope=\"col\">Change</th><th scope=\"col\">by calls</th>\
         <th scope=\"col\">Calls, before</th><th scope=\"col\">after</th><th scope=\"col\">z</th>\
         </tr></thead><tbody>",
        found.before_runs, found.after_runs
    );
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
    body.push_str("</tbody></table>");
    Ok(page(&state, "Compare", &body))
}

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

async fn viewer(state: &Arc<State>, file: Vec<u8>, title: String) -> Result<Response, Problem> {
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
