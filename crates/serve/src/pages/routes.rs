//! The routes, and one of them.

use std::fmt::Write;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Query, State as Shared};
use store::{FunctionSort, RunQuery, RunSort, TrendOf, TrendStep};

use super::Page;
use super::chart::chart;
use super::html::{END, bytes, condition, date, encoded, escaped, form, page, table, time};
use super::runs::table_of;
use crate::access::Caller;
use crate::api::{Filter, ask};
use crate::state::State;

/// The routes.
pub(crate) async fn routes(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
) -> Page {
    let title = "Routes";
    let selection = match filter.selection(&caller) {
        Ok(selection) => selection,
        Err(problem) => return Ok(page(&state, title, &form(&filter, Some(&problem.message)))),
    };
    let rows = ask(&state, move |store| store.routes(&selection)).await?;
    let mut body = form(&filter, None);
    if rows.is_empty() {
        body.push_str("<p>There are no runs of this selection.</p>");
        return Ok(page(&state, title, &body));
    }
    body.push_str(&table(&[
        ("name", "Application"),
        ("name", "Route"),
        ("", "Share of time"),
        ("", "Runs"),
        ("", "Requests"),
        ("", "Failed"),
        ("", "p50"),
        ("", "p95"),
        ("", "p99"),
        ("", "Peak, mean"),
    ]));
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
    body.push_str(END);
    Ok(page(&state, title, &body))
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
    let title = match selection.routes.as_slice() {
        [route] => route.clone(),
        _ => title.to_owned(),
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
    if days.is_empty() {
        body.push_str("<p>There are no runs of this selection.</p>");
        return Ok(page(&state, &title, &body));
    }
    let _ = write!(
        body,
        "<p><a href=\"/tree?q={0}\">All runs as one profile</a> · <a href=\"/?q={0}\">Runs</a></p>{1}\
         <h2>Functions with the most self time</h2>",
        encoded(&filter.q),
        chart(&days)
    );
    body.push_str(&table(&[
        ("name", "Function"),
        ("", "Calls"),
        ("", "Self time"),
        ("", "With callees"),
    ]));
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
    body.push_str(END);
    if !spans.is_empty() {
        body.push_str("<h2>Spans</h2>");
        body.push_str(&table(&[
            ("name", "Kind"),
            ("name", "Text"),
            ("", "Number"),
            ("", "Time"),
            ("", "Longest"),
        ]));
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
        body.push_str(END);
    }
    body.push_str("<h2>Slowest runs</h2>");
    body.push_str(&table_of(&slowest, &filter));
    body.push_str("<h2>Days</h2>");
    body.push_str(&table(&[
        ("name", "Day"),
        ("", "Release"),
        ("", "Runs"),
        ("", "p50"),
        ("", "p95"),
        ("", "p99"),
    ]));
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
    body.push_str(END);
    Ok(page(&state, &title, &body))
}
