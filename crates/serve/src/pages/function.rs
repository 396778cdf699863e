//! One function: over time, on which routes, by whom it is called.

use std::fmt::Write;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Query, State as Shared};
use store::{FunctionDetail, Neighbour, TrendPoint};

use super::Page;
use super::chart::{Chart, Line};
use super::frame::{Section, page};
use super::html::{Table, encoded, error, escaped, form, function as function_link, route};
use super::units::{number, rate, span, time};
use crate::access::Caller;
use crate::api::{Filter, ask};
use crate::state::State;

/// The function's name.
#[derive(Debug, serde::Deserialize)]
pub(crate) struct Named {
    #[serde(default)]
    name: String,
}

/// A function of a selection.
pub(crate) async fn function(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
    Query(Named { name }): Query<Named>,
) -> Page {
    let title = if name.is_empty() { "Function" } else { &name };
    let shown = |body: &str| Ok(page(&state, &caller, Section::Routes, title, body));
    let mut body = form(&filter, &[("name", &name)]);
    if name.is_empty() {
        body.push_str(
            "<p>Each function's name on the pages of <a href=\"/routes\">routes</a> leads here.</p>",
        );
        return shown(&body);
    }
    let selection = match filter.selection(&caller) {
        Ok(selection) => selection,
        Err(problem) => return shown(&(body + &error(&problem.message))),
    };
    let asked = name.clone();
    let found = ask(&state, move |store| store.function(&selection, &asked)).await?;
    match found {
        Some(detail) => body.push_str(&Found { detail }.html(&filter.q)),
        None => body.push_str("<p>No run of this filter calls the function.</p>"),
    }
    shown(&body)
}

struct Found {
    detail: FunctionDetail,
}

impl Found {
    fn html(&self, filter: &str) -> String {
        let total = &self.detail.total;
        let own = total.own_wall.max(0).unsigned_abs();
        let mut html = format!(
            "<p class=\"lead\">{} calls; self time {}, with callees {}",
            number(total.calls),
            time(own),
            time(total.wall)
        );
        if let (Some(p50), Some(p95)) = (total.p50, total.p95) {
            let _ = write!(
                html,
                "; of a run that calls it, median {} and p95 {}",
                time(p50),
                time(p95)
            );
        }
        html.push_str(".</p>");
        for (heading, chart) in [
            ("Time of a run by day", self.times()),
            ("Calls of a run by day", self.calls()),
        ] {
            if !chart.is_empty() {
                let _ = write!(html, "<h2>{heading}</h2>{chart}");
            }
        }
        html.push_str("<h2>Routes</h2>");
        html.push_str(&self.routes());
        for (heading, rows) in [
            ("Callers", &self.detail.callers),
            ("Callees", &self.detail.callees),
        ] {
            let _ = write!(html, "<h2>{heading}</h2>");
            if rows.is_empty() {
                html.push_str("<p class=\"dim\">None.</p>");
            } else {
                html.push_str(&neighbours(heading, rows, filter));
            }
        }
        let _ = write!(
            html,
            "<p class=\"links\"><a href=\"/tree?q={}\">Flame graph of these runs</a></p>",
            encoded(filter)
        );
        html
    }

    fn points(&self) -> Vec<(i64, &str)> {
        let days = self.detail.days.iter();
        days.map(|day| (day.time_s, day.release.as_str())).collect()
    }

    #[expect(clippy::cast_precision_loss, reason = "means")]
    fn times(&self) -> String {
        let line = |class, name, value: fn(&TrendPoint) -> f64| Line {
            class,
            name,
            values: self
                .detail
                .days
                .iter()
                .map(|day| Some(value(day) / day.runs.max(1) as f64))
                .collect(),
        };
        let chart = Chart {
            label: "Time of a run by day",
            points: self.points(),
            lines: vec![
                line("p95", "with callees", |day| day.wall as f64),
                line("p50", "self", |day| day.own_wall.max(0) as f64),
            ],
            shown: span,
        };
        chart.svg()
    }

    #[expect(clippy::cast_precision_loss, reason = "means")]
    fn calls(&self) -> String {
        let values = self.detail.days.iter();
        let chart = Chart {
            label: "Calls of a run by day",
            points: self.points(),
            lines: vec![Line {
                class: "p50",
                name: "calls",
                values: values
                    .map(|day| Some(day.calls as f64 / day.runs.max(1) as f64))
                    .collect(),
            }],
            shown: rate,
        };
        chart.svg()
    }

    #[expect(clippy::cast_precision_loss, reason = "means")]
    fn routes(&self) -> String {
        let mut table = Table::new(
            "Routes",
            &[
                ("name", "Route"),
                ("left few", "Application"),
                ("few", "Runs"),
                ("few", "Calls, a run"),
                ("", "Self, a run"),
                ("few", "With callees"),
                ("", "Part of its self time"),
            ],
        );
        let all = self.detail.total.own_wall.max(1) as f64;
        for row in self.detail.routes.iter().take(100) {
            let runs = row.route_runs.max(1) as f64;
            let own = row.total.own_wall as f64;
            table.row(
                "",
                [
                    route(&row.app, &row.route),
                    escaped(&row.app),
                    number(row.route_runs),
                    rate(row.total.calls as f64 / runs),
                    span(own / runs),
                    span(row.total.wall as f64 / runs),
                    format!("{:.1} %", 100.0 * own / all),
                ],
            );
        }
        table.finish()
    }
}

fn neighbours(label: &str, rows: &[Neighbour], filter: &str) -> String {
    let mut table = Table::new(
        label,
        &[
            ("name", "Function"),
            ("", "Calls"),
            ("", "Time of these calls"),
            ("few", "CPU"),
        ],
    );
    for row in rows {
        table.row(
            "",
            [
                function_link(&row.name, filter),
                number(row.calls),
                time(row.wall),
                time(row.cpu),
            ],
        );
    }
    table.finish()
}
