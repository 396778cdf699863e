//! The API, version 1, and the uploads of other tools.

mod batches;
mod describe;
mod pyroscope;
mod questions;
mod retention;
mod session;
mod sums;
mod tokens;
mod uploads;

pub(crate) use crate::asking::ask;
pub(crate) use batches::{dropped, put_batch, put_dropped, visible_dropped};
pub use describe::description;
pub(crate) use describe::openapi;
pub(crate) use pyroscope::{import_pyroscope, push_pyroscope};
pub(crate) use questions::{
    Both, Filter, all_routes, apps, days, delete_run, diff, found, function, functions, health,
    label_run, metrics, ready, releases, run, run_file, runs, selection, spans, stats, tree, trend,
    visible_apps,
};
pub(crate) use retention::{
    may_set, policies, removals, reset_default, reset_policy, retain, set as set_policy_of,
    set_default, set_policy, visible_policies,
};
#[cfg(feature = "typescript")]
pub(crate) use session::Session;
pub(crate) use session::{log_in, log_out, session};
pub(crate) use sums::{function_days, requests, route_days};
pub(crate) use tokens::{
    NewToken, ShownToken, add_token, made, removable_token, remove_token, removed, tokens,
    visible_tokens,
};
pub(crate) use uploads::{import_buggregator, import_xhgui, put_runs, within_quota};
