//! `--tree` and `--inverted`: the costliest paths.
//!
//! **Invariant:** the ancestors of a shown node are shown too; a node is left
//! out only if it and its descendants cost less than the shown ones.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use profile::{
    Children, Cost, FlatTable, InvertLimits, InvertedNode, Metric, NodeId, Profile, SelfCost,
    SymbolId, Tree,
};

use super::columns::{self, COSTS, titles};
use super::pattern::Pattern;
use super::table::{Cell, Column, Row, Table};
use crate::terminal::printable;
use crate::units::{amount, count, counted};

/// The default number of lines.
pub(super) const LIMIT: usize = 100;

/// A path that is shown.
pub(super) struct Shown {
    pub(super) depth: usize,
    pub(super) symbol: SymbolId,
    pub(super) inclusive: Cost,
    pub(super) own: SelfCost,
}

/// The paths of a profile, from `main()` or from their ends.
pub(super) struct Paths<'p> {
    pub(super) profile: &'p Profile,
    pub(super) metric: Metric,
    pub(super) is_inverted: bool,
    /// Parents before children, the costliest first.
    pub(super) shown: Vec<Shown>,
    pub(super) left_out: usize,
    choice: Choice,
}

/// Which paths are shown.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    /// The least cost, in percent of the whole.
    pub(super) min: f64,
    /// How many paths.
    pub(super) limit: usize,
    /// What the profile cost.
    pub(super) whole: i64,
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
        let paths = Self::new(profile, false, metric, choice);
        let mut symbols = tree.nodes.iter().map(|node| node.symbol);
        if pattern
            .is_some_and(|pattern| !symbols.any(|symbol| pattern.matches(profile.name(symbol))))
        {
            return paths;
        }
        let nodes = tree.nodes.iter().zip(tree.self_costs());
        let nodes = nodes.map(|(node, own)| InvertedNode {
            parent: node.parent,
            symbol: node.symbol,
            inclusive: node.cost,
            own,
        });
        let children = tree.children();
        paths.choosing(&nodes.collect::<Vec<_>>(), &children, |_| true)
    }

    /// The functions and their callers; with a pattern, matching functions only.
    pub(super) fn of_inverted(
        profile: &'p Profile,
        tree: &Tree,
        metric: Metric,
        choice: Choice,
        pattern: Option<&Pattern>,
    ) -> Self {
        let inverted = tree.inverted(InvertLimits::default());
        let children = inverted.to_tree().children();
        let paths = Self::new(profile, true, metric, choice);
        let is_wanted =
            |symbol| pattern.is_none_or(|pattern| pattern.matches(profile.name(symbol)));
        paths.choosing(&inverted.nodes, &children, is_wanted)
    }

    fn new(profile: &'p Profile, is_inverted: bool, metric: Metric, choice: Choice) -> Self {
        Self {
            profile,
            metric,
            is_inverted,
            shown: Vec::new(),
            left_out: 0,
            choice,
        }
    }

    /// The cost that nodes are selected and sorted by.
    fn key(&self, node: &InvertedNode) -> u64 {
        let cost = if self.is_inverted {
            self.metric.of_own(&node.own, node.inclusive.calls)
        } else {
            self.metric.of(&node.inclusive)
        };
        cost.unsigned_abs()
    }

    fn choosing(
        mut self,
        nodes: &[InvertedNode],
        children: &Children,
        is_wanted: impl Fn(SymbolId) -> bool,
    ) -> Self {
        let highest = self.highest(nodes);
        let Choice { min, limit, whole } = self.choice;
        let least = least(min, whole);
        // From the top down, always the costliest node that is left.
        let mut heap = BinaryHeap::new();
        let top: Vec<NodeId> = if self.is_inverted {
            let functions = children.of(NodeId::ROOT).iter().copied();
            functions
                .filter(|id| is_wanted(nodes[id.index()].symbol))
                .collect()
        } else {
            vec![NodeId::ROOT]
        };
        heap.extend(top.iter().map(|&id| (highest[id], Reverse(id))));
        let mut is_shown: profile::Table<NodeId, bool> = profile::Table::new(false, nodes.len());
        let mut number = 0;
        while number < limit
            && let Some((key, Reverse(id))) = heap.pop()
        {
            if key < least && id != NodeId::ROOT {
                break;
            }
            is_shown[id] = true;
            number += 1;
            let below = children.of(id).iter();
            heap.extend(below.map(|&child| (highest[child], Reverse(child))));
        }
        self.left_out = nodes.len() - usize::from(self.is_inverted) - number;
        if !top.is_empty() && top.len() < children.of(NodeId::ROOT).len() && self.is_inverted {
            // Functions that do not match do not count as left out.
            self.left_out = heap.len();
        }
        let sorted = |ids: &[NodeId]| {
            let ids = ids.iter().copied();
            let mut ids: Vec<NodeId> = ids.filter(|id| is_shown[*id]).collect();
            ids.sort_by_cached_key(|id| (self.key(&nodes[id.index()]), Reverse(*id)));
            ids
        };
        let mut shown = Vec::with_capacity(number);
        let mut walk: Vec<(NodeId, usize)> = sorted(&top).into_iter().map(|id| (id, 0)).collect();
        while let Some((id, depth)) = walk.pop() {
            let node = &nodes[id.index()];
            shown.push(Shown {
                depth,
                symbol: node.symbol,
                inclusive: node.inclusive,
                own: node.own,
            });
            walk.extend(
                sorted(children.of(id))
                    .into_iter()
                    .map(|id| (id, depth + 1)),
            );
        }
        self.shown = shown;
        self
    }

    /// The highest key of each node and all below it.
    fn highest(&self, nodes: &[InvertedNode]) -> profile::Table<NodeId, u64> {
        let keys = nodes.iter().map(|node| self.key(node));
        let mut highest: profile::Table<NodeId, u64> = keys.collect();
        let numbers = (0..).map(NodeId).take(nodes.len());
        let numbered: Vec<_> = numbers.zip(nodes).skip(1).collect();
        for (number, node) in numbered.into_iter().rev() {
            let below = highest[number];
            let parent = &mut highest[node.parent];
            *parent = below.max(*parent);
        }
        highest
    }

    /// As a table for people.
    pub(super) fn table(&self) -> Table {
        let (metric, metrics) = (self.metric, self.profile.metrics);
        let [own, inclusive] = titles(metric, self.profile);
        let mut columns = Vec::new();
        if metric == Metric::Calls {
            columns.push(Column::new("calls", "calls").sorted_by(true));
            columns.push(Column::new("calls%", "%"));
        } else {
            let inclusive = Column::new("incl", inclusive).sorted_by(!self.is_inverted);
            let own = Column::new("self", own).sorted_by(self.is_inverted);
            let [first, second] = self.ordered([own, inclusive]);
            let share = if self.is_inverted { "self%" } else { "incl%" };
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
        let notes = (self.left_out > 0).then(|| {
            let paths = counted(self.left_out as u64, "more path");
            format!("{paths}; --min 0 --limit 0 shows all")
        });
        Table {
            title: if self.is_inverted {
                "function ← callers"
            } else {
                "call"
            },
            columns,
            rows: self.shown.iter().map(|node| self.row(node)).collect(),
            notes: notes.into_iter().collect(),
            chosen: None,
        }
    }

    /// A pair about the self and the inclusive cost, in the order of the columns: first
    /// the cost that paths are sorted by.
    fn ordered<T>(&self, [own, inclusive]: [T; 2]) -> [T; 2] {
        if self.is_inverted {
            [own, inclusive]
        } else {
            [inclusive, own]
        }
    }

    fn row(&self, node: &Shown) -> Row {
        let (metric, metrics) = (self.metric, self.profile.metrics);
        let own = metric.of_own(&node.own, node.inclusive.calls);
        let inclusive = metric.of(&node.inclusive);
        let [first, second] = self.ordered([own, inclusive]);
        let share = Cell::share(FlatTable::percent(first, self.choice.whole));
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

/// The threshold as a cost.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a threshold is a share, not a sum"
)]
fn least(percent: f64, total: i64) -> u64 {
    (total.unsigned_abs() as f64 * percent / 100.0).ceil() as u64
}
