//! One route, or any other selection: its trend, functions, spans and slowest
//! runs.

use std::fmt::Write;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Query, State as Shared};
use store::{
    DaySums, FunctionDays, FunctionSort, FunctionTotal, RouteRow, RunInfo, RunQuery, RunSort,
    Selection, SpanTotal, Store, TrendOf, TrendPoint, TrendStep,
};

use super::Page;
use super::chart::{Chart, Line, sparkline};
use super::frame::{Section, page};
use super::html::{Table, condition, encoded, error, escaped, form, function, with};
use super::links;
use super::run_table::RunTable;
use super::units::{counted, day, number, rate, span, time};
use crate::access::Caller;
use crate::api::{Filter, ask};
use crate::filter::in_time;
use crate::state::State;

/// Statements of one text in a run, from which on they look like a loop.
const REPEATED: f64 = 5.0;

/// One route, or any other selection.
pub(crate) async fn route(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
) -> Page {
    let mut body = form(&filter, &[]);
    let shown = |title: &str, body: &str| Ok(page(&state, &caller, Section::Routes, title, body));
    let selection = match filter.selection(&caller) {
        Ok(selection) => selection,
        Err(problem) => return shown("Route", &(body + &error(&problem.message))),
    };
    let title = match selection.routes.as_slice() {
        [route] if !route.is_empty() => route.clone(),
        _ => "Route".to_owned(),
    };
    let asked = selection.clone();
    let Some(found) = ask(&state, move |store| Found::of(store, &asked)).await? else {
        body.push_str("<p>No run with times matches this filter.</p>");
        return shown(&title, &body);
    };
    body.push_str(&found.html(&filter.q, &selection));
    shown(&title, &body)
}

struct Found {
    total: RouteRow,
    share: Option<f64>,
    days: Vec<TrendPoint>,
    top: Vec<FunctionTotal>,
    trends: Vec<FunctionDays>,
    spans: Vec<SpanTotal>,
    slowest: Vec<RunInfo>,
    releases: Option<[String; 2]>,
}

impl Found {
    fn of(store: &dyn Store, selection: &Selection) -> store::Result<Option<Self>> {
        let Some(total) = store.requests(selection)? else {
            return Ok(None);
        };
        let top = store.top(selection, FunctionSort::OwnWall, 30)?;
        let names: Vec<String> = top.iter().map(|row| row.name.clone()).collect();
        let slowest = RunQuery {
            selection: selection.clone(),
            sort: RunSort::Wall,
            limit: 10,
            ..RunQuery::default()
        };
        let releases = store.releases(selection)?;
        let releases = releases
            .last()
            .and_then(|last| links::latest(&releases, &last.app));
        Ok(Some(Self {
            share: share(store, selection)?,
            days: store.trend(selection, &TrendOf::Requests, TrendStep::Day)?,
            trends: store.function_days(selection, &names)?,
            spans: store.spans(selection, 20)?,
            slowest: store.runs(&slowest)?.runs,
            releases: releases.map(|pair| pair.map(str::to_owned)),
            top,
            total,
        }))
    }

    fn html(&self, filter: &str, selection: &Selection) -> String {
        let q = encoded(filter);
        let mut html = String::from("<p class=\"lead\">");
        let _ = write!(
            html,
            "{}, median {}, p95 {}",
            counted(self.total.runs, "run"),
            time(self.total.p50),
            time(self.total.p95)
        );
        if let Some(share) = self.share {
            let _ = write!(
                html,
                ", {:.1} % of all time of the application",
                100.0 * share
            );
        }
        let _ = write!(
            html,
            ".</p><p class=\"links\"><a class=\"button\" href=\"/tree?q={q}\">Flame graph of all runs</a> \
             <a href=\"/?q={q}\">Runs</a></p>{}",
            self.chart()
        );
        let pair = self
            .releases
            .as_ref()
            .map(|pair| pair.each_ref().map(String::as_str));
        let _ = write!(html, "<h2>Compare</h2>{}", links::of_filter(filter, pair));
        html.push_str("<h2>Functions with the most self time</h2>");
        html.push_str(&self.functions(filter));
        if !self.spans.is_empty() {
            html.push_str("<h2>Spans</h2>");
            html.push_str(&self.spans());
        }
        if let (Some(app), [route]) = (&selection.app, selection.routes.as_slice()) {
            let address = format!("/regressions?app={}&route={}", encoded(app), encoded(route));
            let _ = write!(
                html,
                "<h2>Regressions</h2><div data-part=\"{0}\"><a href=\"{0}\">Regressions of this route</a></div>",
                escaped(&address)
            );
        }
        html.push_str("<h2>Slowest runs</h2>");
        let table = RunTable {
            label: "Slowest runs",
            address: &format!("/?q={q}"),
            is_live: false,
        };
        html.push_str(&table.html(&self.slowest));
        let _ = write!(
            html,
            "<details><summary>Numbers by day</summary>{}</details>",
            self.numbers(filter)
        );
        html
    }

