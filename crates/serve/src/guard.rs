//! What every request must pass: the right name, a login, the scope, and proof
//! that a page of ours sent it.
//!
//! **Invariant:** a path that is not in `routes` is refused before anything
//! else, so a route without a scope cannot exist.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::body::to_bytes;
use axum::extract::{ConnectInfo, MatchedPath, Request, State as Shared};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::time::timeout;

use crate::access::{Access, Caller, Scope};
use crate::address::encoded;
use crate::admission::connection_slots::Seat;
use crate::admission::{answers, bodies};
use crate::api::within_quota;
use crate::client::client;
use crate::cookie::session;
use crate::front;
use crate::metrics::count;
use crate::problem::{Message, Problem};
use crate::routes::scope_of;
use crate::state::State;
use crate::tokens;

/// The longest time of a request, its upload included.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The longest sentence of axum.
const MAX_SENTENCE: usize = 64 << 10;

/// Runs before every handler.
pub(crate) async fn check(
    Shared(state): Shared<Arc<State>>,
    request: Request,
    next: Next,
) -> Response {
    count(&state.counters.requests);
    let is_browser = asks_for_a_page(&request);
    let address = request.uri().path_and_query().map(ToString::to_string);
    let address = address.unwrap_or_default();
    let answer = timeout(TIMEOUT, answer(&state, request, next)).await;
    let mut response = match answer {
        Ok(Ok(response)) => plain_text_to_problem(response).await,
        Ok(Err(problem)) if problem.status == StatusCode::UNAUTHORIZED && is_browser => {
            let login = format!("/login?next={}", encoded(&address));
            (StatusCode::SEE_OTHER, [(header::LOCATION, login)]).into_response()
        }
        Ok(Err(problem)) => problem.into_response(),
        Err(_) => {
            let reason = "the request took longer than 60 s: send less, or select fewer runs";
            Problem::new(StatusCode::REQUEST_TIMEOUT, reason).into_response()
        }
    };
    if let Some(Message(message)) = response.extensions().get()
        && is_browser
    {
        response = (response.status(), front::problem(message)).into_response();
    }
    let mut response = answers::counted(&state.admission.memory, response);
    if response.status().is_server_error() {
        count(&state.counters.failed);
    }
    harden(response.headers_mut());
    response
}

/// The answer; as a [`Problem`] if axum refused a parameter or a body, in plain text.
async fn plain_text_to_problem(response: Response) -> Response {
    let kind = response.headers().get(header::CONTENT_TYPE);
    let is_text = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/plain"));
    if !is_text || !response.status().is_client_error() {
        return response;
    }
    let status = response.status();
    match to_bytes(response.into_body(), MAX_SENTENCE).await {
        Ok(text) => Problem::new(status, String::from_utf8_lossy(&text)).into_response(),
        Err(_) => status.into_response(),
    }
}

/// What the handler answers, if the request passes.
async fn answer(state: &Arc<State>, request: Request, next: Next) -> Result<Response, Problem> {
    let credentials = check_host_and_route(state, &request)?;
    let is_open = credentials.scope == Scope::Open;
    let caller = caller(state, credentials).await?;
    if !is_open && let Some(seat) = request.extensions().get::<Arc<Seat>>() {
        seat.mark_authenticated();
    }
    let route = request.extensions().get::<MatchedPath>();
    let limit = bodies::limit(route.map_or("", MatchedPath::as_str));
    if limit == bodies::UPLOAD && is_change(request.method()) {
        within_quota(state, &caller).await?;
    }
    require_csrf(&request, &caller)?;
    let mut request = bodies::read(&state.admission.memory, request, limit).await?;
    request.extensions_mut().insert(caller);
    Ok(next.run(request).await)
}

/// Whether a browser shows the answer.
fn asks_for_a_page(request: &Request) -> bool {
    let accepted = request.headers().get(header::ACCEPT);
    let accepted = accepted.and_then(|kinds| kinds.to_str().ok());
    let is_api = request.uri().path().starts_with("/api/");
    *request.method() == Method::GET
        && !is_api
        && accepted.is_some_and(|kinds| kinds.contains("text/html"))
}

fn is_change(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD)
}

/// The scope that a request needs; none if there is no such route.
fn scope(request: &Request) -> Option<Scope> {
    let matched = request.extensions().get::<MatchedPath>()?;
    scope_of(request.method(), matched.as_str())
}

/// What is at no route.
pub(crate) async fn nothing_here() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "nothing is at this address")
}

/// What says who the caller is.
struct Credentials {
    scope: Scope,
    session: Option<String>,
    token: Option<String>,
    address: Option<IpAddr>,
}

/// Refuses requests of other sites, and such that are at no route.
fn check_host_and_route(state: &State, request: &Request) -> Result<Credentials, Problem> {
    let headers = request.headers();
    check_host(state, headers)?;
    if is_change(request.method()) {
        check_origin(headers)?;
    }
    let Some(scope) = scope(request) else {
        return Err(Problem::new(
            StatusCode::NOT_FOUND,
            "nothing is at this address",
        ));
    };
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    Ok(Credentials {
        scope,
        session: session(headers),
        token: token(request),
        address: client(peer.map(|peer| peer.0.ip()), headers, &state.config.proxies),
    })
}

/// Refuses a change that only a cookie proves. The app knows the session's CSRF token, and
/// sends it in a header.
fn require_csrf(request: &Request, caller: &Caller) -> Result<(), Problem> {
    let Some(csrf) = &caller.csrf else {
        return Ok(());
    };
    if !is_change(request.method()) || scope(request) == Some(Scope::Open) {
        return Ok(());
    }
    let is_it = |sent: &str| blake3::hash(sent.as_bytes()) == blake3::hash(csrf.as_bytes());
    let sent = request.headers().get("x-csrf-token");
    if sent.is_some_and(|sent| sent.to_str().is_ok_and(is_it)) {
        return Ok(());
    }
    Err(Problem::new(
        StatusCode::FORBIDDEN,
        "the header X-CSRF-Token is missing or wrong: reload the page",
    ))
}

