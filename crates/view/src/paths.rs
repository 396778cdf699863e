//! The costliest paths of a call tree, from its root or from its ends.
//!
//! **Invariant:** the ancestors of a shown node are shown too; a node is left
//! out only if it and its descendants cost less than the shown ones.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use profile::{
    Children, Cost, InvertLimits, InvertedNode, Metric, NodeId, SelfCost, SymbolId, Tree,
};

/// A path that is shown.
#[derive(Debug)]
pub struct Shown {
    /// How deep it is.
    pub depth: usize,
    /// Its function.
    pub symbol: SymbolId,
    /// Its cost with callees.
    pub inclusive: Cost,
    /// Its cost without them.
    pub own: SelfCost,
}

/// The paths of a call tree, from `main()` or from their ends.
#[derive(Debug)]
pub struct Paths {
    /// The cost that selects and sorts.
    pub metric: Metric,
    /// Whether they begin at their ends.
    pub is_inverted: bool,
    /// Parents before children, the costliest first.
    pub shown: Vec<Shown>,
    /// How many were left out.
    pub left_out: usize,
    /// What was asked for.
    pub choice: Choice,
}

/// Which paths are shown.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// The least cost, in percent of the whole.
    pub min: f64,
    /// How many paths.
    pub limit: usize,
    /// What the profile cost.
    pub whole: i64,
}

impl Paths {
    /// The paths from `main()`.
    #[must_use]
    pub fn of_tree(tree: &Tree, metric: Metric, choice: Choice) -> Self {
        let nodes = tree.nodes.iter().zip(tree.self_costs());
        let nodes = nodes.map(|(node, own)| InvertedNode {
            parent: node.parent,
            symbol: node.symbol,
            inclusive: node.cost,
            own,
        });
        let children = tree.children();
        let paths = Self::new(false, metric, choice);
        paths.choosing(&nodes.collect::<Vec<_>>(), &children, |_| true)
    }

    /// The functions that are wanted, and their callers.
    pub fn of_inverted(
        tree: &Tree,
        metric: Metric,
        choice: Choice,
        is_wanted: impl Fn(SymbolId) -> bool,
    ) -> Self {
        let inverted = tree.inverted(InvertLimits::default());
        let children = inverted.to_tree().children();
        Self::new(true, metric, choice).choosing(&inverted.nodes, &children, is_wanted)
    }

    fn new(is_inverted: bool, metric: Metric, choice: Choice) -> Self {
        Self {
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
