//! PHP's functions that are dear in loops: serialization, regular expressions,
//! `array_merge()`.

use profile::SymbolId;

use super::facts::Facts;
use super::{Evidence, Hint};

pub(super) const SERIALIZATION: &str = "serialization";
pub(super) const REGULAR_EXPRESSIONS: &str = "regular-expressions";
pub(super) const ARRAY_MERGE: &str = "array-merge-in-loop";

/// Functions that are looked at together.
struct Group {
    id: &'static str,
    is_in: fn(&[u8]) -> bool,
    /// The share of the time that they take by themselves.
    least_share: f64,
    /// Whether one of their callers must call them in a loop.
    needs_loop: bool,
    title: &'static str,
    text: &'static str,
}

const GROUPS: [Group; 3] = [
    Group {
        id: SERIALIZATION,
        is_in: is_serialization,
        least_share: 0.05,
        needs_loop: false,
        title: "Much of the time goes into serialization",
        text: "Serialize less: keep what was read in a variable, store only what is needed, or \
               split what is large. igbinary is faster than serialize().",
    },
    Group {
        id: REGULAR_EXPRESSIONS,
        is_in: is_regular_expression,
        least_share: 0.10,
        needs_loop: true,
        title: "Much of the time goes into regular expressions in a loop",
        text: "Match once over the whole text (preg_match_all, preg_replace_callback_array), try \
               str_contains() or strpos() first, or keep the results.",
    },
    Group {
        id: ARRAY_MERGE,
        is_in: is_array_merge,
        least_share: 0.03,
        needs_loop: true,
        title: "array_merge() in a loop copies the array each time",
        text: "Collect the parts and merge once after the loop: array_merge(...$parts). Or append \
               with foreach or array_push($all, ...$part).",
    },
];

fn is_serialization(name: &[u8]) -> bool {
    let names: [&[u8]; 9] = [
        b"serialize",
        b"unserialize",
        b"json_encode",
        b"json_decode",
        b"var_export",
        b"igbinary_serialize",
        b"igbinary_unserialize",
        b"msgpack_pack",
        b"msgpack_unpack",
    ];
    names.contains(&name)
}

fn is_regular_expression(name: &[u8]) -> bool {
    let names: [&[u8]; 8] = [
        b"preg_match",
        b"preg_match_all",
        b"preg_replace",
        b"preg_replace_callback",
        b"preg_replace_callback_array",
        b"preg_split",
        b"preg_grep",
        b"preg_filter",
    ];
    names.contains(&name)
}

fn is_array_merge(name: &[u8]) -> bool {
    let names: [&[u8]; 4] = [
        b"array_merge",
        b"array_merge_recursive",
        b"array_replace",
        b"array_replace_recursive",
    ];
    names.contains(&name)
}

/// Whether one of the rules here is about that function.
pub(super) fn has_rule(name: &[u8]) -> bool {
    GROUPS.iter().any(|group| (group.is_in)(name))
}

pub(super) fn hints(facts: &Facts<'_>) -> Vec<Hint> {
    if !facts.has_timed_calls() {
        return Vec::new();
    }
    let hints = GROUPS.iter().filter_map(|group| hint(facts, group));
    hints.collect()
}

fn hint(facts: &Facts<'_>, group: &Group) -> Option<Hint> {
    let mut rows = facts.rows(group.is_in);
    rows.sort_by_key(|row| std::cmp::Reverse((row.own.wall, row.symbol)));
    let own = rows.iter().map(|row| row.own.wall);
    let time = own.fold(0, i64::saturating_add);
    facts.is_worth(time, group.least_share).then_some(())?;
    let symbols: Vec<SymbolId> = rows.iter().map(|row| row.symbol).collect();
    let caller = facts.main_caller(&symbols)?;
    (caller.is_loop() || !group.needs_loop).then_some(())?;
    let names: Vec<&[u8]> = rows.iter().map(|row| facts.name(row.symbol)).collect();
    let mut evidence = vec![
        Evidence::text("functions", &names.join(&b", "[..])),
        Evidence::count("calls", rows.iter().map(|row| row.inclusive.calls).sum()),
        Evidence::time("time", facts, time),
        Evidence::function("mostly by", facts, caller.symbol),
    ];
    if caller.is_loop() {
        evidence.push(Evidence::count("per call of it", caller.per_call));
    }
    Some(Hint {
        id: group.id,
        title: group.title.to_owned(),
        text: group.text.to_owned(),
        evidence,
        function: Some(caller.symbol.0),
        share: Some(facts.share_of_time(time)),
    })
}
