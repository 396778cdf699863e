//! Builds a tree from self costs, which may be negative in other tools'
//! profiles.

use crate::{Cost, Node, NodeId, SelfCost, SymbolId, Table, Tree, TreeBuilder};

/// Collects self costs by path.
#[derive(Debug)]
pub(super) struct OwnTree {
    builder: TreeBuilder,
    own: Table<NodeId, SelfCost>,
}

impl OwnTree {
    pub(super) fn new() -> Self {
        Self {
            builder: TreeBuilder::new(),
            own: Table::new(SelfCost::default(), 1),
        }
    }

    /// The node for `symbol` called from `parent`.
    pub(super) fn child(&mut self, parent: NodeId, symbol: SymbolId) -> NodeId {
        self.builder.child(parent, symbol)
    }

    /// Adds calls and their self costs to a node.
    pub(super) fn add(&mut self, node: NodeId, calls: u64, own: SelfCost) {
        let sum = &mut self.builder.cost(node).calls;
        *sum = sum.saturating_add(calls);
        self.own.grow(SelfCost::default(), self.builder.len());
        self.own[node] += own;
    }

    /// The tree with inclusive costs. A negative time, which only inconsistent
    /// profiles have, becomes zero.
    pub(super) fn finish(mut self) -> Tree {
        let mut tree = self.builder.finish();
        self.own.grow(SelfCost::default(), tree.nodes.len());
        for (number, node) in tree.numbered().rev() {
            if number != NodeId::ROOT {
                let cost = self.own[number];
                self.own[node.parent] += cost;
            }
        }
        let time = |time: i64| time.max(0).cast_unsigned();
        for (node, sum) in tree.nodes.iter_mut().zip(self.own.iter()) {
            node.cost = Cost {
                calls: node.cost.calls,
                wall: time(sum.wall),
                cpu: time(sum.cpu),
                memory: sum.memory,
                peak: sum.peak,
            };
        }
        tree
    }
}

/// What becomes of a node in a smaller tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It stays, as this function; without its self cost if that is not asked
    /// for.
    Stays { symbol: SymbolId, with_own: bool },
    /// Its self cost and its callees move to its caller; it is no call there.
    Joined,
    /// It goes, and with it all below it.
    Removed,
}

/// The tree that is left. The root always stays.
pub(super) fn reduced(tree: &Tree, outcome: impl Fn(NodeId, &Node) -> Outcome) -> Tree {
    let mut reduced = OwnTree::new();
    // The node of the smaller tree in which each node is.
    let mut places = Table::new(NodeId::ROOT, tree.nodes.len());
    for ((number, node), &own) in tree.numbered().zip(tree.self_costs().iter()) {
        let parent = places[node.parent];
        let (place, is_call, has_own) = match outcome(number, node) {
            Outcome::Stays { symbol, with_own } => {
                let place = if number == NodeId::ROOT {
                    NodeId::ROOT
                } else {
                    reduced.child(parent, symbol)
                };
                (place, true, with_own)
            }
            Outcome::Joined => (parent, false, true),
            Outcome::Removed => continue,
        };
        places[number] = place;
        let calls = if is_call { node.cost.calls } else { 0 };
        let own = if has_own { own } else { SelfCost::default() };
        reduced.add(place, calls, own);
    }
    reduced.finish()
}

/// The nodes of `chosen` and all nodes on the paths to them.
pub(super) fn with_parents(tree: &Tree, mut chosen: Table<NodeId, bool>) -> Table<NodeId, bool> {
    for (number, node) in tree.numbered().rev() {
        if chosen[number] {
            chosen[node.parent] = true;
        }
    }
    chosen
}
