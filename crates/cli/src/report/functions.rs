//! The table of functions: the self and inclusive cost of each.

use std::cmp::Reverse;

use profile::{Body, FlatRow, FlatTable, Metric, Profile, SymbolId};

use super::columns::{self, COSTS, titles};
use super::pattern::Pattern;
use super::table::{Cell, Column, Row, Table, left_out};
use crate::args::{Sort, TableArguments};
use crate::terminal::printable;
use crate::units::{amount, count, percent};

/// The default number of functions.
const LIMIT: usize = 25;

/// The rows of the table: sorted, filtered and cut.
pub(super) struct Functions<'p> {
    pub(super) profile: &'p Profile,
    pub(super) metric: Metric,
    pub(super) flat: FlatTable,
    /// How many functions the limit left out, and their self cost.
    left_out: (usize, i64),
    total: i64,
    sort: Sort,
}

impl<'p> Functions<'p> {
    /// The functions of a profile.
    pub(super) fn new(
        profile: &'p Profile,
        arguments: &TableArguments,
        limit: Option<usize>,
        pattern: Option<&Pattern>,
    ) -> Self {
        Self::of(profile, arguments, limit, |symbol| {
            pattern.is_none_or(|pattern| pattern.matches(profile.name(symbol)))
        })
    }

    /// The rows of the given functions.
    pub(super) fn of(
        profile: &'p Profile,
        arguments: &TableArguments,
        limit: Option<usize>,
        is_wanted: impl Fn(SymbolId) -> bool,
    ) -> Self {
        let metric = Metric::from(arguments.metric);
        let sort = arguments.sort.unwrap_or(Sort::Own);
        let mut flat = FlatTable::new(profile);
        let total = total(profile, metric);
        flat.rows.retain(|row| is_wanted(row.symbol));
        let key = |row: &FlatRow| match sort {
            Sort::Own => own(metric, row),
            Sort::Inclusive => metric.of(&row.inclusive),
            Sort::Calls => Metric::Calls.of(&row.inclusive),
            Sort::Cpu => row.own.cpu,
            Sort::Memory => row.own.memory,
            Sort::Peak => row.own.peak,
            Sort::Name => 0,
        };
        // Largest first. Equal rows are sorted by name, so that the order is
        // always the same.
        flat.rows.sort_by_cached_key(|row| {
            // Samples are few: most functions have no self samples.
            let inclusive = match sort {
                Sort::Name => (0, 0),
                _ if profile.metrics.calls => (0, 0),
                _ => (own(metric, row), metric.of(&row.inclusive)),
            };
            let name = profile.name(row.symbol).to_vec();
            (Reverse(key(row)), Reverse(inclusive), name)
        });
        let limit = limit.unwrap_or_else(|| arguments.limit_or(LIMIT));
        let others = flat.rows.split_off(flat.rows.len().min(limit));
        let costs = others.iter().map(|row| own(metric, row));
        let left_out = (others.len(), costs.fold(0, i64::saturating_add));
        Self {
            profile,
            metric,
            flat,
            left_out,
            total,
            sort,
        }
    }

    /// As a table for people.
    pub(super) fn table(&self) -> Table {
        let mut table = Table::of_functions(self.columns());
        table.rows = self.flat.rows.iter().map(|row| self.row(row)).collect();
        let (number, cost) = self.left_out;
        let share = (!self.metric.is_signed()).then(|| FlatTable::percent(cost, self.total));
        table.notes.extend(left_out(number, share));
        table
    }

    fn columns(&self) -> Vec<Column> {
        let metrics = self.profile.metrics;
        let is = |sort| self.sort == sort;
        let calls = || Column::new("calls", "calls").sorted_by(is(Sort::Calls));
        let share = Column::new("self%", "%");
        let mut columns = Vec::new();
        if self.metric == Metric::Calls {
            columns
                .push(calls().sorted_by(is(Sort::Calls) || is(Sort::Own) || is(Sort::Inclusive)));
            columns.push(Column::new("calls%", "%"));
        } else {
            if metrics.calls {
                columns.push(calls());
            }
            let [own, inclusive] = titles(self.metric, self.profile);
            let has_shares = !self.metric.is_signed();
            columns.push(Column::new("self", own).sorted_by(is(Sort::Own)));
            columns.extend(has_shares.then_some(share));
            columns.push(Column::new("incl", inclusive).sorted_by(is(Sort::Inclusive)));
            columns.extend(has_shares.then(|| Column::new("incl%", "%").dispensable(1)));
        }
        let own = columns::of_costs(self.profile, false, |cost| cost != self.metric);
        columns.extend(own.into_iter().map(|column| {
            let is_sorted_by = match column.key {
                "cpu" => is(Sort::Cpu),
                "memory" => is(Sort::Memory),
                "peak" => is(Sort::Peak),
                _ => false,
            };
            column.sorted_by(is_sorted_by)
        }));
        columns.extend(columns::of_costs(self.profile, true, |_| false));
        columns
    }

    fn row(&self, row: &FlatRow) -> Row {
        let metrics = self.profile.metrics;
        let text = |metric, value| amount(metric, metrics, value);
        let share = |value| FlatTable::percent(value, self.total);
        let (own_cost, inclusive) = (own(self.metric, row), self.metric.of(&row.inclusive));
        let calls = Cell::plain(count(row.inclusive.calls));
        let mut cells = Vec::new();
        if self.metric == Metric::Calls {
            cells.push(calls);
            cells.push(Cell::share(share(own_cost)));
        } else {
            if metrics.calls {
                cells.push(calls);
            }
            let has_shares = !self.metric.is_signed();
            cells.push(Cell::amount(text(self.metric, own_cost)));
            cells.extend(has_shares.then(|| Cell::share(share(own_cost))));
            cells.push(Cell::amount(text(self.metric, inclusive)));
            cells.extend(has_shares.then(|| Cell::plain(percent(share(inclusive)))));
        }
        let costs = || COSTS.into_iter().filter(|&cost| self.profile.shows(cost));
        cells.extend(costs().map(|cost| Cell::amount(text(cost, own(cost, row)))));
        cells.extend(costs().map(|cost| Cell::amount(text(cost, cost.of(&row.inclusive)))));
        Row {
            cells,
            depth: 0,
            name: printable(self.profile.name(row.symbol)),
            callee: None,
        }
    }
}

/// The total that percentages refer to.
pub(super) fn total(profile: &Profile, metric: Metric) -> i64 {
    match metric {
        // A profile of `main()` alone has one call.
        Metric::Calls => i64::try_from(profile.calls()).unwrap_or(i64::MAX),
        metric => match &profile.body {
            Body::Edges(edges) => metric.of(&edges.root),
            Body::Tree(tree) => metric.of(&tree.root_cost()),
            _ => metric.of(&profile.tree().unwrap_or_default().root_cost()),
        },
    }
}

fn own(metric: Metric, row: &FlatRow) -> i64 {
    metric.of_own(&row.own, row.inclusive.calls)
}
