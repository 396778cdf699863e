//! The table of functions: filtered, sorted, one page of it.

use std::cmp::Reverse;

use profile::{FlatRow, Metric, SymbolId};
use serde::{Deserialize, Serialize};

use crate::classes::colour_of;
use crate::names::{self, Origin};
use crate::pattern::Pattern;
use crate::{Costs, Document, MetricName};

/// Which rows of the table to show.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct FunctionsQuery {
    /// Only functions whose name contains this text, in any case.
    pub filter: String,
    /// Only functions of these origins; all if empty.
    pub origins: Vec<Origin>,
    /// What comes first.
    pub sort: SortBy,
    /// Smallest first.
    pub ascending: bool,
    /// The first row to show, counted from zero.
    pub first: u32,
    /// How many rows, at most 1,000.
    pub rows: u32,
}

impl Default for FunctionsQuery {
    fn default() -> Self {
        Self {
            filter: String::new(),
            origins: Vec::new(),
            sort: SortBy::default(),
            ascending: false,
            first: 0,
            rows: 100,
        }
    }
}

/// What a table is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", tag = "by", content = "metric")]
pub enum SortBy {
    /// By name.
    Name,
    /// Inclusive cost.
    Inclusive(MetricName),
    /// Cost without callees.
    Own(MetricName),
    /// Own cost of one call.
    PerCall(MetricName),
}

impl Default for SortBy {
    fn default() -> Self {
        Self::Own(MetricName::Wall)
    }
}

/// A page of the table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Functions {
    /// How many functions match.
    pub matches: u32,
    /// How many there are.
    pub of: u32,
    /// The own cost of all that match.
    pub own: Costs,
    /// The cost of the profile, for shares; `calls` are all calls.
    pub total: Costs,
    /// The first row's place among those that match.
    pub first: u32,
    /// The rows.
    pub rows: Vec<FunctionRow>,
}

/// One function.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FunctionRow {
    /// Its number in this document.
    pub function: u32,
    /// Its name.
    pub name: String,
    /// Which part of the program it belongs to.
    pub origin: Origin,
    /// The package that it belongs to, if it is of one.
    pub package: Option<String>,
    /// The first colour of its class in the palette.
    pub colour: u32,
    /// What it cost with its callees; recursion counts once.
    pub inclusive: Costs,
    /// What it cost without its callees.
    pub own: Costs,
}

/// The most rows of one answer.
const MOST_ROWS: u32 = 1_000;

pub(crate) fn functions(document: &Document, query: &FunctionsQuery) -> Functions {
    let profile = document.profile();
    let pattern = Pattern::new(&query.filter);
    let is_wanted = |symbol: SymbolId| {
        pattern.matches(profile.name(symbol))
            && (query.origins.is_empty()
                || query
                    .origins
                    .contains(&names::origin(&profile.symbols[symbol.index()])))
    };
    let mut rows = sorted(document, is_wanted, query.sort);
    if query.ascending {
        rows.reverse();
    }
    let page = (query.first as usize, query.rows.min(MOST_ROWS) as usize);
    table(document, &rows, page)
}

impl Document {
    /// What [`Question::Functions`](crate::Question) answers, for a front end in the
    /// same process: with a choice of its own, and with any number of rows.
    #[must_use]
    pub fn functions_where(
        &self,
        is_wanted: impl Fn(SymbolId) -> bool,
        sort: SortBy,
        most: usize,
    ) -> Functions {
        table(self, &sorted(self, is_wanted, sort), (0, most))
    }
}

/// The rows from `first`, and the sums of all rows.
fn table(document: &Document, rows: &[&FlatRow], (first, most): (usize, usize)) -> Functions {
    let flat = &document.index().flat;
    let mut own = Costs::default();
    for row in rows {
        let costs = Costs::own(&row.own, row.inclusive.calls);
        own.calls = own.calls.saturating_add(costs.calls);
        own.wall = own.wall.saturating_add(costs.wall);
        own.cpu = own.cpu.saturating_add(costs.cpu);
        own.memory = own.memory.saturating_add(costs.memory);
        own.peak = own.peak.saturating_add(costs.peak);
    }
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let first = first.min(rows.len());
    let shown = rows.iter().skip(first).take(most);
    Functions {
        matches: count(rows.len()),
        of: count(flat.rows.len()),
        own,
        total: document.whole(),
        first: count(first),
        rows: shown.map(|row| function_row(document, row)).collect(),
    }
}

pub(crate) fn function_row(document: &Document, row: &FlatRow) -> FunctionRow {
    let symbol = &document.profile().symbols[row.symbol.index()];
    FunctionRow {
        function: row.symbol.0,
        name: names::text(&symbol.name),
        origin: names::origin(symbol),
        package: names::package(symbol),
        colour: colour_of(document.classes(), document.classes().of(row.symbol)),
        inclusive: Costs::inclusive(&row.inclusive),
        own: Costs::own(&row.own, row.inclusive.calls),
    }
}

/// The rows of the functions that are wanted: the largest first, names in their
/// order. Rows that are equal come by name. Where calls were not counted, samples
/// are few: most functions have none of their own, and the other cost decides
/// before the name.
fn sorted(
    document: &Document,
    is_wanted: impl Fn(SymbolId) -> bool,
    sort: SortBy,
) -> Vec<&FlatRow> {
    let profile = document.profile();
    let rows = document.index().flat.rows.iter();
    let mut rows: Vec<_> = rows.filter(|row| is_wanted(row.symbol)).collect();
    rows.sort_by(|a, b| profile.name(a.symbol).cmp(profile.name(b.symbol)));
    let inclusive = |row: &FlatRow, metric: Metric| metric.of(&row.inclusive);
    let own = |row: &FlatRow, metric: Metric| metric.of_own(&row.own, row.inclusive.calls);
    let is_counted = profile.metrics.calls;
    let other = |cost: i64| if is_counted { 0 } else { cost };
    match sort {
        SortBy::Name => {}
        SortBy::Inclusive(metric) => rows.sort_by_key(|row| {
            let metric = metric.into();
            Reverse((inclusive(row, metric), other(own(row, metric))))
        }),
        SortBy::Own(metric) => rows.sort_by_key(|row| {
            let metric = metric.into();
            Reverse((own(row, metric), other(inclusive(row, metric))))
        }),
        SortBy::PerCall(metric) => {
            rows.sort_by(|a, b| per_call(b, metric.into()).total_cmp(&per_call(a, metric.into())));
        }
    }
    rows
}

#[expect(
    clippy::cast_precision_loss,
    reason = "an average is compared, not summed"
)]
fn per_call(row: &FlatRow, metric: Metric) -> f64 {
    let own = metric.of_own(&row.own, row.inclusive.calls);
    own as f64 / row.inclusive.calls.max(1) as f64
}
