//! What a page knows before its engine runs: the answers to the questions of
//! the view that it begins with.
//!
//! The engine in the page would say the same. It takes some tenths of a second
//! to start, and until then the page shows these.

use std::io;

use view::{Answer, Document, MetricName, Question};

use super::page::packed;

/// The questions, as the page asks them. `$metric` stands for the metric.
const QUESTIONS: &str = include_str!("../../../../web/src/engine/first.json");

/// The engine opens a larger profile not quite as this program does: with limits.
/// The page asks for no hints of it at once either.
const MOST: u64 = 500_000;

/// Most bytes of a page, packed: names may be long.
const LARGEST: usize = 40_000;

/// The answers, packed: `[[question, answer], …]`. None of a large profile.
pub(super) fn first(document: &mut Document, metric: MetricName) -> io::Result<Option<Vec<u8>>> {
    let summary = document.summary();
    let is_large = u64::from(summary.nodes) > MOST || summary.calls > MOST;
    // The whole file of edges is calls, and few rows.
    if is_large && summary.shape != "edges" {
        return Ok(None);
    }
    // As the page chooses it: wall time stands for the first of the profile.
    let measured = |metric: &MetricName| summary.metrics.contains(metric);
    let wanted = Some(metric).filter(|metric| *metric != MetricName::Wall && measured(metric));
    let metric = wanted.or(summary.metrics.first().copied());
    let name = serde_json::to_value(metric.unwrap_or(MetricName::Calls))?;
    let questions = QUESTIONS.replace("$metric", name.as_str().unwrap_or_default());
    let mut pairs = Vec::new();
    for asked in serde_json::from_str::<Vec<serde_json::Value>>(&questions)? {
        let question: Question = serde_json::from_value(asked.clone())?;
        // A file of callers and callees has no flame graph.
        if let Ok(answer) = document.answer(&question) {
            pairs.push((asked, answer));
        }
    }
    smallest(pairs)
}

/// As many of the first answers as fit.
fn smallest(mut pairs: Vec<(serde_json::Value, Answer)>) -> io::Result<Option<Vec<u8>>> {
    while !pairs.is_empty() {
        let bytes = packed(&serde_json::to_vec(&pairs)?)?;
        if bytes.len() <= LARGEST {
            return Ok(Some(bytes));
        }
        pairs.pop();
    }
    Ok(None)
}
