//! The description of the API, made from its code.

use axum::Json;
use utoipa::OpenApi;

use super::{batches, pages, questions, retention, session, sums, tokens, uploads, webhook};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "xhprof serve",
        description = "Runs, their sums, and what changed."
    ),
    paths(
        questions::health,
        questions::ready,
        questions::metrics,
        session::session,
        session::log_in,
        session::log_out,
        questions::runs,
        questions::run,
        questions::run_file,
        questions::delete_run,
        questions::label_run,
        questions::apps,
        questions::all_routes,
        questions::releases,
        questions::days,
        questions::trend,
        questions::functions,
        questions::function,
        questions::tree,
        questions::diff,
        questions::spans,
        questions::stats,
        questions::facets,
        pages::window::series,
        pages::search::search,
        pages::home::home,
        pages::run::run,
        pages::routes::routes,
        pages::route::route,
        pages::function::function,
        pages::compare::compare,
        pages::compare::proposals,
        pages::regressions::regressions,
        pages::profile_now::profile_now,
        pages::profile_now::ticket,
        pages::settings::settings,
        retention::policies,
        retention::set_default,
        retention::reset_default,
        retention::set_policy,
        retention::reset_policy,
        retention::retain,
        retention::removals,
        sums::requests,
        sums::route_days,
        sums::function_days,
        uploads::put_runs,
        batches::put_batch,
        batches::put_dropped,
        batches::dropped,
        tokens::tokens,
        tokens::add_token,
        tokens::remove_token,
        webhook::test_webhook,
    ),
    // Only parameters name them.
    components(schemas(store::FunctionSort, store::RunSort, store::TrendStep, questions::Per))
)]
struct Description;

/// The description as `OpenAPI`.
#[must_use]
pub fn description() -> utoipa::openapi::OpenApi {
    Description::openapi()
}

/// Serves the description.
pub(crate) async fn openapi() -> Json<utoipa::openapi::OpenApi> {
    Json(description())
}
