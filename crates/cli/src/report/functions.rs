//! The table of functions: the self and inclusive cost of each.

use profile::{FlatTable, Metric, Profile, SymbolId};
use view::{Document, FunctionRow, MetricName, SortBy};

use super::columns::{self, COSTS, titles};
use super::pattern::Pattern;
use super::table::{Cell, Column, Row, Table, left_out};
use crate::args::{Sort, TableArguments};
use crate::terminal::printable;
use crate::units::{amount, count, percent};

/// The default number of functions.
const LIMIT: usize = 25;

/// The table: sorted, filtered and cut.
pub(super) struct Functions<'p> {
    pub(super) profile: &'p Profile,
    metric: Metric,
    pub(super) rows: Vec<FunctionRow>,
    /// How many functions the limit left out, and their self cost.
    left_out: (usize, i64),
    total: i64,
    sort: Sort,
}

impl<'p> Functions<'p> {
    /// The functions of a profile.
    pub(super) fn new(
        document: &'p Document,
        arguments: &TableArguments,
        limit: Option<usize>,
        pattern: Option<&Pattern>,
    ) -> Self {
        let profile = document.profile();
        Self::of(document, arguments, limit, |symbol| {
            pattern.is_none_or(|pattern| pattern.matches(profile.name(symbol)))
        })
    }

    /// The rows of the given functions.
    pub(super) fn of(
        document: &'p Document,
        arguments: &TableArguments,
        limit: Option<usize>,
        is_wanted: impl Fn(SymbolId) -> bool,
    ) -> Self {
        let metric = Metric::from(arguments.metric);
        let sort = arguments.sort.unwrap_or(Sort::Own);
        let limit = limit.unwrap_or_else(|| arguments.limit_or(LIMIT));
        let order = order(sort, metric, document.profile());
        let table = document.functions_where(is_wanted, order, limit);
        let shown = table.rows.iter().map(|row| row.own.of(metric));
        let shown = shown.fold(0, i64::saturating_add);
        let others = (table.matches as usize).saturating_sub(table.rows.len());
        Self {
            profile: document.profile(),
            metric,
            left_out: (others, table.own.of(metric).saturating_sub(shown)),
            total: table.total.of(metric),
            rows: table.rows,
            sort,
        }
    }

    /// How many functions the limit left out.
    pub(super) fn others(&self) -> usize {
        self.left_out.0
    }

    /// As a table for people.
    pub(super) fn table(&self) -> Table {
        let mut table = Table::of_functions(self.columns());
        table.rows = self.rows.iter().map(|row| self.row(row)).collect();
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

    fn row(&self, row: &FunctionRow) -> Row {
        let metrics = self.profile.metrics;
        let text = |metric, value| amount(metric, metrics, value);
        let share = |value| FlatTable::percent(value, self.total);
        let (own_cost, inclusive) = (row.own.of(self.metric), row.inclusive.of(self.metric));
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
        cells.extend(costs().map(|cost| Cell::amount(text(cost, row.own.of(cost)))));
        cells.extend(costs().map(|cost| Cell::amount(text(cost, row.inclusive.of(cost)))));
        Row {
            cells,
            depth: 0,
            name: printable(self.profile.name(SymbolId(row.function))),
            callee: None,
        }
    }
}

/// What the engine sorts by. Where calls were not counted, nothing can be sorted
/// by what was not measured: the self cost decides.
fn order(sort: Sort, metric: Metric, profile: &Profile) -> SortBy {
    let by = |wanted: Metric, order: fn(MetricName) -> SortBy| {
        if profile.metrics.calls || wanted.is_in(profile.metrics) {
            order(wanted.into())
        } else {
            SortBy::Own(metric.into())
        }
    };
    match sort {
        Sort::Own => by(metric, SortBy::Own),
        Sort::Inclusive => by(metric, SortBy::Inclusive),
        Sort::Calls => by(Metric::Calls, SortBy::Inclusive),
        Sort::Cpu => by(Metric::Cpu, SortBy::Own),
        Sort::Memory => by(Metric::Memory, SortBy::Own),
        Sort::Peak => by(Metric::Peak, SortBy::Own),
        Sort::Name => SortBy::Name,
    }
}
