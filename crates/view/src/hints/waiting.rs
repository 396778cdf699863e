//! Programs that wait more than they compute.

use std::collections::HashMap;

use formats::is_waiting;
use profile::{FlatRow, SymbolId};

use super::facts::Facts;
use super::{Evidence, Hint};

pub(super) const WAITING: &str = "waiting";

/// The share of the time that is waited.
const LEAST_SHARE: f64 = 0.5;
/// Less is not worth a hint: 10 ms.
const LEAST_TIME: i64 = 10_000_000;
/// A function that can wait did wait if it used the CPU for less than one part
/// in so many of its time.
const PARTS: i64 = 5;

pub(super) fn hints(facts: &Facts<'_>) -> Vec<Hint> {
    if !facts.has_timed_calls() {
        return Vec::new();
    }
    let waits = Waits::new(facts);
    let rows = facts.flat.rows.iter();
    let mut waits: Vec<(SymbolId, i64)> = rows
        .filter_map(|row| Some((row.symbol, waits.of(facts, row)?)))
        .collect();
    waits.sort_by_key(|&(symbol, time)| std::cmp::Reverse((time, symbol)));
    let times = waits.iter().map(|&(_, time)| time);
    let time = times.fold(0, i64::saturating_add);
    let Some(&(most, most_time)) = waits.first() else {
        return Vec::new();
    };
    if time < LEAST_TIME || !facts.is_worth(time, LEAST_SHARE) {
        return Vec::new();
    }
    vec![Hint {
        id: WAITING,
        title: "Waiting dominates computing".to_owned(),
        text: "Faster PHP code will not help here. Wait less: fewer or faster statements and \
               requests, an index, a cache; several requests at once (curl_multi); or do it after \
               the response, in a queue."
            .to_owned(),
        evidence: vec![
            Evidence::time("waited", facts, time),
            Evidence::time("total", facts, facts.total_time()),
            Evidence::function("mostly in", facts, most),
            Evidence::time("time in it", facts, most_time),
        ],
        function: Some(most.0),
        share: Some(facts.share_of_time(time)),
    }]
}

/// What is known of waiting.
struct Waits {
    /// The time of all spans of each function.
    spans: HashMap<SymbolId, u64>,
    has_cpu: bool,
}

impl Waits {
    fn new(facts: &Facts<'_>) -> Self {
        let mut spans: HashMap<SymbolId, u64> = HashMap::new();
        for span in &facts.profile.spans.list {
            let sum = spans.entry(span.symbol).or_default();
            *sum = sum.saturating_add(span.duration);
        }
        Self {
            spans,
            has_cpu: facts.profile.metrics.cpu,
        }
    }

    /// How long a function waited by itself; none if it did not, or if that is
    /// not known.
    fn of(&self, facts: &Facts<'_>, row: &FlatRow) -> Option<i64> {
        let span = self.spans.get(&row.symbol).copied();
        if !self.has_cpu {
            // What is in a span is not computed by PHP.
            let span = i64::try_from(span?).unwrap_or(i64::MAX);
            return Some(span.min(row.own.wall)).filter(|time| *time > 0);
        }
        let can_wait = span.is_some() || is_waiting(facts.name(row.symbol));
        let waited = row.own.wall.saturating_sub(row.own.cpu);
        let did_wait = row.own.cpu.saturating_mul(PARTS) < row.own.wall;
        (can_wait && did_wait && waited > 0).then_some(waited)
    }
}
