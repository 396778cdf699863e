//! Builds a tree from self costs, which may be negative in other tools'
//! profiles.

use crate::{Cost, Node, NodeId, SelfCost, SymbolId, Tree, TreeBuilder};

/// Collects self costs by path.
#[derive(Debug, Default)]
pub(super) struct OwnTree {
    builder: TreeBuilder,
    own: Vec<SelfCost>,
}

impl OwnTree {
    /// The node for `symbol` called from `parent`.
    pub(super) fn child(&mut self, parent: NodeId, symbol: SymbolId) -> NodeId {
        self.builder.child(parent, symbol)
    }

    /// Adds calls and their self costs to a node.
    pub(super) fn add(&mut self, node: NodeId, calls: u64, own: SelfCost) {
        let sum = &mut self.builder.cost(node).calls;
        *sum = sum.saturating_add(calls);
        if self.own.len() <= node.index() {
            self.own.resize(self.builder.len(), SelfCost::default());
        }
        if let Some(sum) = self.own.get_mut(node.index()) {
            *sum += own;
        }
    }

    /// The tree with inclusive costs. A negative time, which only inconsistent
    /// profiles have, becomes zero.
    pub(super) fn finish(mut self) -> Tree {
        let mut nodes = self.builder.finish().nodes;
        self.own.resize(nodes.len(), SelfCost::default());
        for (index, node) in nodes.iter().enumerate().skip(1).rev() {
            let cost = self.own.get(index).copied().unwrap_or_default();
            if let Some(parent) = self.own.get_mut(node.parent.index()) {
                *parent += cost;
            }
        }
        let time = |time: i64| time.max(0).cast_unsigned();
        for (node, sum) in nodes.iter_mut().zip(&self.own) {
            node.cost = Cost {
                calls: node.cost.calls,
                wall: time(sum.wall),
                cpu: time(sum.cpu),
                memory: sum.memory,
                peak: sum.peak,
            };
        }
        Tree { nodes }
    }
}

/// The nodes of a tree with their numbers and self costs.
pub(super) fn with_own(tree: &Tree) -> impl Iterator<Item = (NodeId, &Node, SelfCost)> {
    let numbers = (0..).map(NodeId);
    let nodes = numbers.zip(&tree.nodes).zip(tree.self_costs());
    nodes.map(|((number, node), own)| (number, node, own))
}

/// The node in `map` for another tree's node.
pub(super) fn mapped(map: &[NodeId], node: NodeId) -> NodeId {
    map.get(node.index()).copied().unwrap_or(NodeId::ROOT)
}