    fn chart(&self) -> String {
        let line = |class, value: fn(&TrendPoint) -> Option<u64>| Line {
            class,
            name: class,
            values: self.days.iter().map(|day| value(day).map(float)).collect(),
        };
        let chart = Chart {
            label: "p50 and p95 by day",
            points: self
                .days
                .iter()
                .map(|day| (day.time_s, day.release.as_str()))
                .collect(),
            lines: vec![line("p95", |day| day.p95), line("p50", |day| day.p50)],
            shown: span,
        };
        chart.svg()
    }

    fn functions(&self, filter: &str) -> String {
        let mut table = Table::new(
            "Functions with the most self time",
            &[
                ("name", "Function"),
                ("", "Share"),
                ("", "Self, a run"),
                ("few", "With callees"),
                ("few", "Calls, a run"),
                ("left few", "Self time by day"),
            ],
        );
        let runs = float(self.total.runs.max(1));
        for (row, trend) in self.top.iter().zip(&self.trends) {
            let own = float(row.own_wall.max(0).unsigned_abs());
            let days: Vec<(i64, f64)> = trend.days.iter().map(of_run).collect();
            table.row(
                "",
                [
                    function(&row.name, filter),
                    format!("{:.1} %", 100.0 * own / float(self.total.wall.max(1))),
                    span(own / runs),
                    span(float(row.wall) / runs),
                    rate(float(row.calls) / runs),
                    sparkline(&days, span),
                ],
            );
        }
        table.finish()
    }

    fn spans(&self) -> String {
        let mut table = Table::new(
            "Spans",
            &[
                ("left few", "Kind"),
                ("name", "Text"),
                ("", "A run"),
                ("left", "Hint"),
                ("few", "Number"),
                ("", "Time"),
                ("few", "Longest"),
            ],
        );
        for row in &self.spans {
            let of_run = float(row.calls) / float(row.runs.max(1));
            let is_loop = of_run >= REPEATED && row.kind != "other" && row.kind != "stream";
            let mark = if is_loop {
                "<span class=\"likely\" title=\"One text many times in a run: a query in a loop?\">N+1?</span>"
            } else {
                ""
            };
            table.row(
                "",
                [
                    escaped(&row.kind),
                    format!("<code>{}</code>", escaped(&row.text)),
                    rate(of_run),
                    mark.to_owned(),
                    number(row.calls),
                    time(row.wall),
                    time(row.max),
                ],
            );
        }
        table.finish()
    }

    fn numbers(&self, filter: &str) -> String {
        let mut table = Table::new(
            "Numbers by day",
            &[
                ("left", "Day"),
                ("left", "Release"),
                ("", "Runs"),
                ("", "p50"),
                ("", "p95"),
                ("few", "p99"),
            ],
        );
        for point in self.days.iter().rev() {
            let shown = |time_ns: Option<u64>| time_ns.map_or_else(String::new, time);
            let (from, to) = (day(point.time_s), day(point.time_s + 86_400));
            let of_day = in_time(filter, &format!("since:{from} until:{to}"));
            let of_release = with(filter, &condition("release", &point.release));
            table.row(
                "",
                [
                    format!("<a href=\"/?q={}\">{from}</a>", encoded(&of_day)),
                    format!(
                        "<a href=\"/?q={}\">{}</a>",
                        encoded(&of_release),
                        escaped(&point.release)
                    ),
                    number(point.runs),
                    shown(point.p50),
                    shown(point.p95),
                    shown(point.p99),
                ],
            );
        }
        table.finish()
    }
}

/// The part of its application's time, in the same time, that the route takes.
fn share(store: &dyn Store, selection: &Selection) -> store::Result<Option<f64>> {
    let [route] = selection.routes.as_slice() else {
        return Ok(None);
    };
    if selection.app.is_none() || !selection.is_of_hours() {
        return Ok(None);
    }
    let all = Selection {
        routes: Vec::new(),
        ..selection.clone()
    };
    let rows = store.routes(&all)?;
    Ok(rows
        .iter()
        .find(|row| row.route == *route)
        .map(|row| row.share))
}

/// The self time of a run on one day.
#[expect(clippy::cast_precision_loss, reason = "a mean")]
pub(super) fn of_run(day: &DaySums) -> (i64, f64) {
    (day.day_s, day.wall as f64 / day.runs.max(1) as f64)
}

#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
fn float(value: u64) -> f64 {
    value as f64
}
