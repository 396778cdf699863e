//! The same statement, request or file, again and again.

use profile::{Repeat, SpanKind, SymbolId};

use super::facts::Facts;
use super::{Evidence, Hint};

pub(super) const N_PLUS_ONE: &str = "n-plus-one";
pub(super) const REPEATED_REQUEST: &str = "repeated-request";
pub(super) const REPEATED_INCLUDE: &str = "repeated-include";

/// So often in one call it is worth a hint whatever time it took here: where
/// the database is another machine, each costs a round trip.
const MANY: u64 = 10;
/// A smaller number is worth one if it takes this share of the time.
const LEAST_SHARE: f64 = 0.05;
/// How often a file is loaded, and the share of the time that its loads take.
const LOADS: u64 = 10;
const LEAST_SHARE_OF_LOADS: f64 = 0.01;
/// At most so many hints of one rule.
const MOST: usize = 5;

/// Statements (N+1), requests and commands made several times in one call.
pub(super) fn spans(facts: &Facts<'_>) -> Vec<Hint> {
    let hints = |is_sql: bool| {
        let repeats = facts.repeats.iter();
        repeats
            .filter(move |repeat| (repeat.kind == SpanKind::Sql) == is_sql)
            .filter_map(|repeat| span(facts, repeat))
            .take(MOST)
    };
    hints(true).chain(hints(false)).collect()
}

fn span(facts: &Facts<'_>, repeat: &Repeat) -> Option<Hint> {
    // One of them is needed.
    let saved = repeat.total - repeat.total / repeat.at_least.max(1);
    let saved = i64::try_from(saved).unwrap_or(i64::MAX);
    let is_hint = repeat.at_least >= MANY || facts.is_worth(saved, LEAST_SHARE);
    is_hint.then_some(())?;
    let parent = parents(facts, &repeat.parents);
    let statement = facts.profile.spans.text_of(Some(repeat.text));
    let (id, label, title, text) = if repeat.kind == SpanKind::Sql {
        (
            N_PLUS_ONE,
            "statement",
            format!("N+1: one statement again and again in one call of {parent}"),
            advice(facts.profile.spans.text_of(Some(repeat.text))),
        )
    } else {
        (
            REPEATED_REQUEST,
            "request",
            format!("The same request again and again in one call of {parent}"),
            "Keep the answer in a variable if it is the same; else ask for several at once \
             (MGET, getMulti, a pipeline, a batch request).",
        )
    };
    let kind = match repeat.kind {
        SpanKind::Sql => String::new(),
        kind => format!("{} ", kind.name()),
    };
    let statement = [kind.as_bytes(), statement].concat();
    let mut evidence = vec![
        Evidence::text(label, &statement),
        Evidence::function("by", facts, repeat.caller),
    ];
    let parents = repeat.parents.iter().take(2);
    evidence.extend(parents.map(|parent| Evidence::function("in one call of", facts, *parent)));
    evidence.extend([
        Evidence::count("times", repeat.calls),
        Evidence::count("at least in one call", repeat.at_least),
        Evidence::time("time", facts, signed(repeat.total)),
    ]);
    Some(Hint {
        id,
        title,
        text: text.to_owned(),
        evidence,
        function: Some(repeat.caller.0),
        share: Some(facts.share_of_time(saved)),
    })
}

/// What to do instead of making a statement in a loop, by what it does.
fn advice(statement: &[u8]) -> &'static str {
    let word = statement
        .trim_ascii_start()
        .split(|byte| !byte.is_ascii_alphabetic());
    let word = word.map(<[u8]>::to_ascii_uppercase).next();
    match word.as_deref() {
        Some(b"INSERT" | b"REPLACE") => {
            "One statement is made for each row. Insert many rows with one INSERT … VALUES (…), \
             (…), and commit once for all of them."
        }
        Some(b"UPDATE" | b"DELETE") => {
            "One statement is made for each row. Change all rows with one statement, WHERE … IN \
             (…), and commit once."
        }
        Some(b"SELECT" | b"WITH") => {
            "One statement reads a list, and then one more is made for each of its N rows. Ask \
             once for all rows: a JOIN, WHERE … IN (…), or eager loading in the ORM."
        }
        _ => {
            "The statement is made in a loop. Make it once before the loop, or keep what it \
             returned."
        }
    }
}

fn parents(facts: &Facts<'_>, parents: &[SymbolId]) -> String {
    let names = parents.iter().take(2);
    let names: Vec<String> = names.map(|symbol| facts.title_name(*symbol)).collect();
    let others = if parents.len() > 2 { " or others" } else { "" };
    names.join(" or ") + others
}

/// Files that are compiled several times in one profile: templates in a loop.
pub(super) fn includes(facts: &Facts<'_>) -> Vec<Hint> {
    if !facts.has_timed_calls() {
        return Vec::new();
    }
    let mut rows = facts.rows(|name| name.starts_with(b"load::"));
    rows.retain(|row| {
        row.inclusive.calls >= LOADS && facts.is_worth(row.own.wall, LEAST_SHARE_OF_LOADS)
    });
    rows.sort_by_key(|row| std::cmp::Reverse((row.own.wall, row.symbol)));
    let hint = |row: &&profile::FlatRow| {
        let caller = facts.main_caller(&[row.symbol]);
        let file = facts.name(row.symbol).strip_prefix(b"load::");
        let calls = row.inclusive.calls;
        // It has to be loaded once.
        let saved = row.own.wall - row.own.wall / signed(calls).max(1);
        let mut evidence = vec![
            Evidence::text("file", file.unwrap_or_default()),
            Evidence::count("times", calls),
            Evidence::time("time", facts, row.own.wall),
        ];
        evidence.extend(caller.map(|caller| Evidence::function("by", facts, caller.symbol)));
        Hint {
            id: REPEATED_INCLUDE,
            title: "The same file is loaded again and again".to_owned(),
            text: "Load it once, as a function or class that is called in the loop; keep what a \
                   configuration file returns in a variable; turn OPcache on."
                .to_owned(),
            evidence,
            function: Some(row.symbol.0),
            share: Some(facts.share_of_time(saved)),
        }
    };
    rows.iter().take(MOST).map(hint).collect()
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
