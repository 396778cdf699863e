//! The routes: what takes the time, and what the last release changed.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{Query, State as Shared};
use axum::{Extension, Json};
use serde::Serialize;
use store::{ReleaseInfo, RouteDays, RouteRow, Selection, Store};
use utoipa::ToSchema;

use super::compared::{Compared, LEAST, MIN_RUNS, float, part};
use super::release_effect::latest;
use crate::access::Caller;
use crate::api::questions::{Answer, Filter};
use crate::asking::ask;
use crate::state::State;

/// The most applications whose releases are compared.
const MAX_APPS: usize = 20;

/// The routes of a selection.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct RoutesPage {
    /// Those with the most time first.
    routes: Vec<RouteOfList>,
    /// The releases of the selection, in the order in which they were first seen.
    releases: Vec<ReleaseInfo>,
}

/// A route in a list.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct RouteOfList {
    #[serde(flatten)]
    row: RouteRow,
    /// The mean wall time, in nanoseconds.
    mean: f64,
    /// The share of runs that failed, 0 to 1.
    failed_share: f64,
    /// The mean time of each day with runs.
    days: Vec<DayMean>,
    /// What the latest release of its application changed; none with fewer than 30 runs of a side.
    last_release: Option<LastRelease>,
}

/// The mean of a day.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct DayMean {
    /// The day, in seconds since 1970.
    pub(super) day_s: i64,
    /// The runs.
    pub(super) runs: u64,
    /// The mean, in nanoseconds.
    pub(super) mean: f64,
}

impl From<&store::DaySums> for DayMean {
    #[expect(clippy::cast_precision_loss, reason = "a mean")]
    fn from(day: &store::DaySums) -> Self {
        Self {
            day_s: day.day_s,
            runs: day.runs,
            mean: day.wall as f64 / float(day.runs.max(1)),
        }
    }
}

/// The mean time of a route under two releases.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct LastRelease {
    /// The release before.
    before: String,
    /// The latest release.
    after: String,
    /// The mean wall time, in nanoseconds.
    mean: Compared,
}

/// The routes of a selection, each with its days and what the last release changed.
#[utoipa::path(get, path = "/api/v1/pages/routes", params(Filter), responses((status = 200, body = RoutesPage)))]
pub(crate) async fn routes(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
) -> Answer<RoutesPage> {
    let selection = filter.selection(&caller)?;
    Ok(Json(
        ask(&state, move |store| RoutesPage::of(store, &selection)).await?,
    ))
}

/// The runs of a route under the release before and the latest, and their time.
type Sides = [(u64, u64); 2];

impl RoutesPage {
    fn of(store: &dyn Store, selection: &Selection) -> store::Result<Self> {
        let rows = store.routes(selection)?;
        let days = store.route_days(selection)?.into_iter();
        let days: HashMap<(String, String), RouteDays> = days
            .map(|days| ((days.app.clone(), days.route.clone()), days))
            .collect();
        let releases = store.releases(selection)?;
        let pairs = of_apps(&rows, &releases);
        let mut sides: HashMap<(String, String), Sides> = HashMap::new();
        for row in store.route_releases(selection)? {
            let pair = pairs.get(&row.app);
            let side = pair.and_then(|pair| pair.iter().position(|name| *name == row.release));
            let sides = sides.entry((row.app, row.route)).or_default();
            if let Some(side) = side.and_then(|side| sides.get_mut(side)) {
                *side = (row.runs, row.wall);
            }
        }
        let routes = rows.into_iter().map(|row| {
            let key = (row.app.clone(), row.route.clone());
            let pair = pairs.get(&row.app).zip(sides.get(&key));
            RouteOfList {
                mean: part(row.wall, row.runs).unwrap_or(0.0),
                failed_share: part(row.failed, row.runs).unwrap_or(0.0),
                days: days.get(&key).map_or_else(Vec::new, |days| {
                    days.days.iter().map(DayMean::from).collect()
                }),
                last_release: pair.and_then(|(names, sides)| LastRelease::of(names, *sides)),
                row,
            }
        });
        Ok(Self {
            routes: routes.collect(),
            releases,
        })
    }
}

impl LastRelease {
    fn of(names: &[String; 2], sides: Sides) -> Option<Self> {
        if sides.iter().any(|(runs, _)| *runs < MIN_RUNS) {
            return None;
        }
        let [before, after] = sides.map(|(runs, wall)| part(wall, runs));
        let [old, new] = names.clone();
        Some(Self {
            before: old,
            after: new,
            mean: Compared::cost(before, after, sides.map(|(runs, _)| runs), LEAST),
        })
    }
}

/// The latest two releases of each application.
fn of_apps(rows: &[RouteRow], known: &[ReleaseInfo]) -> HashMap<String, [String; 2]> {
    let mut apps: Vec<&str> = rows.iter().map(|row| row.app.as_str()).collect();
    apps.sort_unstable();
    apps.dedup();
    let apps = apps.into_iter().take(MAX_APPS);
    let pairs = apps.filter_map(|app| {
        let pair = latest(known, app)?.map(|one| one.release.clone());
        Some((app.to_owned(), pair))
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_the_mean_needs_runs_of_both_releases() {
        let names = ["1".to_owned(), "2".to_owned()];
        let found = LastRelease::of(&names, [(30, 3000), (40, 6000)]).unwrap();
        assert_eq!(found.mean.change, Some(0.5));
        assert!(LastRelease::of(&names, [(29, 3000), (40, 6000)]).is_none());
    }
}
