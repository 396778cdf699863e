//! Home: an application now, against a week ago.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::extract::{Query, State as Shared};
use axum::{Extension, Json};
use serde::Serialize;
use store::{AppInfo, RouteRow, Selection, SeriesPoint, Store};
use utoipa::ToSchema;

use super::compared::{Compared, MIN_RUNS, part};
use super::missing::Missing;
use super::release_effect::{Figures, ReleaseEffect, route_effect};
use super::window::Window;
use crate::access::Caller;
use crate::api::questions::{Answer, Filter};
use crate::asking::ask;
use crate::state::State;

/// The most routes.
const MAX_ROUTES: usize = 12;

/// What Home shows.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct HomePage {
    /// The application, if there is one only.
    app: Option<String>,
    /// The time that "now" is.
    window: Window,
    /// The runs before and now.
    runs: [u64; 2],
    /// Whether the store has any run that the caller sees.
    has_runs: bool,
    /// Requests a minute.
    throughput: Compared,
    figures: Figures,
    /// What the last release changed; none of several applications, or without two releases.
    release: Option<ReleaseEffect>,
    /// The routes that take the most time.
    routes: Vec<HomeRoute>,
    /// How many routes have requests now.
    all_routes: u64,
    missing: Missing,
}

/// A route now, and what changed.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct HomeRoute {
    #[serde(flatten)]
    row: RouteRow,
    /// The mean wall time, in nanoseconds.
    mean: f64,
    /// The share of runs that failed, 0 to 1.
    failed_share: f64,
    /// Against the time before.
    effect: Option<super::release_effect::RouteEffect>,
}

/// What Home shows: an application now, against a week ago.
#[utoipa::path(get, path = "/api/v1/pages/home", params(Filter), responses((status = 200, body = HomePage)))]
pub(crate) async fn home(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
) -> Answer<HomePage> {
    let selection = filter.selection(&caller)?;
    let mut page = ask(&state, move |store| HomePage::of(store, &selection)).await?;
    // Of one application there are no such numbers.
    if caller.app.is_none() {
        page.missing.refused = Some(state.counters.refused.load(Ordering::Relaxed));
        page.missing.undelivered = Some(state.config.undelivered.all().len() as u64);
    }
    Ok(Json(page))
}

impl HomePage {
    fn of(store: &dyn Store, selection: &Selection) -> store::Result<Self> {
        let apps = store.apps()?;
        let is_seen = |known: &&AppInfo| {
            known.runs > 0 && selection.app.as_ref().is_none_or(|app| *app == known.name)
        };
        let seen: Vec<&AppInfo> = apps.iter().filter(is_seen).collect();
        let app = match (&selection.app, &*seen) {
            (Some(app), _) => Some(app.clone()),
            (None, [only]) => Some(only.name.clone()),
            (None, _) => None,
        };
        let (window, sums_now) = Window::of(store, selection, MIN_RUNS)?;
        let (now, before) = (window.now(selection), window.before(selection));
        let (sums_before, routes_before) = store.whole_and_routes(&before)?;
        let sums = [sums_before, sums_now];
        let minutes = window.minutes();
        let of_minute = |side: &Option<SeriesPoint>, minutes: f64| {
            let requests = side.as_ref().map_or(0.0, |point| point.requests);
            Some(requests / minutes)
        };
        let release = match &app {
            Some(app) => ReleaseEffect::of(store, app)?,
            None => None,
        };
        let routes_now = store.routes(&now)?;
        Ok(Self {
            runs: sums
                .each_ref()
                .map(|side| side.as_ref().map_or(0, |point| point.runs)),
            has_runs: !seen.is_empty(),
            throughput: Compared::amount(
                of_minute(&sums[0], minutes[0]),
                of_minute(&sums[1], minutes[1]),
            ),
            figures: Figures::of(sums[0].as_ref(), sums[1].as_ref()),
            all_routes: routes_now.len() as u64,
            routes: routes(routes_before, routes_now),
            missing: Missing::of(store, selection.app.as_deref())?,
            window,
            release,
            app,
        })
    }
}

fn routes(before: Vec<RouteRow>, now: Vec<RouteRow>) -> Vec<HomeRoute> {
    let before = before.into_iter();
    let before: HashMap<(String, String), RouteRow> = before
        .map(|row| ((row.app.clone(), row.route.clone()), row))
        .collect();
    let rows = now.into_iter().take(MAX_ROUTES);
    rows.map(|row| {
        let old = before.get(&(row.app.clone(), row.route.clone()));
        HomeRoute {
            mean: part(row.wall, row.runs).unwrap_or(0.0),
            failed_share: part(row.failed, row.runs).unwrap_or(0.0),
            effect: old.map(|old| route_effect(old, &row)),
            row,
        }
    })
    .collect()
}
