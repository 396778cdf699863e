//! What the server keeps, who sends it, and what it refused.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::State as Shared;
use axum::{Extension, Json};
use serde::Serialize;
use store::{AppInfo, DroppedRuns, Policies, Policy, Stats};
use utoipa::ToSchema;

use super::compared::part;
use crate::access::{Caller, Scope};
use crate::api::questions::{Answer, visible_apps};
use crate::api::{visible_dropped, visible_policies};
use crate::asking::ask;
use crate::metrics::{Counters, Refusal};
use crate::problem::Problem;
use crate::retention::now_us;
use crate::state::State;
use crate::undelivered::Refused;
use crate::webhook::Webhook;

/// How far back dropped runs are listed, in days, and how many rows there are.
const DAYS: u16 = 30;
const MAX_DROPPED: usize = 200;

/// What the settings show, tokens excepted.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct SettingsPage {
    apps: Vec<AppSize>,
    /// How long runs are kept.
    policies: Policies,
    /// The program's own default, which a user's default replaces.
    program_default: Policy,
    /// The policy of each application that has runs or a policy, by name.
    retention: Vec<AppRetention>,
    /// The applications with a quota.
    quotas: Vec<QuotaState>,
    /// The size of the store; none to a token of one application, like the next two.
    stats: Option<Stats>,
    uploads: Option<Uploads>,
    /// Where findings are sent; none if that is not set, or to a token of one application.
    webhook: Option<WebhookState>,
    /// The findings that the receiver of the webhook did not take.
    undelivered: Option<Vec<Refused>>,
    /// The runs that agents dropped in the last 30 days.
    dropped_runs: u64,
    /// The same by day, application and machine, the latest first; at most 200.
    dropped: Vec<DroppedRuns>,
    /// Whether the caller may change the policy of all applications, and see the tokens.
    is_admin: bool,
}

/// Where findings are sent.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct WebhookState {
    /// The receiver's machine. The rest of the address may be a secret.
    host: String,
    /// `plain`, `slack`, `teams` or `mattermost`.
    format: &'static str,
    /// The time between two searches, in seconds.
    every_s: u64,
    /// When a finding was last taken since the server started, in microseconds since 1970.
    last_sent_us: Option<u64>,
}

impl WebhookState {
    fn of(webhook: &Webhook) -> Self {
        let last_sent_us = webhook.last_sent_us.load(Ordering::Relaxed);
        Self {
            host: webhook.host(),
            format: webhook.format.name(),
            every_s: webhook.every.as_secs(),
            last_sent_us: (last_sent_us > 0).then_some(last_sent_us),
        }
    }
}

/// The runs of an application.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct AppSize {
    #[serde(flatten)]
    info: AppInfo,
    /// The part of the files of all that the caller sees, 0 to 1.
    part: f64,
}

/// How long the runs of an application are kept.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct AppRetention {
    app: String,
    /// Its own policy, or the default.
    policy: Policy,
    /// Whether it is its own.
    is_own: bool,
}

/// What was taken of an application today, in UTC.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct QuotaState {
    app: String,
    /// The runs of today, and how many may be taken.
    runs: u64,
    runs_a_day: Option<u64>,
    /// Their size, in bytes, and how much may be taken.
    bytes: u64,
    bytes_a_day: Option<u64>,
    is_used_up: bool,
}

/// What became of uploads since the server started.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Uploads {
    stored: u64,
    /// Sent again, so not stored.
    known: u64,
    refused: u64,
    over_quota: u64,
    /// The latest that were refused, and why.
    refusals: Vec<Refusal>,
}

impl Uploads {
    fn of(counters: &Counters) -> Self {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Self {
            stored: of(&counters.taken),
            known: of(&counters.known),
            refused: of(&counters.refused),
            over_quota: of(&counters.over_quota),
            refusals: counters.refusals(),
        }
    }
}

/// What the server keeps, who sends it, and what it refused.
#[utoipa::path(get, path = "/api/v1/pages/settings", responses((status = 200, body = SettingsPage)))]
pub(crate) async fn settings(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
) -> Answer<SettingsPage> {
    let apps = visible_apps(&state, &caller).await?;
    let policies = visible_policies(&state, &caller).await?;
    // An application may have a policy before its first run.
    let own = policies.apps.iter().map(|own| own.app.clone());
    let mut names: BTreeSet<String> = own.collect();
    names.extend(apps.iter().map(|app| app.name.clone()));
    let retention: Vec<AppRetention> = names
        .into_iter()
        .map(|app| AppRetention {
            policy: policies.of(&app).clone(),
            is_own: policies.apps.iter().any(|own| own.app == app),
            app,
        })
        .collect();
    let sees_all = caller.app.is_none();
    let stats = match sees_all {
        true => Some(ask(&state, |store| store.stats()).await?),
        false => None,
    };
    let mut dropped = visible_dropped(&state, &caller, DAYS).await?;
    let dropped_runs = dropped.iter().map(|row| row.runs).sum();
    dropped.truncate(MAX_DROPPED);
    let whole: u64 = apps.iter().map(|app| app.bytes).sum();
    Ok(Json(SettingsPage {
        quotas: quotas(&state, &retention).await?,
        apps: apps
            .into_iter()
            .map(|info| AppSize {
                part: part(info.bytes, whole).unwrap_or(0.0),
                info,
            })
            .collect(),
        policies,
        program_default: Policy::default(),
        retention,
        stats,
        uploads: sees_all.then(|| Uploads::of(&state.counters)),
        webhook: state
            .config
            .webhook
            .as_ref()
            .filter(|_| sees_all)
            .map(|webhook| WebhookState::of(webhook)),
        undelivered: sees_all.then(|| state.config.undelivered.all()),
        dropped_runs,
        dropped,
        is_admin: caller.may(Scope::Admin),
    }))
}

/// What was taken today of the applications with a quota.
async fn quotas(
    state: &Arc<State>,
    retention: &[AppRetention],
) -> Result<Vec<QuotaState>, Problem> {
    let limited = retention
        .iter()
        .filter(|of| of.policy.quotas() != (None, None));
    let limited: Vec<(String, Policy)> = limited
        .map(|of| (of.app.clone(), of.policy.clone()))
        .collect();
    if limited.is_empty() {
        return Ok(Vec::new());
    }
    ask(state, move |store| {
        let now = now_us();
        let state = |(app, policy): (String, Policy)| {
            let taken = store.taken(&app, now)?;
            Ok(QuotaState {
                app,
                runs: taken.runs,
                runs_a_day: policy.runs_a_day,
                bytes: taken.bytes,
                bytes_a_day: policy.bytes_a_day,
                is_used_up: policy.is_used_up(taken),
            })
        };
        limited.into_iter().map(state).collect()
    })
    .await
}
