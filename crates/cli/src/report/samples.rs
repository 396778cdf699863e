//! The report on samples: how often each function was seen.

use std::cmp::Reverse;

use profile::{Body, FlatRow, FlatTable, Profile, WallUnit};

use super::pattern::Pattern;
use super::table::{Cell, Column, Row, Table};
use crate::args::{Sort, TableArguments};
use crate::terminal::printable;
use crate::units::{count, counted, percent, time};

/// One line: what was recorded.
pub(super) fn summary(profile: &Profile) -> String {
    let (samples, span) = match &profile.body {
        Body::Samples(samples) => {
            let times = samples.samples.iter().map(|sample| sample.at);
            let span = times.clone().max().unwrap_or(0) - times.min().unwrap_or(0);
            (samples.samples.len() as u64, span)
        }
        _ => (FlatTable::new(profile).total.wall, 0),
    };
    let mut parts = vec!["sampled".to_owned()];
    parts.push(match span {
        0 => counted(samples, "sample"),
        span => {
            let span = time(i64::try_from(span).unwrap_or(i64::MAX));
            format!("{} over {}", counted(samples, "sample"), span.trim_end())
        }
    });
    parts.push(counted(profile.symbols.len() as u64, "function"));
    parts.join(" · ")
}

/// The table of functions by samples. There are no calls, CPU times or sizes
/// to sort by: self stands in for them.
pub(super) fn table(
    profile: &Profile,
    arguments: &TableArguments,
    pattern: Option<&Pattern>,
) -> Table {
    let name = |function: &FlatRow| profile.name(function.symbol);
    let FlatTable {
        rows: mut functions,
        total,
    } = FlatTable::new(profile);
    let own = |function: &FlatRow| u64::try_from(function.own.wall).unwrap_or(0);
    let inclusive = |function: &FlatRow| function.inclusive.wall;
    functions.retain(|function| pattern.is_none_or(|pattern| pattern.matches(name(function))));
    functions.sort_by_cached_key(|function| {
        let key = match arguments.sort {
            Sort::Wall => (inclusive(function), own(function)),
            Sort::Name => (0, 0),
            _ => (own(function), inclusive(function)),
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
    let total = signed(total.wall);
    let share = |count: u64| FlatTable::percent(signed(count), total);
    let amount = |weight: u64| match profile.metrics.wall_unit {
        WallUnit::Samples => Cell::plain(count(weight)),
        WallUnit::Nanoseconds => Cell::amount(time(signed(weight))),
    };
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
                    amount(own(function)),
                    Cell::share(share(own(function))),
                    amount(inclusive(function)),
                    Cell::plain(percent(share(inclusive(function)))),
                ],
                name: printable(name(function)),
            })
            .collect(),
        left_out: left_out.len() as u64,
        left_out_share: share(left_out.iter().map(own).sum()),
    }
}
