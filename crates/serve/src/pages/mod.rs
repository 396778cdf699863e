//! The pages: plain HTML made here, without scripts, and the viewer's page.

mod chart;
mod compare;
mod html;
mod regressions;
mod routes;
mod runs;
mod session;
mod viewer;

use axum::http::header;
use axum::response::{Html, IntoResponse, Response};

use crate::problem::Problem;

pub(crate) use compare::compare;
pub(crate) use html::problem;
pub(crate) use regressions::regressions;
pub(crate) use routes::{route, routes};
pub(crate) use runs::runs;
pub(crate) use session::{log_in, log_out, login};
pub(crate) use viewer::{run, tree};

type Page = Result<Html<String>, Problem>;

/// The style of all pages.
pub(crate) async fn style() -> Response {
    (
        [(header::CONTENT_TYPE, "text/css")],
        include_str!("style.css"),
    )
        .into_response()
}
