//! How long runs are kept: the policies, and what they removed.

use std::sync::Arc;

use axum::extract::{Path, Query, State as Shared};
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use store::{Policies, Policy, Removal, Removed, Store};
use utoipa::{IntoParams, ToSchema};

use super::questions::{Answer, for_all, for_app};
use crate::access::Caller;
use crate::asking::{ask, change};
use crate::problem::Problem;
use crate::retention::now_us;
use crate::state::State;

const DAY_US: u64 = 86_400_000_000;

/// The policies: how long runs are kept. The server applies them every hour.
#[utoipa::path(get, path = "/api/v1/policies", responses((status = 200, body = Policies)))]
pub(crate) async fn policies(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
) -> Answer<Policies> {
    Ok(Json(visible_policies(&state, &caller).await?))
}

/// The policies that a caller may see.
pub(crate) async fn visible_policies(
    state: &Arc<State>,
    caller: &Caller,
) -> Result<Policies, Problem> {
    let mut policies = ask(state, |store| store.policies()).await?;
    policies.apps.retain(|policy| caller.sees(&policy.app));
    Ok(policies)
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
    let is_of_app = caller.app.is_some();
    let set = move |store: &dyn store::Store| {
        let policies = store.policies()?;
        let policy = match (&app, is_of_app) {
            (Some(app), true) => with_quotas(policy, app, &policies)?,
            _ => policy,
        };
        store.set_policy(app.as_deref(), policy.as_ref())?;
        Ok(format!("{policy:?}"))
    };
    let text = change(state, set).await?;
    state.quotas.forget_policies();
    tracing::info!(target: "audit", by = caller.name, app = of, policy = text, "policy set");
    Ok(())
}

/// The policy that a token of one application sets: the quotas stay, which are those
/// of the administrator.
fn with_quotas(
    policy: Option<Policy>,
    app: &str,
    policies: &Policies,
) -> store::Result<Option<Policy>> {
    let (runs_a_day, bytes_a_day) = policies.of(app).quotas();
    let is_changed = policy.as_ref().is_some_and(|policy| {
        let differs = |new: Option<u64>, old| new.is_some() && new != old;
        differs(policy.runs_a_day, runs_a_day) || differs(policy.bytes_a_day, bytes_a_day)
    });
    if is_changed {
        let reason = "runs_a_day, bytes_a_day: only a token for all applications sets quotas";
        return Err(store::Error::Query(reason.to_owned()));
    }
    if policy.is_none() && policies.default.quotas() == (runs_a_day, bytes_a_day) {
        return Ok(None);
    }
    Ok(Some(Policy {
        runs_a_day,
        bytes_a_day,
        ..policy.unwrap_or_else(|| policies.default.clone())
    }))
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
    /// The application; without one, those that have no policy of their own, which can only be counted.
    #[serde(default)]
    app: Option<String>,
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
    may_set(&caller, asked.app.as_deref())?;
    let Retain {
        app,
        policy,
        dry_run,
    } = asked;
    let Some(app) = app else {
        if !dry_run {
            return Err(Problem::bad("app: name the application to remove runs of"));
        }
        return Ok(Json(
            ask(&state, move |store| of_others(store, policy)).await?,
        ));
    };
    let name = app.clone();
    let removed = change(&state, move |store| {
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

/// What a policy would remove of the applications that have none of their own.
fn of_others(store: &dyn Store, policy: Option<Policy>) -> store::Result<Removed> {
    let policies = store.policies()?;
    let policy = policy.unwrap_or_else(|| policies.default.clone());
    policy.check()?;
    let has_own = |name: &str| policies.apps.iter().any(|own| own.app == name);
    let mut sum = Removed::default();
    for app in store.apps()?.into_iter().filter(|app| !has_own(&app.name)) {
        let of_app = store.removable(&app.name, &policy, now_us())?;
        sum.runs += of_app.runs;
        sum.bytes += of_app.bytes;
        sum.by_age += of_app.by_age;
        sum.by_count += of_app.by_count;
        sum.by_size += of_app.by_size;
        sum.cells += of_app.cells;
    }
    Ok(sum)
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
    let ago = u64::from(back.days.unwrap_or(30)).saturating_mul(DAY_US);
    let since = now_us().saturating_sub(ago);
    let app = caller.app;
    let removals = ask(&state, move |store| store.removals(app.as_deref(), since)).await?;
    Ok(Json(Removals { removals }))
}
