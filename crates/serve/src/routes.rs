//! All routes, each with the scope that it needs.

use std::sync::Arc;

use axum::http::Method;
use axum::middleware::from_fn;
use axum::routing::{MethodRouter, get, post};

use crate::access::Scope;
use crate::state::State;
use crate::{api, classic, front, traces};

/// A route: its path and what its methods need.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// The path, with parameters in braces.
    pub path: &'static str,
    /// The methods, with their scopes. HEAD needs what GET needs.
    pub methods: &'static [(&'static str, Scope)],
}

/// The scope that a request needs; none if there is no such route.
pub(crate) fn scope_of(method: &Method, path: &str) -> Option<Scope> {
    let method = if *method == Method::HEAD {
        "GET"
    } else {
        method.as_str()
    };
    let route = ROUTES.iter().find(|route| route.path == path)?;
    let (_, scope) = route.methods.iter().find(|(name, _)| *name == method)?;
    Some(*scope)
}

macro_rules! table {
    ($($path:literal: $($method:literal $scope:ident),+ => $handler:expr;)*) => {
        const ROUTES: &[Route] = &[
            $(Route { path: $path, methods: &[$(($method, Scope::$scope)),+] },)*
        ];

        /// All routes with their handlers. The server has no others.
        #[must_use]
        pub fn routes() -> Vec<(Route, MethodRouter<Arc<State>>)> {
            let handlers: Vec<MethodRouter<Arc<State>>> = vec![$($handler),*];
            ROUTES.iter().copied().zip(handlers).collect()
        }
    };
}

table! {
    "/": "GET" Read => get(front::page).layer(from_fn(classic::link_first));
    "/runs": "GET" Read => get(front::page);
    "/run/{id}": "GET" Read => get(front::page);
    "/tree": "GET" Read => get(front::page);
    "/routes": "GET" Read => get(front::page);
    "/route": "GET" Read => get(front::page);
    "/function": "GET" Read => get(front::page);
    "/compare": "GET" Read => get(front::page);
    "/compare/runs": "GET" Read => get(front::page);
    "/compare/tree": "GET" Read => get(front::page);
    "/regressions": "GET" Read => get(front::page);
    "/profile-now": "GET" Read => get(front::page);
    "/settings": "GET" Read => get(front::page);
    "/settings/{part}": "GET" Read => get(front::page);
    "/login": "GET" Open => get(front::page);
    "/assets/{name}": "GET" Open => get(front::file);
    "/index.php": "GET" Read => get(classic::open);
    "/callgraph.php": "GET" Read => get(classic::open);
    "/xhprof_html/": "GET" Read => get(classic::open);
    "/xhprof_html/index.php": "GET" Read => get(classic::open);
    "/xhprof_html/callgraph.php": "GET" Read => get(classic::open);
    "/trace/{id}": "GET" Read => get(traces::open);
    "/healthz": "GET" Open => get(api::health);
    "/readyz": "GET" Open => get(api::ready);
    "/metrics": "GET" Read => get(api::metrics);
    "/api/v1/openapi.json": "GET" Open => get(api::openapi);
    "/api/v1/session": "GET" Read, "POST" Open, "DELETE" Open =>
        get(api::session).post(api::log_in).delete(api::log_out);
    "/api/v1/runs": "GET" Read, "POST" Write => get(api::runs).post(api::put_runs);
    "/api/v1/runs/batch": "POST" Write => post(api::put_batch);
    "/api/v1/runs/{id}": "GET" Read, "DELETE" Admin => get(api::run).delete(api::delete_run);
    "/api/v1/runs/{id}/file": "GET" Read => get(api::run_file);
    "/api/v1/runs/{id}/label": "PUT" Write => axum::routing::put(api::label_run);
    "/api/v1/apps": "GET" Read => get(api::apps);
    "/api/v1/routes": "GET" Read => get(api::all_routes);
    "/api/v1/routes/days": "GET" Read => get(api::route_days);
    "/api/v1/requests": "GET" Read => get(api::requests);
    "/api/v1/releases": "GET" Read => get(api::releases);
    "/api/v1/days": "GET" Read => get(api::days);
    "/api/v1/trend": "GET" Read => get(api::trend);
    "/api/v1/functions": "GET" Read => get(api::functions);
    "/api/v1/functions/days": "GET" Read => get(api::function_days);
    "/api/v1/function": "GET" Read => get(api::function);
    "/api/v1/tree": "GET" Read => get(api::tree);
    "/api/v1/diff": "GET" Read => get(api::diff);
    "/api/v1/spans": "GET" Read => get(api::spans);
    "/api/v1/stats": "GET" Read => get(api::stats);
    "/api/v1/policies": "GET" Read, "PUT" Admin, "DELETE" Admin =>
        get(api::policies).put(api::set_default).delete(api::reset_default);
    "/api/v1/policies/{app}": "PUT" Admin, "DELETE" Admin =>
        axum::routing::put(api::set_policy).delete(api::reset_policy);
    "/api/v1/retain": "POST" Admin => post(api::retain);
    "/api/v1/removals": "GET" Read => get(api::removals);
    "/api/v1/dropped": "GET" Read, "POST" Write => get(api::dropped).post(api::put_dropped);
    "/api/v1/tokens": "GET" Admin, "POST" Admin => get(api::tokens).post(api::add_token);
    "/api/v1/tokens/{id}": "DELETE" Admin => axum::routing::delete(api::remove_token);
    "/api/v1/series": "GET" Read => get(api::series);
    "/api/v1/facets": "GET" Read => get(api::facets);
    "/api/v1/search": "GET" Read => get(api::search);
    "/api/v1/pages/home": "GET" Read => get(api::pages::home);
    "/api/v1/pages/run/{id}": "GET" Read => get(api::pages::run);
    "/api/v1/pages/routes": "GET" Read => get(api::pages::routes);
    "/api/v1/pages/route": "GET" Read => get(api::pages::route);
    "/api/v1/pages/function": "GET" Read => get(api::pages::function);
    "/api/v1/pages/compare": "GET" Read => get(api::pages::compare);
    "/api/v1/pages/compare/proposals": "GET" Read => get(api::pages::proposals);
    "/api/v1/pages/regressions": "GET" Read => get(api::pages::regressions);
    "/api/v1/pages/profile-now": "GET" Read => get(api::pages::profile_now);
    "/api/v1/pages/settings": "GET" Read => get(api::pages::settings);
    "/api/v1/profile-now/ticket": "POST" Admin => post(api::pages::ticket);
    "/api/v1/webhook/test": "POST" Admin => post(api::test_webhook);
    "/run/import": "POST" Write => post(api::import_xhgui);
    "/api/profiler/store": "POST" Write => post(api::import_buggregator);
    "/ingest": "POST" Write => post(api::import_pyroscope);
    "/push.v1.PusherService/Push": "POST" Write => post(api::push_pyroscope);
}
