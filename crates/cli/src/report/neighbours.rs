//! `--callers` and `--callees`: one function, and its callers or callees.

use anyhow::Result;
use profile::{FlatTable, Metric, Profile, SymbolId};
use unicode_width::UnicodeWidthStr;
use view::{Document, FunctionQuery, FunctionRow, NeighbourRow};

use super::columns::{self, COSTS, titles};
use super::pattern::Pattern;
use super::table::{Cell, Column, Row, Table};
use crate::args::TableArguments;
use crate::terminal::{Look, Style, printable};
use crate::units::{amount, count, counted};

/// The default number of neighbours.
const LIMIT: usize = 25;

/// Which side of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Callers,
    Callees,
}

impl Direction {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Callers => "callers",
            Self::Callees => "callees",
        }
    }
}

/// A function and its neighbours on one side, costliest first.
pub(super) struct Beside<'p> {
    pub(super) profile: &'p Profile,
    metric: Metric,
    pub(super) direction: Direction,
    pub(super) function: FunctionRow,
    pub(super) neighbours: Vec<NeighbourRow>,
    pub(super) left_out: usize,
    /// The total that percentages refer to.
    pub(super) whole: i64,
}

impl<'p> Beside<'p> {
    /// The neighbours of `function`.
    pub(super) fn new(
        document: &'p Document,
        function: SymbolId,
        direction: Direction,
        arguments: &TableArguments,
        limit: Option<usize>,
        pattern: Option<&Pattern>,
    ) -> Result<Self> {
        let metric = Metric::from(arguments.metric);
        let page = document.function(&FunctionQuery {
            function: function.0,
            metric: metric.into(),
        })?;
        let mut neighbours = match direction {
            Direction::Callers => page.callers,
            Direction::Callees => page.callees,
        };
        let whole = match metric {
            Metric::Calls => neighbours
                .iter()
                .fold(0, |sum: i64, one| sum.saturating_add(one.costs.of(metric))),
            metric => page.row.inclusive.of(metric),
        };
        let profile = document.profile();
        let name = |one: &NeighbourRow| profile.name(SymbolId(one.function));
        neighbours.retain(|one| pattern.is_none_or(|pattern| pattern.matches(name(one))));
        let limit = limit.unwrap_or_else(|| arguments.limit_or(LIMIT));
        let left_out = neighbours.len().saturating_sub(limit);
        neighbours.truncate(limit);
        Ok(Self {
            profile,
            metric,
            direction,
            function: page.row,
            neighbours,
            left_out,
            whole,
        })
    }

    /// As lines for people.
    pub(super) fn render(&self, look: Look, columns: &[String]) -> Result<String> {
        let metrics = self.profile.metrics;
        let FunctionRow { inclusive, own, .. } = &self.function;
        let text = |value| amount(self.metric, metrics, value).trim_end().to_owned();
        let name = printable(self.profile.name(SymbolId(self.function.function)));
        let mut facts = vec![];
        if self.metric != Metric::Calls {
            let (own, inclusive) = (own.of(self.metric), inclusive.of(self.metric));
            facts.push(format!("{} self", text(own)));
            facts.push(format!("{} incl", text(inclusive)));
        }
        if metrics.calls {
            facts.push(counted(inclusive.calls, "call"));
        }
        let facts = facts.join(" · ");
        let fits = name.width() + 2 + facts.width() <= look.width;
        let separator = if fits { "  " } else { "\n" };
        // Never shortened: the rows below refer to this name.
        let name = look.paint(Style::Bold, &name);
        let head = format!("{name}{separator}{facts}\n\n");
        if self.neighbours.is_empty() {
            let nothing = match self.direction {
                Direction::Callers => "no function calls it",
                Direction::Callees => "it calls no function",
            };
            return Ok(format!("{head}{nothing}\n"));
        }
        let table = self.table().with_columns(columns)?;
        Ok(head + &table.render(look))
    }

    fn table(&self) -> Table {
        let metrics = self.profile.metrics;
        let has_shares = !self.metric.is_signed();
        let mut columns = Vec::new();
        if metrics.calls {
            let is_sorted_by = self.metric == Metric::Calls;
            columns.push(Column::new("calls", "calls").sorted_by(is_sorted_by));
        }
        if self.metric != Metric::Calls {
            let title = titles(self.metric, self.profile)[1];
            columns.push(Column::new("incl", title).sorted_by(true));
        }
        columns.extend(has_shares.then(|| Column::new("incl%", "%")));
        let is_usual = |cost| cost != self.metric;
        let costs = columns::of_costs(self.profile, true, is_usual);
        columns.extend(costs.into_iter().map(|(_, column)| column));
        let rows = self.neighbours.iter().map(|neighbour| {
            let cost = neighbour.costs.of(self.metric);
            let mut cells = Vec::new();
            if metrics.calls {
                cells.push(Cell::plain(count(neighbour.costs.calls)));
            }
            if self.metric != Metric::Calls {
                cells.push(Cell::amount(amount(self.metric, metrics, cost)));
            }
            cells.extend(has_shares.then(|| Cell::share(FlatTable::percent(cost, self.whole))));
            let costs = COSTS.into_iter().filter(|&cost| self.profile.shows(cost));
            let text = |cost: Metric| amount(cost, metrics, neighbour.costs.of(cost));
            cells.extend(costs.map(|cost| Cell::amount(text(cost))));
            Row {
                cells,
                depth: 0,
                name: printable(self.profile.name(SymbolId(neighbour.function))),
                callee: None,
            }
        });
        let note = (self.left_out > 0).then(|| {
            let more = format!(
                "{} more {}",
                count(self.left_out as u64),
                self.direction.name()
            );
            format!("{more}; --limit 0 shows all")
        });
        Table {
            title: match self.direction {
                Direction::Callers => "caller",
                Direction::Callees => "callee",
            },
            columns,
            rows: rows.collect(),
            notes: note.into_iter().collect(),
            chosen: None,
        }
    }
}
