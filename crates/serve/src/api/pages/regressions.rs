//! What releases made slower.

use std::sync::Arc;

use axum::extract::{Query, State as Shared};
use axum::http::StatusCode;
use axum::{Extension, Json};
use serde::Serialize;
use store::{Selection, glob};
use utoipa::ToSchema;

use crate::access::Caller;
use crate::api::questions::{Answer, Filter, visible_apps};
use crate::asking::ask;
use crate::findings::ReleaseFindings;
use crate::problem::Problem;
use crate::state::State;

/// What the releases of an application made slower.
#[derive(Debug, Default, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct RegressionsPage {
    /// The application; none if one must be chosen, or if there is none.
    app: Option<String>,
    /// The routes that it is about; none if it is about all.
    routes: Vec<String>,
    /// The applications that the caller sees.
    apps: Vec<String>,
    /// Its releases, the latest first.
    releases: Vec<ReleaseFindings>,
    /// Why there was no search, such as too few releases.
    reason: Option<String>,
}

/// What the releases of an application made slower. Of a filter, the application, routes and releases count, and the
/// time in which a release began. The first answer takes some seconds; then it is kept for a minute, or for 20 times
/// as long as it took.
#[utoipa::path(get, path = "/api/v1/pages/regressions", params(Filter), responses((status = 200, body = RegressionsPage), (status = 404)))]
pub(crate) async fn regressions(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
) -> Answer<RegressionsPage> {
    let selection = filter.selection(&caller)?;
    let apps = visible_apps(&state, &caller).await?;
    let apps: Vec<String> = apps.into_iter().map(|app| app.name).collect();
    let app = match (&selection.app, apps.as_slice()) {
        (Some(app), names) if names.contains(app) => app.clone(),
        (Some(app), _) => {
            let reason = format!("there are no runs of the application {app}");
            return Err(Problem::new(StatusCode::NOT_FOUND, reason));
        }
        (None, [only]) => only.clone(),
        (None, _) => {
            return Ok(Json(RegressionsPage {
                apps,
                ..RegressionsPage::default()
            }));
        }
    };
    let (shared, searched) = (Arc::clone(&state), app.clone());
    let found = ask(&state, move |store| Ok(shared.findings(store, &searched))).await?;
    let (releases, reason) = match found {
        Ok(found) => (found.releases.clone(), None),
        Err(reason) => (Vec::new(), Some(reason)),
    };
    Ok(Json(RegressionsPage {
        app: Some(app),
        releases: of_routes(of_releases(releases, &selection), &selection.routes),
        routes: selection.routes,
        apps,
        reason,
    }))
}

/// The releases of a selection that began in its time.
fn of_releases(mut releases: Vec<ReleaseFindings>, selection: &Selection) -> Vec<ReleaseFindings> {
    let seconds = |us: u64| i64::try_from(us / 1_000_000).unwrap_or(i64::MAX);
    let since = selection.since_us.map_or(i64::MIN, seconds);
    let until = selection.until_us.map_or(i64::MAX, seconds);
    releases.retain(|of| {
        let is_named = is_one_of(&selection.releases, &of.release);
        is_named && (since..until).contains(&of.since_s)
    });
    releases
}

/// Whether one of the patterns is that of a text, or there is none.
fn is_one_of(patterns: &[String], text: &str) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| glob(pattern, text))
}

/// What is about some routes; releases without it are left out.
fn of_routes(releases: Vec<ReleaseFindings>, routes: &[String]) -> Vec<ReleaseFindings> {
    if routes.is_empty() {
        return releases;
    }
    let of_release = |mut release: ReleaseFindings| {
        release.found.retain(|found| {
            found
                .places
                .iter()
                .any(|place| is_one_of(routes, &place.route))
        });
        release
            .undecided
            .retain(|undecided| is_one_of(routes, &undecided.route));
        release.moved.clear();
        release.not_compared = 0;
        release
    };
    let releases = releases.into_iter().map(of_release);
    releases
        .filter(|release| !release.found.is_empty() || !release.undecided.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::{Found, FoundPlace, Undecided};

    #[test]
    fn releases_are_those_of_the_filter_that_began_in_its_time() {
        let releases = ["4.6.0", "4.7.0", "5.0"].into_iter().zip(1..);
        let releases: Vec<_> = releases
            .map(|(release, since_s)| ReleaseFindings {
                release: release.to_owned(),
                since_s,
                ..ReleaseFindings::default()
            })
            .collect();
        for (filter, expected) in [
            ("", "4.6.0 4.7.0 5.0"),
            ("release:4.*", "4.6.0 4.7.0"),
            ("release:4.7.0 release:5.0", "4.7.0 5.0"),
            ("since:1970-01-01T00:00:02Z", "4.7.0 5.0"),
            ("until:1970-01-01T00:00:02Z release:4*", "4.6.0"),
        ] {
            let selection = crate::filter::selection(filter).unwrap();
            let found = of_releases(releases.clone(), &selection);
            let names: Vec<&str> = found.iter().map(|of| of.release.as_str()).collect();
            assert_eq!(names.join(" "), expected, "{filter}");
        }
    }

    #[test]
    fn one_route_has_only_what_is_about_it() {
        let release = ReleaseFindings {
            found: vec![Found {
                places: vec![FoundPlace {
                    route: "/a".to_owned(),
                    ..FoundPlace::default()
                }],
                ..Found::default()
            }],
            undecided: vec![Undecided {
                route: "/b".to_owned(),
                ..Undecided::default()
            }],
            moved: vec!["x".to_owned()],
            ..ReleaseFindings::default()
        };
        let of = |route: &str| {
            let found = of_routes(vec![release.clone()], &[route.to_owned()]);
            let found = found.first();
            found.map(|of| (of.found.len(), of.undecided.len(), of.moved.len()))
        };
        assert_eq!(of("/a"), Some((1, 0, 0)));
        assert_eq!(of("/b"), Some((0, 1, 0)));
        assert_eq!(of("/c"), None);
    }
}
