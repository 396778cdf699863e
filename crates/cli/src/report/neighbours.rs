//! `--callers` and `--callees`: one function, and those beside it.

use std::cmp::Reverse;

use anyhow::Result;
use profile::{FlatRow, FlatTable, Metric, Neighbour, Neighbours, Profile};
use unicode_width::UnicodeWidthStr;

use super::functions::titles;
use super::lookup;
use super::pattern::Pattern;
use super::table::{Cell, Column, Row, Table};
use crate::args::TableArguments;
use crate::terminal::{Look, Style, printable, shortened};
use crate::units::{amount, count, counted};

/// How many are shown unless said otherwise.
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
    /// What shares are shares of.
    whole: i64,
}

impl<'p> Beside<'p> {
    /// Those beside `function`.
    pub(super) fn new(
        profile: &'p Profile,
        function: &str,
        direction: Direction,
        arguments: &TableArguments,
        limit: Option<usize>,
        pattern: Option<&Pattern>,
    ) -> Result<Self> {
        let metric = Metric::from(arguments.metric);
        let flat = FlatTable::new(profile);
        let function = *lookup::find(profile, &flat, function)?;
        let both = Neighbours::new(&profile.edges(), function.symbol);
        let mut neighbours = match direction {
            Direction::Callers => both.callers,
            Direction::Callees => both.callees,
        };
        let whole = match metric {
            Metric::Calls => neighbours
                .iter()
                .fold(0, |sum: i64, it| sum.saturating_add(metric.of(&it.cost))),
            metric => metric.of(&function.inclusive),
        };
        neighbours.retain(|it| pattern.is_none_or(|pat| pat.matches(profile.name(it.symbol))));
        neighbours.sort_by_cached_key(|it| {
            let key = (Reverse(metric.of(&it.cost)), Reverse(it.cost.calls));
            (key, profile.name(it.symbol).to_vec())
        });
        let limit = limit.unwrap_or_else(|| arguments.limit_or(LIMIT));
        let left_out = neighbours.len().saturating_sub(limit);
        neighbours.truncate(limit);
        Ok(Self {
            profile,
            metric,
            direction,
            function,
            neighbours,
            left_out,
            whole,
        })
    }

    /// As lines for people.
    pub(super) fn render(&self, look: Look) -> String {
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
        let name = look.paint(Style::Bold, &shortened(&name, look.width));
        let head = format!("{name}{separator}{facts}\n\n");
        if self.neighbours.is_empty() {
            let nobody = match self.direction {
                Direction::Callers => "nobody calls it",
                Direction::Callees => "it calls nobody",
            };
            return format!("{head}{nobody}\n");
        }
        head + &self.table().render(look)
    }

    fn table(&self) -> Table {
        let metrics = self.profile.metrics;
        let others = || {
            let all = Metric::ALL.into_iter();
            all.filter(|&it| it != self.metric && it != Metric::Calls && self.profile.shows(it))
        };
        let mut columns = Vec::new();
        if metrics.calls {
            columns.push(Column::new("calls").sorted_by(self.metric == Metric::Calls));
        }
        if self.metric != Metric::Calls {
            columns.push(Column::new(titles(self.metric, self.profile)[1]).sorted_by(true));
        }
        columns.push(Column::new("%"));
        for (dispensable, metric) in (2..).zip(others()) {
            let title = match metric {
                Metric::Wall => "incl wall",
                other => titles(other, self.profile)[1],
            };
            columns.push(Column::new(title).dispensable(dispensable));
        }
        let rows = self.neighbours.iter().map(|it| {
            let cost = self.metric.of(&it.cost);
            let mut cells = Vec::new();
            if metrics.calls {
                cells.push(Cell::plain(count(it.cost.calls)));
            }
            if self.metric != Metric::Calls {
                cells.push(Cell::amount(amount(self.metric, metrics, cost)));
            }
            cells.push(Cell::share(FlatTable::percent(cost, self.whole)));
            cells.extend(
                others().map(|other| Cell::amount(amount(other, metrics, other.of(&it.cost)))),
            );
            Row {
                cells,
                depth: 0,
                name: printable(self.profile.name(it.symbol)),
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
        }
    }
}
