//! Counters for `/metrics`, in Prometheus' text format.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use store::Stats;

/// What the server counts.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) requests: AtomicU64,
    pub(crate) failed: AtomicU64,
    pub(crate) taken: AtomicU64,
    pub(crate) known: AtomicU64,
    pub(crate) refused: AtomicU64,
}

/// Adds one.
pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl Counters {
    /// All metrics as text.
    pub(crate) fn text(&self, stats: &Stats) -> String {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let mut text = String::new();
        for (name, kind, help, value) in [
            (
                "xhprof_requests_total",
                "counter",
                "Requests.",
                of(&self.requests),
            ),
            (
                "xhprof_errors_total",
                "counter",
                "Requests that the server failed.",
                of(&self.failed),
            ),
            (
                "xhprof_runs_taken_total",
                "counter",
                "Runs that were stored.",
                of(&self.taken),
            ),
            (
                "xhprof_runs_known_total",
                "counter",
                "Runs that were sent again.",
                of(&self.known),
            ),
            (
                "xhprof_runs_refused_total",
                "counter",
                "Uploads that were refused.",
                of(&self.refused),
            ),
            (
                "xhprof_store_runs",
                "gauge",
                "Runs in the store.",
                stats.runs,
            ),
            (
                "xhprof_store_bytes",
                "gauge",
                "Size of the store on disk.",
                stats.disk_bytes,
            ),
        ] {
            let _ = writeln!(
                text,
                "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}"
            );
        }
        text
    }
}
