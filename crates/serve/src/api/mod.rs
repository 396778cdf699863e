//! The API, version 1, and the uploads of other tools.

mod batches;
mod describe;
pub(crate) mod pages;
mod pyroscope;
mod questions;
mod retention;
mod session;
mod sums;
mod tokens;
mod uploads;
mod webhook;

pub(crate) use crate::asking::ask;
pub(crate) use batches::{dropped, put_batch, put_dropped, visible_dropped};
pub use describe::description;
pub(crate) use describe::openapi;
pub(crate) use pages::{search, series};
pub(crate) use pyroscope::{import_pyroscope, push_pyroscope};
pub(crate) use questions::{
    all_routes, apps, days, delete_run, diff, facets, function, functions, health, label_run,
    metrics, ready, releases, run, run_file, runs, spans, stats, tree, trend,
};
pub(crate) use retention::{
    policies, removals, reset_default, reset_policy, retain, set_default, set_policy,
    visible_policies,
};
pub(crate) use session::{log_in, log_out, session};
pub(crate) use sums::{function_days, requests, route_days};
pub(crate) use tokens::{add_token, remove_token, tokens};
pub(crate) use uploads::{import_buggregator, import_xhgui, put_runs, within_quota};
#[cfg(feature = "typescript")]
pub(crate) use webhook::WebhookTest;
pub(crate) use webhook::test_webhook;
#[cfg(feature = "typescript")]
pub(crate) use {session::Session, tokens::ShownToken};
