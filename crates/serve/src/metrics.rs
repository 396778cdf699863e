//! Counters for `/metrics`, in Prometheus' text format.

use std::collections::VecDeque;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use serde::Serialize;
use store::{Reason, Stats};
use utoipa::ToSchema;

use crate::admission::Admission;

/// What the server counts.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) requests: AtomicU64,
    pub(crate) failed: AtomicU64,
    pub(crate) taken: AtomicU64,
    pub(crate) known: AtomicU64,
    pub(crate) refused: AtomicU64,
    pub(crate) over_quota: AtomicU64,
    refusals: Mutex<VecDeque<Refusal>>,
}

/// An upload that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Refusal {
    /// When, in microseconds since 1970.
    pub(crate) at_us: u64,
    /// The name of the sender's token.
    pub(crate) by: String,
    /// Why.
    pub(crate) reason: String,
}

/// How many refusals are kept, and how much of a reason.
const REFUSALS: usize = 50;
const REASON: usize = 300;

/// Adds one.
pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl Counters {
    /// Counts a refused upload, and keeps why.
    pub(crate) fn refuse(&self, by: &str, reason: &str) {
        count(&self.refused);
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let mut refusals = self.refusals.lock();
        refusals.truncate(REFUSALS - 1);
        refusals.push_front(Refusal {
            at_us: now.map_or(0, |now| u64::try_from(now.as_micros()).unwrap_or(0)),
            by: by.to_owned(),
            reason: reason.chars().take(REASON).collect(),
        });
    }

    /// The latest refusals first.
    pub(crate) fn refusals(&self) -> Vec<Refusal> {
        let refusals = self.refusals.lock();
        refusals.iter().cloned().collect()
    }

    /// All metrics as text.
    pub(crate) fn text(&self, stats: &Stats, crashed: u64, admission: &Admission) -> String {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let mut text = String::new();
        for (metric, value) in [
            (
                "xhprof_requests_total counter Requests.",
                of(&self.requests),
            ),
            (
                "xhprof_errors_total counter Requests that the server failed.",
                of(&self.failed),
            ),
            (
                "xhprof_runs_taken_total counter Runs that were stored.",
                of(&self.taken),
            ),
            (
                "xhprof_runs_known_total counter Runs that were sent again.",
                of(&self.known),
            ),
            (
                "xhprof_runs_refused_total counter Uploads that were refused.",
                of(&self.refused),
            ),
            (
                "xhprof_runs_over_quota_total counter Uploads that were refused because of a quota.",
                of(&self.over_quota),
            ),
            (
                "xhprof_readers_ended_total counter Processes that ended while they read an upload.",
                crashed,
            ),
            (
                "xhprof_connections_cut_total counter Connections without a token that were cut for other clients.",
                of(&admission.connections.cut),
            ),
            (
                "xhprof_bodies_bytes gauge Memory of bodies, profiles and answers on their way.",
                admission.memory.used().0,
            ),
            (
                "xhprof_bodies_peak_bytes gauge The most that they had.",
                admission.memory.used().1,
            ),
            (
                "xhprof_bodies_limit_bytes gauge The most that they may have.",
                admission.memory.limit(),
            ),
            ("xhprof_store_runs gauge Runs in the store.", stats.runs),
            (
                "xhprof_store_bytes gauge Size of the store on disk.",
                stats.disk_bytes,
            ),
        ] {
            let mut words = metric.splitn(3, ' ');
            let mut word = || words.next().unwrap_or_default();
            let (name, kind, help) = (word(), word(), word());
            let _ = writeln!(
                text,
                "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}"
            );
        }
        removed(&mut text, stats);
        text
    }
}

/// What the policies removed, with the reason as a label.
fn removed(text: &mut String, stats: &Stats) {
    for (name, help, is_sums) in [
        ("runs", "Runs that policies removed.", false),
        ("bytes", "Size of the runs that policies removed.", false),
        ("sums", "Hourly sums that policies removed.", true),
    ] {
        let _ = writeln!(
            text,
            "# HELP xhprof_removed_{name}_total {help}\n# TYPE xhprof_removed_{name}_total counter"
        );
        for of in &stats.removed {
            let value = if name == "bytes" { of.bytes } else { of.count };
            if (of.reason == Reason::Sums) == is_sums {
                let reason = of.reason.name();
                let _ = writeln!(
                    text,
                    "xhprof_removed_{name}_total{{reason=\"{reason}\"}} {value}"
                );
            }
        }
    }
}
