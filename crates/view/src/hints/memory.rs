//! One function that makes the peak of the memory in few calls.

use super::facts::{Facts, share};
use super::{Evidence, Hint};

pub(super) const ONE_ALLOCATION: &str = "one-allocation";

/// The share of the peak's growth that one function makes by itself.
const LEAST_SHARE: f64 = 0.5;
/// Less is not worth a hint: 4 MB.
const LEAST_BYTES: i64 = 4_000_000;
/// In so many calls at most: more is a sum of many allocations.
const MOST_CALLS: u64 = 10;

pub(super) fn hints(facts: &Facts<'_>) -> Vec<Hint> {
    let metrics = facts.profile.metrics;
    if !metrics.memory || !metrics.calls {
        return Vec::new();
    }
    let total = facts.flat.total.peak;
    let found = facts.flat.rows.iter().find(|row| {
        (1..=MOST_CALLS).contains(&row.inclusive.calls)
            && row.own.peak >= LEAST_BYTES
            && share(row.own.peak, total) > LEAST_SHARE
    });
    let hint = found.map(|row| {
        let share = share(row.own.peak, total);
        let mut evidence = vec![
            Evidence::bytes("peak grew by", row.own.peak),
            Evidence::share("of the peak's growth", share),
            Evidence::count("calls", row.inclusive.calls),
        ];
        let caller = facts.main_caller(&[row.symbol]);
        evidence.extend(caller.map(|caller| Evidence::function("by", facts, caller.symbol)));
        let name = facts.title_name(row.symbol);
        Hint {
            id: ONE_ALLOCATION,
            title: format!("{name} makes most of the memory's peak"),
            text: "Read or build it in parts: a generator, fgets() or a stream in place of a \
                   whole file, LIMIT or an unbuffered query in place of all rows; unset() what is \
                   not needed before."
                .to_owned(),
            evidence,
            function: Some(row.symbol.0),
            share: Some(share),
        }
    });
    hint.into_iter().collect()
}
