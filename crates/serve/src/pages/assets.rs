//! The style and the script of all pages.

use axum::http::header;
use axum::response::{IntoResponse, Response};

/// The style.
pub(crate) async fn style() -> Response {
    let kind = [(header::CONTENT_TYPE, "text/css; charset=utf-8")];
    (kind, include_str!("style.css")).into_response()
}

/// The script; the pages work without it. `./x web` makes it.
pub(crate) async fn script() -> Response {
    let kind = [(header::CONTENT_TYPE, "text/javascript; charset=utf-8")];
    (kind, include_str!("../../../../web/dist/pages.js")).into_response()
}
