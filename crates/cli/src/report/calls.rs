//! The report on a profile: what each function cost.

use std::cmp::Reverse;

use profile::{FlatRow, FlatTable, Profile};

use super::pattern::Pattern;
use super::table::{Cell, Column, Row, Table};
use crate::args::{Sort, TableArguments};
use crate::terminal::printable;
use crate::units::{counted, size, time};

/// One line: what was recorded.
pub(super) fn summary(profile: &Profile) -> String {
    let table = FlatTable::new(profile);
    let root = &table.total;
    let trimmed = |text: String| text.trim_end().to_owned();
    let mut parts = vec![format!("{} wall", trimmed(time(signed(root.wall))))];
    if profile.metrics.cpu {
        parts.push(format!("{} CPU", trimmed(time(signed(root.cpu)))));
    }
    if profile.metrics.memory {
        parts.push(format!("{} peak", trimmed(size(root.peak))));
    }
    parts.push(counted(profile.calls(), "call"));
    parts.push(counted(table.rows.len() as u64, "function"));
    parts.join(" · ")
}

/// The table of functions, sorted, filtered and cut.
pub(super) fn table(
    profile: &Profile,
    arguments: &TableArguments,
    pattern: Option<&Pattern>,
) -> Table {
    let flat = FlatTable::new(profile);
    let mut rows: Vec<&FlatRow> = flat
        .rows
        .iter()
        .filter(|row| pattern.is_none_or(|pattern| pattern.matches(profile.name(row.symbol))))
        .collect();
    sort(&mut rows, profile, arguments.sort);
    let limit = if arguments.limit == 0 {
        usize::MAX
    } else {
        arguments.limit
    };
    let left_out = rows.split_off(rows.len().min(limit));
    let left_out_wall = left_out
        .iter()
        .fold(0_i64, |sum, row| sum.saturating_add(row.own.wall));
    let total = signed(flat.total.wall);
    Table {
        columns: columns(profile, arguments.sort),
        rows: rows
            .into_iter()
            .map(|row| table_row(profile, row, total))
            .collect(),
        left_out: left_out.len() as u64,
        left_out_share: FlatTable::percent(left_out_wall, total),
    }
}

fn columns(profile: &Profile, sort: Sort) -> Vec<Column> {
    let column = |title, dispensable, key| Column {
        title,
        dispensable,
        is_sorted_by: Some(sort) == key,
    };
    let mut columns = vec![
        column("calls", 0, Some(Sort::Calls)),
        column("self   ", 0, Some(Sort::Own)),
        column("%", 0, None),
        column("incl   ", 0, Some(Sort::Wall)),
        column("%", 1, None),
    ];
    if profile.metrics.cpu {
        columns.push(column("self cpu", 2, Some(Sort::Cpu)));
    }
    if profile.metrics.memory {
        columns.push(column("self mem", 3, Some(Sort::Memory)));
        columns.push(column("self peak", 4, Some(Sort::Peak)));
    }
    columns
}

fn table_row(profile: &Profile, row: &FlatRow, total: i64) -> Row {
    let FlatRow { inclusive, own, .. } = row;
    let mut cells = vec![
        Cell::plain(crate::units::count(inclusive.calls)),
        Cell::amount(time(own.wall)),
        Cell::share(FlatTable::percent(own.wall, total)),
        Cell::amount(time(signed(inclusive.wall))),
        Cell::plain(crate::units::percent(FlatTable::percent(
            signed(inclusive.wall),
            total,
        ))),
    ];
    if profile.metrics.cpu {
        cells.push(Cell::amount(time(own.cpu)));
    }
    if profile.metrics.memory {
        cells.push(Cell::amount(size(own.memory)));
        cells.push(Cell::amount(size(own.peak)));
    }
    Row {
        cells,
        name: printable(profile.name(row.symbol)),
    }
}

/// Largest first; what is equal by name, so that the order is always the same.
fn sort(rows: &mut [&FlatRow], profile: &Profile, sort: Sort) {
    let name = |row: &FlatRow| profile.name(row.symbol).to_vec();
    rows.sort_by_cached_key(|row| {
        let key = match sort {
            Sort::Own => row.own.wall,
            Sort::Wall => signed(row.inclusive.wall),
            Sort::Calls => signed(row.inclusive.calls),
            Sort::Cpu => row.own.cpu,
            Sort::Memory => row.own.memory,
            Sort::Peak => row.own.peak,
            Sort::Name => 0,
        };
        (Reverse(key), name(row))
    });
}

/// A sum as a signed number, for units and shares.
fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