/// Refuses other names than ours: a page elsewhere may have its name resolve to
/// this address (DNS rebinding).
fn check_host(state: &State, headers: &HeaderMap) -> Result<(), Problem> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = hosts.next().and_then(|host| host.to_str().ok());
    if hosts.next().is_some() {
        return Err(Problem::bad("the request has two headers Host"));
    }
    let name = host.map(without_port).unwrap_or_default();
    let name = name.to_ascii_lowercase();
    let name = name.as_str();
    let config = &state.config;
    let is_ours = config.hosts.iter().any(|ours| ours.eq_ignore_ascii_case(name))
        || name == config.listen.ip().to_string()
        || config.listen.ip().is_loopback() && matches!(name, "localhost" | "127.0.0.1" | "::1")
        // A server on all addresses has as many names: there a token is needed.
        || config.listen.ip().is_unspecified()
            && config.hosts.is_empty()
            && matches!(config.access, Access::Tokens(_));
    if is_ours {
        return Ok(());
    }
    Err(Problem::new(
        StatusCode::MISDIRECTED_REQUEST,
        format!("this server is not called {name}; --host {name} allows the name"),
    ))
}

fn without_port(host: &str) -> &str {
    if let Some(rest) = host.strip_prefix('[') {
        return rest.split(']').next().unwrap_or_default();
    }
    host.split(':').next().unwrap_or_default()
}

/// Refuses what pages of other sites send. Programs send no `Origin`.
fn check_origin(headers: &HeaderMap) -> Result<(), Problem> {
    let text = |name| {
        headers
            .get(name)
            .and_then(|value: &HeaderValue| value.to_str().ok())
    };
    let is_ours = match (headers.get(header::ORIGIN), text(header::HOST)) {
        (None, _) => !matches!(
            text(header::HeaderName::from_static("sec-fetch-site")),
            Some("cross-site" | "same-site")
        ),
        (Some(origin), Some(host)) => origin.to_str().is_ok_and(|origin| {
            let place = origin.split_once("://").map(|(_, place)| place);
            place.is_some_and(|place| place.eq_ignore_ascii_case(host))
        }),
        (Some(_), None) => false,
    };
    if is_ours {
        return Ok(());
    }
    Err(Problem::new(
        StatusCode::FORBIDDEN,
        "a page of another site sent this request",
    ))
}

/// The caller, if it has the scope.
async fn caller(state: &State, credentials: Credentials) -> Result<Caller, Problem> {
    let scope = credentials.scope;
    let caller = known(state, credentials).await?;
    if !caller.may(scope) {
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            format!("this token lacks the scope {}", scope.name()),
        ));
    }
    Ok(caller)
}

async fn known(state: &State, credentials: Credentials) -> Result<Caller, Problem> {
    if matches!(state.config.access, Access::WithoutLogin) {
        return Ok(Caller::without_login());
    }
    if credentials.scope == Scope::Open {
        return Ok(Caller {
            scopes: Vec::new(),
            ..Caller::without_login()
        });
    }
    if let Some(session) = credentials.session
        && let Some(caller) = tokens::of_session(state, &session).await?
    {
        return Ok(caller);
    }
    let Some(token) = credentials.token else {
        return Err(Problem::new(
            StatusCode::UNAUTHORIZED,
            "a token is needed: `Authorization: Bearer TOKEN`",
        ));
    };
    // One program with an old token must not stop the others of its address, and
    // 256 random bits are not guessed: a right token passes in any case.
    if let Some(caller) = tokens::owner(state, &token).await? {
        return Ok(caller);
    }
    let address = credentials.address;
    if address.is_some_and(|address| state.wrong_tokens.is_blocked(address)) {
        return Err(Problem::new(
            StatusCode::TOO_MANY_REQUESTS,
            "too many wrong tokens; try again in a minute",
        ));
    }
    if let Some(address) = address {
        state.wrong_tokens.failed(address);
    }
    let address = address.map(tracing::field::display);
    tracing::warn!(address, "a wrong token");
    Err(Problem::new(StatusCode::UNAUTHORIZED, "the token is wrong"))
}

/// The token of a request. Other tools' uploads have it in the query, since
/// they cannot set a header.
fn token(request: &Request) -> Option<String> {
    let header = request.headers().get(header::AUTHORIZATION);
    let bearer = header.and_then(|value| value.to_str().ok());
    if let Some(token) = bearer.and_then(|value| value.strip_prefix("Bearer ")) {
        return Some(token.trim().to_owned());
    }
    let is_upload = matches!(
        request.uri().path(),
        "/run/import" | "/ingest" | "/api/profiler/store"
    );
    let query = request.uri().query().filter(|_| is_upload)?;
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .find(|(name, _)| *name == "token")
        .map(|(_, token)| token.to_owned())
}

/// The headers of every answer.
fn harden(headers: &mut HeaderMap) {
    const POLICY: &str = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";
    if !headers.contains_key(header::CONTENT_SECURITY_POLICY) {
        headers.insert(
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(POLICY),
        );
    }
    // The files of the app say how long they are kept.
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (
            header::HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (
            header::HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_a_name_without_its_port() {
        for (host, name) in [
            ("localhost:8470", "localhost"),
            ("[::1]:8470", "::1"),
            ("127.0.0.1", "127.0.0.1"),
            ("", ""),
        ] {
            assert_eq!(without_port(host), name);
        }
    }
}
