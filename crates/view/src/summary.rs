//! What a profile is of, and what it comes to.

use profile::{Body, Metric, Mode, WallUnit};
use serde::Serialize;

use crate::{Costs, Document, MetricName, names};

/// What a profile is of, and what it comes to.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// What was profiled: a script, a route, or the names of the files.
    pub title: String,
    /// The files it was opened from.
    pub files: Vec<String>,
    /// Shape of the data: `edges`, `tree`, `samples`, `events`.
    pub shape: &'static str,
    /// Whether whole call stacks are known.
    pub has_stacks: bool,
    /// Whether it is known when each call happened.
    pub has_times: bool,
    /// Whether costs of source lines are known.
    pub has_lines: bool,
    /// Whether stacks were looked at now and then instead of measuring calls.
    pub is_sampled: bool,
    /// A limit cut something off.
    pub is_truncated: bool,
    /// The stacks are an estimate.
    pub is_estimated: bool,
    /// What the wall metric counts.
    pub unit: Unit,
    /// The metrics that were measured, in the order to show them.
    pub metrics: Vec<MetricName>,
    /// The cost of the whole profile: that of `main()`.
    pub total: Costs,
    /// All calls, `main()` included; zero if sampled.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub calls: u64,
    /// The functions that were called.
    pub functions: u32,
    /// Nodes of the call tree; zero if there is none, or functions are listed only.
    pub nodes: u32,
    /// Samples; zero if it was not sampled.
    pub samples: u32,
    /// Spans that were recorded: statements, requests, commands.
    pub spans: u32,
    /// The greatest memory in use, in bytes, if the profile says it.
    #[cfg_attr(feature = "typescript", ts(type = "number | null"))]
    pub peak_memory: Option<u64>,
    /// When it began, in microseconds since the Unix epoch.
    #[cfg_attr(feature = "typescript", ts(type = "number | null"))]
    pub started_unix_us: Option<u64>,
    /// Everything else that the profile says of itself, in order.
    pub meta: Vec<MetaEntry>,
}

impl Document {
    /// What [`Question::Summary`](crate::Question) answers.
    #[must_use]
    pub fn summary(&self) -> Summary {
        summary(self)
    }
}

/// What the wall metric counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Nanoseconds.
    Nanoseconds,
    /// Samples.
    Samples,
}

/// One thing that a profile says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MetaEntry {
    /// What it is: `host`, `status`, a tag's name.
    pub name: String,
    /// Its value as text.
    pub value: String,
}

pub(crate) fn summary(document: &Document) -> Summary {
    let profile = document.profile();
    let index = document.index();
    let meta = &profile.meta;
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Summary {
        title: document.title().into_owned(),
        files: document.files().to_vec(),
        shape: match profile.body {
            Body::Edges(_) => "edges",
            Body::Tree(_) => "tree",
            Body::Samples(_) => "samples",
            Body::Events(_) => "events",
        },
        has_stacks: !matches!(profile.body, Body::Edges(_)),
        has_times: index.time.is_some(),
        has_lines: !profile.lines.is_empty(),
        is_sampled: meta.mode == Mode::Sampled || matches!(profile.body, Body::Samples(_)),
        is_truncated: meta.is_truncated,
        is_estimated: meta.is_estimated,
        unit: match profile.metrics.wall_unit {
            WallUnit::Nanoseconds => Unit::Nanoseconds,
            WallUnit::Samples => Unit::Samples,
        },
        metrics: metrics(document),
        total: Costs::inclusive(&index.flat.total),
        calls: document.whole().calls,
        functions: count(index.flat.rows.len()),
        nodes: index.tree.as_ref().map_or(0, |tree| count(tree.len())),
        samples: match &profile.body {
            Body::Samples(samples) => count(samples.samples.len()),
            _ => 0,
        },
        spans: count(spans(document)),
        peak_memory: meta
            .peak_memory
            .or_else(|| meta.tag("peak_memory").and_then(|peak| peak.parse().ok())),
        started_unix_us: meta.started_unix_us,
        meta: entries(document),
    }
}

/// In a comparison, those of one profile of the new side.
fn spans(document: &Document) -> usize {
    let of_new = document.comparison().and_then(|comparison| {
        let spans = comparison.spans.as_ref()?;
        let runs = usize::try_from(comparison.new_runs).unwrap_or(1).max(1);
        Some(spans.new.list.len().div_ceil(runs))
    });
    of_new.unwrap_or(document.profile().spans.list.len())
}

/// The metrics that were measured. A peak of zero everywhere was not, nor a time:
/// some profiles hold calls or sizes only, and a front end shows the first metric.
pub(crate) fn metrics(document: &Document) -> Vec<MetricName> {
    let profile = document.profile();
    let flat = &document.index().flat;
    let has_any = |metric: Metric| flat.rows.iter().any(|row| metric.of(&row.inclusive) != 0);
    let measured = Metric::ALL.into_iter();
    let measured = measured.filter(|metric| metric.is_in(profile.metrics));
    let has_time = has_any(Metric::Wall)
        || !measured
            .clone()
            .any(|metric| metric != Metric::Wall && has_any(metric));
    let is_shown = |metric: &Metric| match metric {
        Metric::Wall => has_time,
        Metric::Peak => flat.total.peak != 0,
        _ => true,
    };
    measured.filter(is_shown).map(MetricName::from).collect()
}

fn entries(document: &Document) -> Vec<MetaEntry> {
    let meta = &document.profile().meta;
    let mut entries = Vec::new();
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            entries.push(MetaEntry {
                name: names::text(name.as_bytes()),
                value: names::text(value.as_bytes()),
            });
        }
    };
    add("host", meta.host.clone());
    add("process", meta.process.map(|process| process.to_string()));
    add("interface", meta.sapi.clone());
    add("PHP", meta.php_version.clone());
    add("written by", meta.creator.clone());
    let interval = meta.interval_ns.map(|ns| format!("{} µs", ns / 1_000));
    add("sampling interval", interval);
    for (name, value) in &meta.tags {
        add(name, Some(value.clone()));
    }
    entries
}
