//! The API, version 1, and the uploads of other tools.

mod describe;
mod questions;
mod uploads;

pub use describe::description;
pub(crate) use describe::openapi;
pub(crate) use questions::{
    Both, Filter, all_routes, apps, ask, days, delete_run, diff, found, function, functions,
    health, label_run, metrics, releases, retain, run, run_file, runs, selection, session, spans,
    stats, tree, trend, visible_apps,
};
pub(crate) use uploads::{import_buggregator, import_pyroscope, import_xhgui, put_runs};
