//! The login of a browser: a token becomes a session.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{ConnectInfo, State as Shared};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use store::AppInfo;
use utoipa::ToSchema;

use super::questions::{Answer, visible_apps};
use crate::access::{Access, Caller, Scope};
use crate::client::client;
use crate::cookie::{COOKIE, session as session_of};
use crate::problem::Problem;
use crate::state::State;
use crate::tokens;

/// The caller of a request, and what it may see.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Session {
    /// The name of its token.
    name: String,
    /// The only application that it may see; none for all.
    app: Option<String>,
    /// What it may do: `read`, `write`, `admin`.
    scopes: Vec<String>,
    /// Whether the server asks for tokens.
    has_login: bool,
    /// What a browser with a cookie must send as `X-CSRF-Token` with changes.
    csrf: Option<String>,
    /// The applications that it sees.
    apps: Vec<AppInfo>,
    /// Set if all data are simulated.
    demo: Option<DemoState>,
    /// The version of the server.
    version: &'static str,
}

/// The simulated month of the demo.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct DemoState {
    /// The days that are stored so far; none if all are.
    stored_days: Option<u64>,
    /// All days, while they are being stored.
    days: Option<u64>,
}

/// Who is asking, what it may see, and what a page must send with changes.
#[utoipa::path(get, path = "/api/v1/session", responses((status = 200, body = Session)))]
pub(crate) async fn session(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
) -> Answer<Session> {
    Ok(Json(described(&state, caller).await?))
}

async fn described(state: &Arc<State>, caller: Caller) -> Result<Session, Problem> {
    let apps = if caller.may(Scope::Read) {
        visible_apps(state, &caller).await?
    } else {
        Vec::new()
    };
    let progress = state.demo_progress();
    let scopes = caller.scopes.iter().map(|scope| scope.name().to_owned());
    Ok(Session {
        scopes: scopes.collect(),
        has_login: matches!(state.config.access, Access::Tokens(_)),
        name: caller.name,
        app: caller.app,
        csrf: caller.csrf,
        apps,
        demo: state.config.demo.as_ref().map(|_| DemoState {
            stored_days: progress.map(|(stored, _)| stored),
            days: progress.map(|(_, days)| days),
        }),
        version: env!("CARGO_PKG_VERSION"),
    })
}

/// A login.
#[derive(Deserialize, ToSchema)]
pub(crate) struct Login {
    /// A token that may read.
    token: String,
}

/// Opens a session for the owner of a token. The answer sets a cookie.
#[utoipa::path(post, path = "/api/v1/session", request_body = Login, responses((status = 200, body = Session), (status = 401), (status = 429)))]
pub(crate) async fn log_in(
    Shared(state): Shared<Arc<State>>,
    connection: Option<Extension<ConnectInfo<SocketAddr>>>,
    headers: HeaderMap,
    Json(Login { token }): Json<Login>,
) -> Result<Response, Problem> {
    let peer = connection.map(|connection| connection.0.0.ip());
    let address = client(peer, &headers, &state.config.proxies);
    if address.is_some_and(|address| state.logins.is_blocked(address)) {
        let reason = "too many failed logins; try again in a minute";
        return Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, reason));
    }
    if matches!(state.config.access, Access::WithoutLogin) {
        let session = described(&state, Caller::without_login()).await?;
        return Ok(Json(session).into_response());
    }
    let Some(caller) = tokens::owner(&state, token.trim()).await? else {
        if let Some(address) = address {
            state.logins.failed(address);
        }
        let reason = "the token is wrong";
        return Err(Problem::new(StatusCode::UNAUTHORIZED, reason));
    };
    let secret = tokens::open(&state, caller).await?;
    let caller = tokens::of_session(&state, &secret).await?;
    let gone = || Problem::new(StatusCode::UNAUTHORIZED, "the token was just removed");
    let session = described(&state, caller.ok_or_else(gone)?).await?;
    // A proxy in front may do HTTPS. A client that lies harms only its own session.
    let is_secure = state.config.tls.is_some()
        || headers
            .get("x-forwarded-proto")
            .is_some_and(|scheme| scheme.as_bytes() == b"https");
    let secure = if is_secure { "; Secure" } else { "" };
    let cookie =
        format!("{COOKIE}={secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200{secure}");
    Ok(([(header::SET_COOKIE, cookie)], Json(session)).into_response())
}

/// Ends the session of the cookie.
#[utoipa::path(delete, path = "/api/v1/session", responses((status = 204)))]
pub(crate) async fn log_out(
    Shared(state): Shared<Arc<State>>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if let Some(session) = session_of(&headers) {
        tokens::close(&state, &session).await?;
    }
    let cookie = format!("{COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response())
}
