//! The routes: what takes the time, and what the last release changed.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Query, State as Shared};
use store::{ReleaseInfo, RouteDays, RouteRow, Selection, Store};

use super::Page;
use super::chart::sparkline;
use super::frame::{Section, page};
use super::html::{Table, condition, encoded, error, escaped, form, route};
use super::links::latest;
use super::units::{bytes, number, relative, span, time};
use crate::access::Caller;
use crate::api::{Filter, ask};
use crate::state::State;

/// The most applications whose releases are compared.
const APPS: usize = 20;

/// Runs of a route under each release, from which on a change is shown.
const MIN_RUNS: u64 = 30;

/// The routes.
pub(crate) async fn routes(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
) -> Page {
    let shown = |body: &str| Ok(page(&state, &caller, Section::Routes, "Routes", body));
    let mut body = form(&filter, &[]);
    let selection = match filter.selection(&caller) {
        Ok(selection) => selection,
        Err(problem) => return shown(&(body + &error(&problem.message))),
    };
    let found = ask(&state, move |store| Found::of(store, &selection)).await?;
    if found.rows.is_empty() && filter.q.is_empty() {
        body.push_str(
            "<p>There are no runs yet. Send one with <code>xhprof push run.xhp --to http://…</code></p>",
        );
    } else if found.rows.is_empty() {
        body.push_str("<p>No run matches this filter.</p>");
    } else {
        body.push_str(&found.table());
    }
    shown(&body)
}

struct Found {
    rows: Vec<RouteRow>,
    days: HashMap<(String, String), RouteDays>,
    /// The latest two releases of each application.
    releases: HashMap<String, [String; 2]>,
    /// The mean times of a run, before and after the latest release.
    means: HashMap<(String, String), [(u64, u64); 2]>,
}

impl Found {
    fn of(store: &dyn Store, selection: &Selection) -> store::Result<Self> {
        let rows = store.routes(selection)?;
        let days = store.route_days(selection)?.into_iter();
        let days = days.map(|days| ((days.app.clone(), days.route.clone()), days));
        let known = store.releases(selection)?;
        let releases = of_apps(&rows, &known);
        let mut means: HashMap<(String, String), [(u64, u64); 2]> = HashMap::new();
        for row in store.route_releases(selection)? {
            let pair = releases.get(&row.app);
            let side = pair.and_then(|pair| pair.iter().position(|name| *name == row.release));
            if let Some(side) = side {
                let means = means.entry((row.app, row.route)).or_default();
                means[side] = (row.wall, row.runs);
            }
        }
        Ok(Self {
            days: days.collect(),
            releases,
            means,
            rows,
        })
    }

    fn table(&self) -> String {
        let mut table = Table::new(
            "Routes",
            &[
                ("name", "Route"),
                ("left few", "Application"),
                ("", "Share of time"),
                ("few", "Runs"),
                ("few", "Requests"),
                ("few", "Failed"),
                ("few", "p50"),
                ("", "p95"),
                ("few", "p99"),
                ("few", "Peak, mean"),
                ("left few", "Mean by day"),
                ("few", "Last release"),
            ],
        );
        for row in &self.rows {
            let key = (row.app.clone(), row.route.clone());
            let days = self.days.get(&key).map_or(&[][..], |days| &days.days);
            #[expect(clippy::cast_precision_loss, reason = "a mean")]
            let days: Vec<(i64, f64)> = days
                .iter()
                .map(|day| (day.day_s, day.wall as f64 / day.runs.max(1) as f64))
                .collect();
            table.row(
                "",
                [
                    route(&row.app, &row.route),
                    escaped(&row.app),
                    format!("{:.1} %", 100.0 * row.share),
                    number(row.runs),
                    format!("{:.0}", row.requests),
                    number(row.failed),
                    time(row.p50),
                    time(row.p95),
                    time(row.p99),
                    row.mean_peak.map_or_else(String::new, bytes),
                    sparkline(&days, span),
                    self.change(&key),
                ],
            );
        }
        table.finish()
    }

    /// How the mean changed with the latest release, as a link to why.
    #[expect(clippy::cast_precision_loss, reason = "a mean")]
    fn change(&self, key: &(String, String)) -> String {
        let (Some(means), Some([before, after])) = (self.means.get(key), self.releases.get(&key.0))
        else {
            return String::new();
        };
        if means.iter().any(|(_, runs)| *runs < MIN_RUNS) {
            return String::new();
        }
        let [old, new] = means.map(|(wall, runs)| wall as f64 / runs as f64);
        let of_route = format!(
            "{} {}",
            condition("app", &key.0),
            condition("route", &key.1)
        );
        let of = |release| encoded(&format!("{of_route} {}", condition("release", release)));
        format!(
            "<a href=\"/compare?before={}&amp;after={}\" title=\"{} against {}\">{}</a>",
            of(before),
            of(after),
            escaped(after),
            escaped(before),
            relative(old, new)
        )
    }
}

fn of_apps(rows: &[RouteRow], known: &[ReleaseInfo]) -> HashMap<String, [String; 2]> {
    let mut apps: Vec<&str> = rows.iter().map(|row| row.app.as_str()).collect();
    apps.sort_unstable();
    apps.dedup();
    let apps = apps.into_iter().take(APPS);
    apps.filter_map(|app| Some((app.to_owned(), latest(known, app)?.map(str::to_owned))))
        .collect()
}
