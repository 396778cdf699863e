//! `--tree` and `--inverted`: the costliest paths.

use profile::{FlatTable, Metric, Profile, Tree};
use view::paths::{Choice, Shown};

use super::columns::{self, COSTS, titles};
use super::pattern::Pattern;
use super::table::{Cell, Column, Row, Table};
use crate::terminal::printable;
use crate::units::{amount, count, counted};

/// The default number of lines.
pub(super) const LIMIT: usize = 100;

/// The paths of a profile, from `main()` or from their ends.
pub(super) struct Paths<'p> {
    pub(super) profile: &'p Profile,
    pub(super) of: view::paths::Paths,
}

impl<'p> Paths<'p> {
    /// The paths from `main()`; with a pattern, only those through a matching
    /// function.
    pub(super) fn of_tree(
        profile: &'p Profile,
        tree: &Tree,
        metric: Metric,
        choice: Choice,
        pattern: Option<&Pattern>,
    ) -> Self {
        let focused =
            pattern.map(|pattern| tree.focused(|symbol| pattern.matches(profile.name(symbol))));
        let tree = focused.as_ref().unwrap_or(tree);
        let mut symbols = tree.nodes.iter().map(|node| node.symbol);
        let is_nothing = pattern
            .is_some_and(|pattern| !symbols.any(|symbol| pattern.matches(profile.name(symbol))));
        let limit = if is_nothing { 0 } else { choice.limit };
        let mut of = view::paths::Paths::of_tree(tree, metric, Choice { limit, ..choice });
        if is_nothing {
            of.left_out = 0;
        }
        Self { profile, of }
    }

    /// The functions and their callers; with a pattern, matching functions only.
    pub(super) fn of_inverted(
        profile: &'p Profile,
        tree: &Tree,
        metric: Metric,
        choice: Choice,
        pattern: Option<&Pattern>,
    ) -> Self {
        let is_wanted =
            |symbol| pattern.is_none_or(|pattern| pattern.matches(profile.name(symbol)));
        let of = view::paths::Paths::of_inverted(tree, metric, choice, is_wanted);
        Self { profile, of }
    }

    /// As a table for people.
    pub(super) fn table(&self) -> Table {
        let (metric, metrics) = (self.of.metric, self.profile.metrics);
        let [own, inclusive] = titles(metric, self.profile);
        let mut columns = Vec::new();
        if metric == Metric::Calls {
            columns.push(Column::new("calls", "calls").sorted_by(true));
            columns.push(Column::new("calls%", "%"));
        } else {
            let inclusive = Column::new("incl", inclusive).sorted_by(!self.of.is_inverted);
            let own = Column::new("self", own).sorted_by(self.of.is_inverted);
            let [first, second] = self.ordered([own, inclusive]);
            let share = if self.of.is_inverted {
                "self%"
            } else {
                "incl%"
            };
            let share = (!metric.is_signed()).then(|| Column::new(share, "%"));
            columns.push(first);
            columns.extend(share);
            columns.push(second.dispensable(2));
            if metrics.calls {
                columns.push(Column::new("calls", "calls").dispensable(1));
            }
        }
        for is_inclusive in [false, true] {
            let costs = columns::of_costs(self.profile, is_inclusive, |_| false);
            columns.extend(costs.into_iter().map(|(_, column)| column));
        }
        let notes = (self.of.left_out > 0).then(|| {
            let paths = counted(self.of.left_out as u64, "more path");
            format!("{paths}; --min 0 --limit 0 shows all")
        });
        Table {
            title: if self.of.is_inverted {
                "function ← callers"
            } else {
                "call"
            },
            columns,
            rows: self.of.shown.iter().map(|node| self.row(node)).collect(),
            notes: notes.into_iter().collect(),
            chosen: None,
        }
    }

    /// A pair about the self and the inclusive cost, in the order of the columns: first
    /// the cost that paths are sorted by.
    fn ordered<T>(&self, [own, inclusive]: [T; 2]) -> [T; 2] {
        if self.of.is_inverted {
            [own, inclusive]
        } else {
            [inclusive, own]
        }
    }

    fn row(&self, node: &Shown) -> Row {
        let (metric, metrics) = (self.of.metric, self.profile.metrics);
        let own = metric.of_own(&node.own, node.inclusive.calls);
        let inclusive = metric.of(&node.inclusive);
        let [first, second] = self.ordered([own, inclusive]);
        let share = Cell::share(FlatTable::percent(first, self.of.choice.whole));
        let calls = Cell::plain(count(node.inclusive.calls));
        let text = |metric, value| Cell::amount(amount(metric, metrics, value));
        let mut cells = if metric == Metric::Calls {
            vec![calls, share]
        } else {
            let mut cells = vec![text(metric, first)];
            cells.extend((!metric.is_signed()).then_some(share));
            cells.push(text(metric, second));
            if metrics.calls {
                cells.push(calls);
            }
            cells
        };
        let costs = || COSTS.into_iter().filter(|&cost| self.profile.shows(cost));
        cells.extend(costs().map(|cost| text(cost, cost.of_own(&node.own, 0))));
        cells.extend(costs().map(|cost| text(cost, cost.of(&node.inclusive))));
        Row {
            cells,
            depth: node.depth,
            name: printable(self.profile.name(node.symbol)),
            callee: None,
        }
    }
}
