//! The list as JSON.

use std::path::PathBuf;

use profile::{Metric, WallUnit};
use serde_json::{Map, Value, json};

use super::Entry;

/// The version of the output. It changes when programs that read it have to.
const VERSION: u32 = 1;

/// The profiles, and the skipped files.
pub(super) fn list(entries: &[Entry], left_out: &[(PathBuf, String)]) -> Value {
    let profiles: Vec<Value> = entries.iter().map(profile).collect();
    let left_out: Vec<Value> = left_out
        .iter()
        .map(|(path, reason)| json!({ "file": path.display().to_string(), "error": reason }))
        .collect();
    json!({ "version": VERSION, "profiles": profiles, "left_out": left_out })
}

/// A profile in the list.
pub(crate) fn profile(entry: &Entry) -> Value {
    let metrics = entry.summary.metrics;
    let total = &entry.summary.total;
    let mut value = Map::new();
    let mut put = |name: &str, field: Value| value.insert(name.to_owned(), field);
    put("file", entry.path.display().to_string().into());
    put("date_unix_us", entry.date.into());
    put("route", entry.route.as_str().into());
    put("status", entry.status.as_str().into());
    put("failed", entry.has_failed.into());
    put("counts", entry.summary.meta.counts.clone().into());
    let wall = match metrics.wall_unit {
        _ if entry.summary.meta.counts.is_some() => "count",
        WallUnit::Nanoseconds => "wall_ns",
        WallUnit::Samples => "samples",
    };
    put(wall, total.wall.into());
    let is_measured = |metric: Metric| metric.is_in(metrics);
    if is_measured(Metric::Cpu) {
        put("cpu_ns", total.cpu.into());
    }
    put("peak_bytes", entry.peak.into());
    if is_measured(Metric::Calls) {
        put("calls", total.calls.into());
    }
    put("spans", entry.summary.spans.into());
    let tags = entry.summary.meta.tags.iter();
    let tags: Map<String, Value> = tags
        .map(|(name, text)| (name.clone(), text.as_str().into()))
        .collect();
    put("tags", tags.into());
    Value::Object(value)
}
