//! The login of a browser: a token becomes a session.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{ConnectInfo, State as Shared};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};

use super::frame::bare;
use super::html::error;
use crate::access::Access;
use crate::client::client;
use crate::cookie::{COOKIE, session};
use crate::state::State;
use crate::tokens;

const FORM: &str = "<form method=\"post\" action=\"/login\">\
    <input type=\"text\" hidden name=\"username\" autocomplete=\"username\" value=\"xhprof\"><label>Token <input name=\"token\" \
    type=\"password\" autocomplete=\"current-password\" required autofocus></label> \
    <button>Log in</button></form>";

/// The form.
pub(crate) async fn login(Shared(state): Shared<Arc<State>>) -> Html<String> {
    bare(&state, "Log in", FORM)
}

/// Opens a session.
pub(crate) async fn log_in(
    Shared(state): Shared<Arc<State>>,
    connection: Option<axum::Extension<ConnectInfo<SocketAddr>>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let peer = connection.map(|connection| connection.0.0.ip());
    let address = client(peer, &headers, &state.config.proxies);
    let refused = |status, reason: &str| {
        let body = error(reason) + FORM;
        (status, bare(&state, "Log in", &body)).into_response()
    };
    if address.is_some_and(|address| state.logins.is_blocked(address)) {
        let reason = "Too many failed logins. Try again in a minute.";
        return refused(StatusCode::TOO_MANY_REQUESTS, reason);
    }
    // Tokens are made of characters that a form leaves as they are.
    let text = std::str::from_utf8(&body).unwrap_or_default();
    let token = text.split('&').find_map(|pair| pair.strip_prefix("token="));
    if matches!(state.config.access, Access::WithoutLogin) {
        return Redirect::to("/").into_response();
    }
    let caller = match tokens::owner(&state, token.unwrap_or_default()).await {
        Ok(Some(caller)) => caller,
        Ok(None) => {
            if let Some(address) = address {
                state.logins.failed(address);
            }
            return refused(StatusCode::UNAUTHORIZED, "The token is wrong.");
        }
        Err(problem) => return refused(problem.status, &problem.message),
    };
    let secret = match tokens::open(&state, caller).await {
        Ok(secret) => secret,
        Err(problem) => return refused(StatusCode::SERVICE_UNAVAILABLE, &problem.message),
    };
    // A proxy in front may do HTTPS. A client that lies harms only its own session.
    let is_secure = state.config.tls.is_some()
        || headers
            .get("x-forwarded-proto")
            .is_some_and(|scheme| scheme.as_bytes() == b"https");
    let secure = if is_secure { "; Secure" } else { "" };
    let cookie =
        format!("{COOKIE}={secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200{secure}");
    let headers = [
        (header::SET_COOKIE, cookie),
        (header::LOCATION, "/".to_owned()),
    ];
    (StatusCode::SEE_OTHER, headers).into_response()
}

/// Ends the session.
pub(crate) async fn log_out(Shared(state): Shared<Arc<State>>, headers: HeaderMap) -> Response {
    if let Some(session) = session(&headers)
        && let Err(problem) = tokens::close(&state, &session).await
    {
        tracing::error!(reason = problem.message, "a session was not ended");
        return problem.into_response();
    }
    let cookie = format!("{COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
    let headers = [
        (header::SET_COOKIE, cookie),
        (header::LOCATION, "/login".to_owned()),
    ];
    (StatusCode::SEE_OTHER, headers).into_response()
}
