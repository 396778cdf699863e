//! Functions so small and called so often that their calls are the cost.

use profile::FlatRow;

use super::facts::Facts;
use super::{Evidence, Hint, in_loops};

pub(super) const MANY_SMALL_CALLS: &str = "many-small-calls";

/// How many calls are many.
const LEAST_CALLS: u64 = 10_000;
/// The share of the time that they take by themselves.
const LEAST_SHARE: f64 = 0.05;
/// What a small function takes by itself in one call, less than: 500 ns.
const MOST_NANOSECONDS: u64 = 500;
/// At most so many hints.
const MOST: usize = 3;

pub(super) fn hints(facts: &Facts<'_>) -> Vec<Hint> {
    if !facts.has_timed_calls() {
        return Vec::new();
    }
    // Rules of their own know more of some functions.
    let mut rows = facts.rows(|name| !in_loops::has_rule(name));
    rows.retain(|row| is_hint(facts, row));
    rows.sort_by_key(|row| std::cmp::Reverse((row.own.wall, row.symbol)));
    rows.iter().take(MOST).map(|row| hint(facts, row)).collect()
}

fn is_hint(facts: &Facts<'_>, row: &FlatRow) -> bool {
    let calls = row.inclusive.calls;
    let own = u64::try_from(row.own.wall).unwrap_or(0);
    // What it calls is no more than a quarter of its own cost: no caller of others.
    let is_leaf = row.inclusive.wall <= own.saturating_add(own / 4);
    calls >= LEAST_CALLS
        && own / calls < MOST_NANOSECONDS
        && is_leaf
        && facts.is_worth(row.own.wall, LEAST_SHARE)
}

fn hint(facts: &Facts<'_>, row: &FlatRow) -> Hint {
    let calls = row.inclusive.calls;
    let own = u64::try_from(row.own.wall).unwrap_or(0);
    let per_call = i64::try_from(own / calls.max(1)).unwrap_or(i64::MAX);
    let mut evidence = vec![
        Evidence::count("calls", calls),
        Evidence::time("time", facts, row.own.wall),
        Evidence::time("per call", facts, per_call),
    ];
    if let Some(caller) = facts.main_caller(&[row.symbol]) {
        evidence.push(Evidence::function("mostly by", facts, caller.symbol));
        evidence.push(Evidence::count("per call of it", caller.per_call));
    }
    Hint {
        id: MANY_SMALL_CALLS,
        title: format!(
            "{} does little and is called very often",
            facts.title_name(row.symbol)
        ),
        text: "Call it less: keep its result in a variable, move the call out of the loop, or \
               write its few lines where they are needed. The profiler's own cost is a part of \
               so small a call: without it the share is smaller."
            .to_owned(),
        evidence,
        function: Some(row.symbol.0),
        share: Some(facts.share_of_time(row.own.wall)),
    }
}
