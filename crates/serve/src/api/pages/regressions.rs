//! What releases made slower.

use std::sync::Arc;

use axum::extract::{Query, State as Shared};
use axum::http::StatusCode;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::access::Caller;
use crate::api::questions::{Answer, visible_apps};
use crate::asking::ask;
use crate::findings::ReleaseFindings;
use crate::problem::Problem;
use crate::state::State;

/// The application and the route.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Asked {
    /// The application; it may be left out if there is only one.
    app: Option<String>,
    /// Only what is about this route.
    route: Option<String>,
}

/// What the releases of an application made slower.
#[derive(Debug, Default, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct RegressionsPage {
    /// The application; none if one must be chosen, or if there is none.
    app: Option<String>,
    /// The route that it is about, if it is one.
    route: Option<String>,
    /// The applications that the caller sees.
    apps: Vec<String>,
    /// Its releases, the latest first.
    releases: Vec<ReleaseFindings>,
    /// Why there was no search, such as too few releases.
    reason: Option<String>,
}

/// What the releases of an application made slower. The first answer takes some seconds; then it is kept for a minute.
#[utoipa::path(get, path = "/api/v1/pages/regressions", params(Asked), responses((status = 200, body = RegressionsPage), (status = 404)))]
pub(crate) async fn regressions(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(Asked { app, route }): Query<Asked>,
) -> Answer<RegressionsPage> {
    let apps = visible_apps(&state, &caller).await?;
    let apps: Vec<String> = apps.into_iter().map(|app| app.name).collect();
    let app = match (app, apps.as_slice()) {
        (Some(app), names) if names.contains(&app) => app,
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
    let releases = match &route {
        Some(route) => of_route(releases, route),
        None => releases,
    };
    Ok(Json(RegressionsPage {
        app: Some(app),
        route,
        apps,
        releases,
        reason,
    }))
}

/// What is about one route; releases without it are left out.
fn of_route(releases: Vec<ReleaseFindings>, route: &str) -> Vec<ReleaseFindings> {
    let of_release = |mut release: ReleaseFindings| {
        release
            .found
            .retain(|found| found.places.iter().any(|place| place.route == route));
        release
            .undecided
            .retain(|undecided| undecided.route == route);
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
            let found = of_route(vec![release.clone()], route);
            let found = found.first();
            found.map(|of| (of.found.len(), of.undecided.len(), of.moved.len()))
        };
        assert_eq!(of("/a"), Some((1, 0, 0)));
        assert_eq!(of("/b"), Some((0, 1, 0)));
        assert_eq!(of("/c"), None);
    }
}
