//! Where findings are sent.

use std::sync::Arc;

use axum::extract::State as Shared;
use axum::http::StatusCode;
use axum::{Extension, Json};
use serde::Serialize;
use utoipa::ToSchema;

use super::questions::{Answer, for_all};
use crate::access::Caller;
use crate::admission::work::run_blocking;
use crate::problem::Problem;
use crate::state::State;

/// What the receiver of a test answered.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct WebhookTest {
    /// Whether it took the message.
    is_taken: bool,
    /// Why not.
    reason: Option<String>,
}

/// Sends a test message to the webhook. The token must be one for all applications.
#[utoipa::path(post, path = "/api/v1/webhook/test", responses((status = 200, body = WebhookTest), (status = 404)))]
pub(crate) async fn test_webhook(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
) -> Answer<WebhookTest> {
    for_all(&caller)?;
    let missing = || {
        let reason = "the server has no webhook: start it with --webhook URL";
        Problem::new(StatusCode::NOT_FOUND, reason)
    };
    let webhook = Arc::clone(state.config.webhook.as_ref().ok_or_else(missing)?);
    let send = move || webhook.test();
    let sent = run_blocking(&state.admission.change_slots, send).await?;
    tracing::info!(target: "audit", by = caller.name, "webhook tested");
    Ok(Json(WebhookTest {
        is_taken: sent.is_ok(),
        reason: sent.err(),
    }))
}
