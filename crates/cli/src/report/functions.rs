//! The table of functions: the self and inclusive cost of each.

use profile::{FlatTable, Metric, Profile, SymbolId};
use view::{Document, FunctionRow, SortBy};

use super::columns::{self, titles};
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
        let order = order(sort, metric);
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
        let (columns, cells): (Vec<Column>, Vec<CellOf<'_>>) = self.columns().into_iter().unzip();
        let mut table = Table::of_functions(columns);
        let row = |row: &FunctionRow| Row {
            cells: cells.iter().map(|cell| cell(row)).collect(),
            depth: 0,
            name: printable(self.profile.name(SymbolId(row.function))),
            callee: None,
        };
        table.rows = self.rows.iter().map(row).collect();
        let (number, cost) = self.left_out;
        let share = (!self.metric.is_signed()).then(|| FlatTable::percent(cost, self.total));
        table.notes.extend(left_out(number, share));
        table
    }

    /// The columns in their order, each with the cell of a row in it.
    fn columns<'s>(&'s self) -> Vec<(Column, CellOf<'s>)> {
        let (metric, metrics) = (self.metric, self.profile.metrics);
        let has_shares = !metric.is_signed();
        let is = |sort| self.sort == sort;
        let amount_of = move |metric, value| Cell::amount(amount(metric, metrics, value));
        let total = self.total;
        let share = move |cost: i64| FlatTable::percent(cost, total);
        let calls: CellOf<'s> = Box::new(|row| Cell::plain(count(row.inclusive.calls)));
        let own_share: CellOf<'s> = Box::new(move |row| Cell::share(share(row.own.of(metric))));
        let mut columns: Vec<(Column, CellOf<'s>)> = Vec::new();
        let mut add = |column: Column, cell: CellOf<'s>| columns.push((column, cell));
        if metric == Metric::Calls {
            let is_sorted_by = is(Sort::Calls) || is(Sort::Own) || is(Sort::Inclusive);
            add(Column::new("calls", "calls").sorted_by(is_sorted_by), calls);
            add(Column::new("calls%", "%"), own_share);
        } else {
            if metrics.calls {
                add(
                    Column::new("calls", "calls").sorted_by(is(Sort::Calls)),
                    calls,
                );
            }
            let [own, inclusive] = titles(metric, self.profile);
            add(
                Column::new("self", own).sorted_by(is(Sort::Own)),
                Box::new(move |row| amount_of(metric, row.own.of(metric))),
            );
            if has_shares {
                add(Column::new("self%", "%"), own_share);
            }
            add(
                Column::new("incl", inclusive).sorted_by(is(Sort::Inclusive)),
                Box::new(move |row| amount_of(metric, row.inclusive.of(metric))),
            );
            if has_shares {
                add(
                    Column::new("incl%", "%").dispensable(1),
                    Box::new(move |row| Cell::plain(percent(share(row.inclusive.of(metric))))),
                );
            }
        }
        for (cost, column) in columns::of_costs(self.profile, false, |cost| cost != metric) {
            let is_sorted_by = match cost {
                Metric::Cpu => is(Sort::Cpu),
                Metric::Memory => is(Sort::Memory),
                Metric::Peak => is(Sort::Peak),
                Metric::Wall | Metric::Calls => false,
            };
            let cell = move |row: &FunctionRow| amount_of(cost, row.own.of(cost));
            add(column.sorted_by(is_sorted_by), Box::new(cell));
        }
        for (cost, column) in columns::of_costs(self.profile, true, |_| false) {
            let cell = move |row: &FunctionRow| amount_of(cost, row.inclusive.of(cost));
            add(column, Box::new(cell));
        }
        columns
    }
}

/// What a row has in a column.
type CellOf<'a> = Box<dyn Fn(&FunctionRow) -> Cell + 'a>;

/// What the engine sorts by.
fn order(sort: Sort, metric: Metric) -> SortBy {
    match sort {
        Sort::Inclusive => SortBy::Inclusive(metric.into()),
        Sort::Calls => SortBy::Inclusive(Metric::Calls.into()),
        Sort::Own | Sort::Cpu | Sort::Memory | Sort::Peak => {
            SortBy::Own(sort.cost().unwrap_or(metric).into())
        }
        Sort::Name => SortBy::Name,
    }
}
