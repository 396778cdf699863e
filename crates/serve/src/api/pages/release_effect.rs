//! What the last release of an application changed.

use std::collections::HashMap;

use serde::Serialize;
use store::{ReleaseInfo, RouteRow, Selection, SeriesPoint, Store, TrendStep};
use utoipa::ToSchema;

use super::compared::{Compared, LEAST, LEAST_P95, LEAST_P99, MIN_RUNS, float, part};

/// How long before a release its comparison begins, in seconds.
const BEFORE_S: u64 = 7 * 86_400;

/// The most routes.
const MAX_ROUTES: usize = 8;

/// The latest release against the one before.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct ReleaseEffect {
    app: String,
    release: String,
    /// The release before.
    before: String,
    /// Its first hour with runs, in seconds since 1970.
    since_s: i64,
    /// The runs of the release before in its last seven days, and those of the release.
    runs: [u64; 2],
    /// Whether each side has enough runs to compare.
    is_enough: bool,
    figures: Figures,
    /// The routes that changed most.
    routes: Vec<RouteEffect>,
}

/// The figures of requests before and now.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Figures {
    /// The mean wall time, in nanoseconds.
    pub(super) mean: Compared,
    /// The median, in nanoseconds.
    pub(super) p50: Compared,
    /// Of 100 requests, 95 took at most this.
    pub(super) p95: Compared,
    /// Of 100 requests, 99 took at most this.
    pub(super) p99: Compared,
    /// The share of requests that failed, 0 to 1.
    pub(super) failed: Compared,
    /// The mean peak of memory, in bytes.
    pub(super) peak: Compared,
    /// The mean CPU time, in nanoseconds.
    pub(super) cpu: Compared,
    /// The SQL statements of a request.
    pub(super) sql: Compared,
}

impl Figures {
    /// Compares the sums of two selections; none has no runs.
    pub(super) fn of(before: Option<&SeriesPoint>, now: Option<&SeriesPoint>) -> Self {
        let runs = [before, now].map(|side| side.map_or(0, |point| point.runs));
        let at_least = |least: f64, value: fn(&SeriesPoint) -> Option<f64>| {
            Compared::cost(before.and_then(value), now.and_then(value), runs, least)
        };
        let of = |value| at_least(LEAST, value);
        Self {
            mean: of(|point| Some(float(point.mean))),
            p50: of(|point| Some(float(point.p50))),
            p95: at_least(LEAST_P95, |point| Some(float(point.p95))),
            p99: at_least(LEAST_P99, |point| Some(float(point.p99))),
            failed: Compared::share(
                [before, now].map(|side| side.map_or(0, |point| point.failed)),
                runs,
            ),
            peak: of(|point| point.peak.map(float)),
            cpu: of(|point| point.cpu.map(float)),
            sql: of(|point| point.sql),
        }
    }
}

/// A route before and after a release.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct RouteEffect {
    route: String,
    /// The runs before and after.
    runs: [u64; 2],
    /// The mean wall time, in nanoseconds.
    mean: Compared,
    /// Of 100 requests, 95 took at most this.
    p95: Compared,
    /// The mean peak of memory, in bytes.
    peak: Compared,
}

/// The latest release of an application and the one before, if there are two.
/// Releases are in the order in which they were first seen.
pub(super) fn latest<'a>(releases: &'a [ReleaseInfo], app: &str) -> Option<[&'a ReleaseInfo; 2]> {
    let mut of_app = releases
        .iter()
        .rev()
        .filter(|one| one.app == app && !one.release.is_empty());
    let (after, before) = (of_app.next()?, of_app.next()?);
    Some([before, after])
}

/// The sums of a selection as one point.
pub(super) fn whole(
    store: &dyn Store,
    selection: &Selection,
) -> store::Result<Option<SeriesPoint>> {
    Ok(store.series(selection, TrendStep::All)?.into_iter().next())
}

