//! The report on samples: how often each function was seen.

use std::cmp::Reverse;

use profile::{FlatTable, SampledFunction, Samples};

use super::pattern::Pattern;
use super::table::{Cell, Column, Row, Table};
use crate::args::{Sort, TableArguments};
use crate::terminal::printable;
use crate::units::{count, counted, percent, time};

/// One line: what was recorded.
pub(super) fn summary(samples: &Samples) -> String {
    let times = samples.samples.iter().map(|sample| sample.taken_unix_us);
    let span_us = times.clone().max().unwrap_or(0) - times.min().unwrap_or(0);
    let span_ns = i64::try_from(span_us.saturating_mul(1_000)).unwrap_or(i64::MAX);
    format!(
        "sampled · {} over {} · {}",
        counted(samples.samples.len() as u64, "sample"),
        time(span_ns).trim_end(),
        counted(samples.symbols.len() as u64, "function"),
    )
}

/// The table of functions by samples. There are no calls, CPU times or sizes
/// to sort by: self stands in for them.
pub(super) fn table(
    samples: &Samples,
    arguments: &TableArguments,
    pattern: Option<&Pattern>,
) -> Table {
    let name = |function: &SampledFunction| {
        let symbol = samples.symbols.get(function.symbol.index());
        symbol.map_or(&b""[..], |symbol| &symbol.name)
    };
    let mut functions = samples.functions();
    functions.retain(|function| pattern.is_none_or(|pattern| pattern.matches(name(function))));
    functions.sort_by_cached_key(|function| {
        let key = match arguments.sort {
            Sort::Wall => (function.inclusive, function.own),
            Sort::Name => (0, 0),
            _ => (function.own, function.inclusive),
        };
        (Reverse(key), name(function).to_vec())
    });
    let limit = if arguments.limit == 0 {
        usize::MAX
    } else {
        arguments.limit
    };
    let left_out = functions.split_off(functions.len().min(limit));
    let signed = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let total = signed(samples.samples.len() as u64);
    let share = |count: u64| FlatTable::percent(signed(count), total);
    let column = |title, is_sorted_by| Column {
        title,
        dispensable: 0,
        is_sorted_by,
    };
    let by_inclusive = arguments.sort == Sort::Wall;
    Table {
        columns: vec![
            column("self", !by_inclusive && arguments.sort != Sort::Name),
            column("%", false),
            column("incl", by_inclusive),
            column("%", false),
        ],
        rows: functions
            .iter()
            .map(|function| Row {
                cells: vec![
                    Cell::plain(count(function.own)),
                    Cell::share(share(function.own)),
                    Cell::plain(count(function.inclusive)),
                    Cell::plain(percent(share(function.inclusive))),
                ],
                name: printable(name(function)),
            })
            .collect(),
        left_out: left_out.len() as u64,
        left_out_share: share(left_out.iter().map(|function| function.own).sum()),
    }
}
