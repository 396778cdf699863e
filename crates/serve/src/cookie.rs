//! The cookie of a browser's session.

use axum::http::{HeaderMap, header};

/// The cookie of a session.
pub(crate) const COOKIE: &str = "xhprof_session";

/// The secret of the session's cookie.
pub(crate) fn session(headers: &HeaderMap) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).into_iter();
    cookies
        .filter_map(|cookie| cookie.to_str().ok())
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='))
        .find(|(name, _)| *name == COOKIE)
        .map(|(_, value)| value.to_owned())
}