impl ReleaseEffect {
    /// What the latest release of an application changed; none if there was no other before.
    pub(super) fn of(store: &dyn Store, app: &str) -> store::Result<Option<Self>> {
        let releases = store.releases(&Selection {
            app: Some(app.to_owned()),
            ..Selection::default()
        })?;
        let Some([before, after]) = latest(&releases, app) else {
            return Ok(None);
        };
        let since_s = u64::try_from(after.first_s).unwrap_or(0);
        let of = |release: &ReleaseInfo, since_s: u64, until_us: Option<u64>| Selection {
            app: Some(app.to_owned()),
            releases: vec![release.release.clone()],
            since_us: Some(since_s * 1_000_000),
            until_us,
            ..Selection::default()
        };
        // Both may run beside each other for some hours.
        let last_s = u64::try_from(before.last_s).unwrap_or(0) + 3600;
        let begin = last_s.min(since_s).saturating_sub(BEFORE_S);
        let old = of(before, begin, None);
        let new = of(after, since_s, None);
        let (whole_before, routes_before) = store.whole_and_routes(&old)?;
        let (whole_after, routes_after) = store.whole_and_routes(&new)?;
        let sums = [whole_before, whole_after];
        let runs = sums
            .each_ref()
            .map(|side| side.as_ref().map_or(0, |point| point.runs));
        Ok(Some(Self {
            app: app.to_owned(),
            release: after.release.clone(),
            before: before.release.clone(),
            since_s: after.first_s,
            runs,
            is_enough: runs.iter().all(|runs| *runs >= MIN_RUNS),
            figures: Figures::of(sums[0].as_ref(), sums[1].as_ref()),
            routes: changed_routes(&routes_before, routes_after),
        }))
    }
}

/// The routes whose time changed most, by what it adds to all their requests.
fn changed_routes(before: &[RouteRow], after: Vec<RouteRow>) -> Vec<RouteEffect> {
    let before: HashMap<&str, &RouteRow> =
        before.iter().map(|row| (row.route.as_str(), row)).collect();
    let mut found: Vec<(f64, RouteEffect)> = after
        .into_iter()
        .filter_map(|now| {
            let old = *before.get(now.route.as_str())?;
            let runs = [old.runs, now.runs];
            if runs.iter().any(|runs| *runs < MIN_RUNS) {
                return None;
            }
            let effect = route_effect(old, &now);
            let added = effect.mean.now? - effect.mean.before?;
            Some((added.abs() * now.requests, effect))
        })
        .collect();
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    found.truncate(MAX_ROUTES);
    found.into_iter().map(|(_, effect)| effect).collect()
}

/// A route before and now.
pub(super) fn route_effect(before: &RouteRow, now: &RouteRow) -> RouteEffect {
    let runs = [before.runs, now.runs];
    let of = |least: f64, value: fn(&RouteRow) -> Option<f64>| {
        Compared::cost(value(before), value(now), runs, least)
    };
    RouteEffect {
        route: now.route.clone(),
        runs,
        mean: of(LEAST, |row| part(row.wall, row.runs)),
        p95: of(LEAST_P95, |row| Some(float(row.p95))),
        peak: of(LEAST, |row| row.mean_peak.map(float)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_two_releases_are_compared() {
        let release = |app: &str, release: &str| ReleaseInfo {
            app: app.to_owned(),
            release: release.to_owned(),
            ..ReleaseInfo::default()
        };
        let releases = [
            release("a", "1"),
            release("a", "2 b"),
            release("b", "9"),
            release("a", ""),
        ];
        let names = latest(&releases, "a").map(|pair| pair.map(|one| one.release.as_str()));
        assert_eq!(names, Some(["1", "2 b"]));
        assert_eq!(latest(&releases, "b"), None);
    }

    #[test]
    fn routes_are_in_the_order_of_what_their_change_costs() {
        let row = |route: &str, mean: u64, runs: u64| RouteRow {
            route: route.to_owned(),
            runs,
            requests: float(runs),
            wall: mean * runs,
            ..RouteRow::default()
        };
        let before = [row("/a", 100, 50), row("/b", 100, 50), row("/c", 100, 29)];
        let after = vec![row("/a", 110, 50), row("/b", 101, 5000), row("/c", 900, 50)];
        let found = changed_routes(&before, after);
        let names: Vec<&str> = found.iter().map(|of| of.route.as_str()).collect();
        assert_eq!(names, ["/b", "/a"]);
        assert_eq!(found[1].mean.change, Some(110.0 / 100.0 - 1.0));
    }
}
