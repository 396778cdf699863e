//! `--callers` and `--callees`: one function, and its callers or callees.

use std::cmp::Reverse;

use anyhow::Result;
use profile::{FlatRow, FlatTable, Metric, Neighbour, Neighbours, Profile};
use unicode_width::UnicodeWidthStr;

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
    pub(super) metric: Metric,
    pub(super) direction: Direction,
    pub(super) function: FlatRow,
    pub(super) neighbours: Vec<Neighbour>,
    pub(super) left_out: usize,
    /// The total that percentages refer to.
    whole: i64,
}

impl<'p> Beside<'p> {
    /// The neighbours of `function`.
    pub(super) fn new(
        profile: &'p Profile,
        function: FlatRow,
        direction: Direction,
        arguments: &TableArguments,
        limit: Option<usize>,
        pattern: Option<&Pattern>,
    ) -> Self {
        let metric = Metric::from(arguments.metric);
        let both = Neighbours::new(&profile.edges(), function.symbol);
        let mut neighbours = match direction {
            Direction::Callers => both.callers,
            Direction::Callees => both.callees,
        };
        let whole = match metric {
            Metric::Calls => neighbours
                .iter()
                .fold(0, |sum: i64, one| sum.saturating_add(metric.of(&one.cost))),
            metric => metric.of(&function.inclusive),
        };
        neighbours
            .retain(|one| pattern.is_none_or(|pattern| pattern.matches(profile.name(one.symbol))));
        neighbours.sort_by_cached_key(|one| {
            let key = (Reverse(metric.of(&one.cost)), Reverse(one.cost.calls));
            (key, profile.name(one.symbol).to_vec())
        });
        let limit = limit.unwrap_or_else(|| arguments.limit_or(LIMIT));
        let left_out = neighbours.len().saturating_sub(limit);
        neighbours.truncate(limit);
        Self {
            profile,
            metric,
            direction,
            function,
            neighbours,
            left_out,
            whole,
        }
    }

    /// As lines for people.
    pub(super) fn render(&self, look: Look, columns: &[String]) -> Result<String> {
        let metrics = self.profile.metrics;
        let FlatRow { inclusive, own, .. } = &self.function;
        let text = |value| amount(self.metric, metrics, value).trim_end().to_owned();
        let name = printable(self.profile.name(self.function.symbol));
        let mut facts = vec![];
        if self.metric != Metric::Calls {
            let own = self.metric.of_own(own, inclusive.calls);
            facts.push(format!("{} self", text(own)));
            facts.push(format!("{} incl", text(self.metric.of(inclusive))));
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
        columns.extend(columns::of_costs(self.profile, true, is_usual));
        let rows = self.neighbours.iter().map(|neighbour| {
            let cost = self.metric.of(&neighbour.cost);
            let mut cells = Vec::new();
            if metrics.calls {
                cells.push(Cell::plain(count(neighbour.cost.calls)));
            }
            if self.metric != Metric::Calls {
                cells.push(Cell::amount(amount(self.metric, metrics, cost)));
            }
            cells.extend(has_shares.then(|| Cell::share(FlatTable::percent(cost, self.whole))));
            let costs = COSTS.into_iter().filter(|&cost| self.profile.shows(cost));
            let text = |cost: Metric| amount(cost, metrics, cost.of(&neighbour.cost));
            cells.extend(costs.map(|cost| Cell::amount(text(cost))));
            Row {
                cells,
                depth: 0,
                name: printable(self.profile.name(neighbour.symbol)),
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
