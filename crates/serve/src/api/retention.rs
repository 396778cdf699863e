//! How long runs are kept: the policies, and what they removed.

use std::sync::Arc;

use axum::extract::{Path, Query, State as Shared};
use axum::http::StatusCode;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use store::{Policies, Policy, Removal, Removed};
use utoipa::{IntoParams, ToSchema};

use super::questions::{Answer, ask, for_all};
use crate::access::Caller;
use crate::problem::Problem;
use crate::retention::now_us;
use crate::state::State;

const DAY_US: u64 = 86_400_000_000;

/// Refuses a token of one application the others.
fn for_app(caller: &Caller, app: &str) -> Result<(), Problem> {
    if caller.app.as_ref().is_some_and(|own| own != app) {
        let reason = "this token is for another application";
        return Err(Problem::new(StatusCode::FORBIDDEN, reason));
    }
    Ok(())
}

/// The policies: how long runs are kept. The server applies them every hour.
#[utoipa::path(get, path = "/api/v1/policies", responses((status = 200, body = Policies)))]
pub(crate) async fn policies(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
) -> Answer<Policies> {
    let mut policies = ask(&state, |store| store.policies()).await?;
    let own = caller.app.as_ref();
    let is_visible = |app: &String| own.is_none_or(|own| own == app);
    policies.apps.retain(|policy| is_visible(&policy.app));
    Ok(Json(policies))
}

/// Sets the policy of the applications without one of their own. Fields that
/// are missing get their default, null is no limit.
#[utoipa::path(put, path = "/api/v1/policies", request_body = Policy, responses((status = 200, body = Policies)))]
pub(crate) async fn set_default(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Json(policy): Json<Policy>,
) -> Answer<Policies> {
    answer(state, caller, None, Some(policy)).await
}

/// Sets the default back to that of the program.
#[utoipa::path(delete, path = "/api/v1/policies", responses((status = 200, body = Policies)))]
pub(crate) async fn reset_default(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
) -> Answer<Policies> {
    answer(state, caller, None, None).await
}

/// Sets the policy of an application. Fields that are missing get their default,
/// null is no limit.
#[utoipa::path(put, path = "/api/v1/policies/{app}", params(("app" = String, Path)), request_body = Policy, responses((status = 200, body = Policies)))]
pub(crate) async fn set_policy(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Path(app): Path<String>,
    Json(policy): Json<Policy>,
) -> Answer<Policies> {
    answer(state, caller, Some(app), Some(policy)).await
}

/// Removes the policy of an application: it has the default again.
#[utoipa::path(delete, path = "/api/v1/policies/{app}", params(("app" = String, Path)), responses((status = 200, body = Policies)))]
pub(crate) async fn reset_policy(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Path(app): Path<String>,
) -> Answer<Policies> {
    answer(state, caller, Some(app), None).await
}

async fn answer(
    state: Arc<State>,
    caller: Caller,
    app: Option<String>,
    policy: Option<Policy>,
) -> Answer<Policies> {
    set(&state, &caller, app, policy).await?;
    policies(Shared(state), Extension(caller)).await
}

/// Sets or removes the policy of an application, or without one the default.
pub(crate) async fn set(
    state: &Arc<State>,
    caller: &Caller,
    app: Option<String>,
    policy: Option<Policy>,
) -> Result<(), Problem> {
    may_set(caller, app.as_deref())?;
    let of = app.clone().unwrap_or_else(|| "*".to_owned());
    let text = format!("{policy:?}");
    let set = move |store: &dyn store::Store| store.set_policy(app.as_deref(), policy.as_ref());
    ask(state, set).await?;
    tracing::info!(target: "audit", by = caller.name, app = of, policy = text, "policy set");
    Ok(())
}

/// Refuses a token of one application the policies of others, and the default.
pub(crate) fn may_set(caller: &Caller, app: Option<&str>) -> Result<(), Problem> {
    match app {
        Some(app) => for_app(caller, app),
        None => for_all(caller),
    }
}

/// Which application, and what is kept of it.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Retain {
    /// The application.
    app: String,
    /// What is kept; without it, what the application's policy says.
    #[serde(default)]
    policy: Option<Policy>,
    /// Whether to count only, and to remove nothing.
    #[serde(default)]
    dry_run: bool,
}

/// Removes the runs that a policy does not keep, now; their sums stay.
#[utoipa::path(post, path = "/api/v1/retain", request_body = Retain, responses((status = 200, body = Removed)))]
pub(crate) async fn retain(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Json(asked): Json<Retain>,
) -> Answer<Removed> {
    for_app(&caller, &asked.app)?;
    let Retain {
        app,
        policy,
        dry_run,
    } = asked;
    let name = app.clone();
    let removed = ask(&state, move |store| {
        let policy = match policy {
            Some(policy) => policy,
            None => store.policies()?.of(&app).clone(),
        };
        policy.check()?;
        if dry_run {
            return store.removable(&app, &policy, now_us());
        }
        store.retain(&app, &policy, now_us())
    })
    .await?;
    if !dry_run {
        crate::retention::audit(&caller.name, &name, &removed);
    }
    Ok(Json(removed))
}

/// How far back.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Back {
    /// In days; 30 if it is missing.
    days: Option<u32>,
}

/// What the policies removed.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Removals {
    /// By day, application and reason, the latest first; at most 10,000.
    removals: Vec<Removal>,
}

/// What the policies removed, and why.
#[utoipa::path(get, path = "/api/v1/removals", params(Back), responses((status = 200, body = Removals)))]
pub(crate) async fn removals(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(back): Query<Back>,
) -> Answer<Removals> {
    let ago = u64::from(back.days.unwrap_or(30)) * DAY_US;
    let since = now_us().saturating_sub(ago);
    let mut removals = ask(&state, move |store| store.removals(since)).await?;
    let own = caller.app.as_ref();
    removals.retain(|removal| own.is_none_or(|own| *own == removal.app));
    Ok(Json(Removals { removals }))
}
