//! What the app's pages show, each in one answer.
//!
//! Everything that is computed of costs is computed here: means, shares, changes, and whether they say something.
//! The app formats numbers and draws.

mod causes;
pub(super) mod compare;
mod compared;
pub(super) mod function;
pub(super) mod home;
mod missing;
pub(super) mod profile_now;
mod proposals;
pub(super) mod regressions;
mod release_effect;
pub(super) mod route;
pub(super) mod routes;
pub(super) mod run;
pub(super) mod search;
pub(super) mod settings;
pub(super) mod window;

pub(crate) use compare::{compare, proposals};
pub(crate) use function::function;
pub(crate) use home::home;
pub(crate) use profile_now::{profile_now, ticket};
pub(crate) use regressions::regressions;
pub(crate) use route::route;
pub(crate) use routes::routes;
pub(crate) use run::run;
pub(crate) use search::search;
pub(crate) use settings::settings;
pub(crate) use window::series;

#[cfg(feature = "typescript")]
pub(crate) use {
    compare::ComparisonPage, function::FunctionOfRuns, home::HomePage, profile_now::ProfileNow,
    profile_now::Ticket, proposals::Proposals, regressions::RegressionsPage, route::RouteOfRuns,
    routes::RoutesPage, run::RunContext, search::SearchFound, settings::SettingsPage,
    window::Series,
};
