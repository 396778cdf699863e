//! `--lines`: the source lines, the costliest first.

use std::cmp::Reverse;

use anyhow::{Result, bail};
use profile::{FlatTable, Metric, Profile, SymbolId};
use serde_json::Value;
use view::{Document, LineRow};

use super::columns::titles;
use super::json;
use super::pattern::Pattern;
use super::table::{Cell, Column, Row, Table};
use crate::args::{Sort, TableArguments};
use crate::terminal::printable;
use crate::units::{amount, count, counted, percent};

/// How many are shown by default.
const LIMIT: usize = 25;

/// What to do where a profile has no lines.
const NO_LINES: &str = "the profile has no lines: samples have them (`xhprof run --mode sample -o run.xhp -- \
                        script.php`, `xhprof attach PID -o run.xhp`), calls if they were recorded with \
                        `--flags +lines`, and files of Callgrind or pprof";

/// The lines of a profile, or an error that says how to record them.
pub(crate) fn lines(document: &Document) -> Result<Vec<LineRow<'_>>> {
    let lines = document.lines();
    if lines.is_empty() {
        bail!(NO_LINES);
    }
    Ok(lines)
}

/// The lines: sorted, filtered and cut.
pub(super) struct LineTable<'p> {
    profile: &'p Profile,
    metric: Metric,
    sort: Sort,
    total: i64,
    pub(super) rows: Vec<LineRow<'p>>,
    /// How many the limit left out.
    pub(super) others: usize,
}

impl<'p> LineTable<'p> {
    pub(super) fn new(
        document: &'p Document,
        arguments: &TableArguments,
        limit: Option<usize>,
        (pattern, functions): (Option<&Pattern>, Option<&[SymbolId]>),
        total: i64,
    ) -> Result<Self> {
        let profile = document.profile();
        let metric = Metric::from(arguments.metric);
        let sort = arguments.sort.unwrap_or(Sort::Own);
        let mut rows = lines(document)?;
        rows.retain(|row| {
            pattern.is_none_or(|pattern| {
                let mut functions = row.functions.iter();
                row.file.is_some_and(|file| pattern.matches(file))
                    || functions.any(|symbol| pattern.matches(profile.name(*symbol)))
            })
        });
        match functions {
            // Those of a function stay in their order.
            Some(wanted) => rows.retain(|row| row.functions.iter().any(|one| wanted.contains(one))),
            None => rows.sort_by_key(|row| {
                let costs = [row.own.of(metric), row.inclusive.of(metric)];
                let [first, second] = match sort {
                    Sort::Inclusive => [costs[1], costs[0]],
                    _ => costs,
                };
                (Reverse(first), Reverse(second))
            }),
        }
        let limit = limit.unwrap_or_else(|| arguments.limit_or(LIMIT));
        let others = rows.len().saturating_sub(limit);
        rows.truncate(limit);
        Ok(Self {
            profile,
            metric,
            sort,
            total,
            rows,
            others,
        })
    }

    pub(super) fn table(&self) -> Table {
        let metric = self.metric;
        let has_shares = !metric.is_signed();
        let has_calls = self.rows.iter().any(|row| row.inclusive.calls > 0);
        let [own, inclusive] = titles(metric, self.profile);
        let is = |sort| self.sort == sort;
        let mut columns = vec![Column::new("self", own).sorted_by(!is(Sort::Inclusive))];
        if has_shares {
            columns.push(Column::new("self%", "%"));
        }
        columns.push(Column::new("incl", inclusive).sorted_by(is(Sort::Inclusive)));
        if has_shares {
            columns.push(Column::new("incl%", "%").dispensable(1));
        }
        if has_calls {
            columns.push(Column::new("calls", "calls from it"));
        }
        let mut table = Table::of_functions(columns);
        table.title = "line";
        let metrics = self.profile.metrics;
        let share = |cost| FlatTable::percent(cost, self.total);
        table.rows = (self.rows.iter())
            .map(|row| {
                let [own, inclusive] = [row.own, row.inclusive].map(|costs| costs.of(metric));
                let mut cells = vec![Cell::amount(amount(metric, metrics, own))];
                if has_shares {
                    cells.push(Cell::share(share(own)));
                }
                cells.push(Cell::amount(amount(metric, metrics, inclusive)));
                if has_shares {
                    cells.push(Cell::plain(percent(share(inclusive))));
                }
                if has_calls {
                    cells.push(Cell::plain(count(row.inclusive.calls)));
                }
                Row {
                    cells,
                    depth: 0,
                    name: format!("{}  {}", place(row), functions(self.profile, row)),
                    callee: None,
                }
            })
            .collect();
        if self.others > 0 {
            let lines = counted(self.others as u64, "more line");
            table.notes.push(format!("{lines}; --limit 0 shows all"));
        }
        table
    }

    /// Adds the lines to a report.
    pub(super) fn add_to(&self, report: Value) -> Value {
        let lines = self.rows.iter().map(|row| json::line(self.profile, row));
        json::with(report, "lines", lines.collect())
    }
}

/// `/srv/app/Cart.php:12`
pub(crate) fn place(row: &LineRow<'_>) -> String {
    let file = row.file.map_or_else(|| "?".to_owned(), printable);
    format!("{file}:{}", row.line)
}

/// The functions that a line was executed in.
pub(crate) fn functions(profile: &Profile, row: &LineRow<'_>) -> String {
    let names = row
        .functions
        .iter()
        .map(|symbol| printable(profile.name(*symbol)));
    names.collect::<Vec<_>>().join(", ")
}
