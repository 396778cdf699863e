//! The call tree: every distinct path from `main()`, with the cost of the calls
//! on that path.
//!
//! It contains whole stacks, so it can be converted to stacks and to edges. A
//! node's cost is inclusive; its self cost is the difference from its
//! children's costs.
//!
//! **Invariants:** `nodes[0]` is the root; a parent precedes its children; no
//! two children of one node have the same symbol. [`TreeBuilder`] guarantees
//! them.

use std::collections::hash_map::Entry;
use std::ops::Index;

use crate::table::{Id, known, known_mut, part};
use crate::{Budget, Cost, Metric, NumberMap, SelfCost, SymbolId, Table};

/// A node's index in [`Tree::nodes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The root, `main()`.
    pub const ROOT: Self = Self(0);

    /// The number as an index into a table of nodes.
    #[must_use]
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The number of the node at that index. No table has more nodes than
    /// numbers.
    pub(crate) fn of(index: usize) -> Self {
        debug_assert!(u32::try_from(index).is_ok(), "node {index}");
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

impl Id for NodeId {
    #[inline]
    fn index(self) -> usize {
        Self::index(self)
    }
}

/// A path: its parent's, and one more function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// The caller's node; the root is its own parent.
    pub parent: NodeId,
    /// The callee.
    pub symbol: SymbolId,
    /// The cost of the calls, callees included.
    pub cost: Cost,
}

impl Node {
    /// A root without a cost; also stands for a node that does not exist.
    const BLANK: Self = Self {
        parent: NodeId::ROOT,
        symbol: SymbolId::ROOT,
        cost: Cost {
            calls: 0,
            wall: 0,
            cpu: 0,
            memory: 0,
            peak: 0,
        },
    };
}

/// All paths of one profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// The root first, parents before children, siblings in the order in which
    /// they were first called, where known.
    pub nodes: Vec<Node>,
}

impl Default for Tree {
    /// `main()` alone, without costs.
    fn default() -> Self {
        TreeBuilder::new().finish()
    }
}

impl Index<NodeId> for Tree {
    type Output = Node;

    #[inline]
    #[track_caller]
    fn index(&self, id: NodeId) -> &Node {
        known(&self.nodes, id).unwrap_or(&Node::BLANK)
    }
}

impl Tree {
    /// Each node with its number, parents before children.
    pub fn numbered(&self) -> impl DoubleEndedIterator<Item = (NodeId, &Node)> {
        let nodes = self.nodes.iter().enumerate();
        nodes.map(|(index, node)| (NodeId::of(index), node))
    }

    /// The inclusive cost of the root, `main()`.
    #[must_use]
    pub fn root_cost(&self) -> Cost {
        self.nodes
            .first()
            .map_or_else(Cost::default, |root| root.cost)
    }

    /// Each node's self cost, in the order of the nodes. All self times add up
    /// to the root's time.
    #[must_use]
    pub fn self_costs(&self) -> Table<NodeId, SelfCost> {
        let mut own = Table::new(SelfCost::default(), self.nodes.len());
        for (id, node) in self.numbered() {
            own[id].add(node.cost);
            if id != NodeId::ROOT {
                own[node.parent].subtract(node.cost);
            }
        }
        own
    }

    /// The children of each node, in the order of the nodes.
    #[must_use]
    pub fn children(&self) -> Children {
        Children::of_parents(self.nodes.iter().map(|node| node.parent))
    }

    /// The symbols from the root to `node`, both included.
    #[must_use]
    pub fn path(&self, node: NodeId) -> Vec<SymbolId> {
        let frames = self.frames(node).map(|(_, node)| node.symbol);
        let mut path: Vec<SymbolId> = frames.collect();
        path.reverse();
        path
    }

    /// The nodes from `node` up to the root.
    pub fn frames(&self, node: NodeId) -> impl Iterator<Item = (NodeId, &Node)> {
        std::iter::successors(Some((node, &self[node])), |&(id, node)| {
            // Parents precede children, so this ends for any table.
            (node.parent < id).then(|| (node.parent, &self[node.parent]))
        })
    }
}

/// The children of each node: two flat lists, built in one pass.
#[derive(Debug, Clone)]
pub struct Children {
    /// The place of each node's first child, and the end of the list.
    starts: Table<usize, u32>,
    nodes: Vec<NodeId>,
}

impl Children {
    /// The children of nodes with these parents, the root first.
    pub(crate) fn of_parents(parents: impl ExactSizeIterator<Item = NodeId> + Clone) -> Self {
        let nodes = parents.len();
        let mut starts = Table::new(0_u32, nodes + 1);
        for parent in parents.clone().skip(1) {
            starts[parent.index() + 1] += 1;
        }
        let mut sum = 0;
        for start in starts.iter_mut() {
            sum += *start;
            *start = sum;
        }
        let mut next = starts.clone();
        let mut children: Table<u32, _> = Table::new(NodeId::ROOT, nodes.saturating_sub(1));
        for (number, parent) in (0_u32..).zip(parents).skip(1) {
            let next = &mut next[parent.index()];
            children[*next] = NodeId(number);
            *next += 1;
        }
        Self {
            starts,
            nodes: children.into_rows(),
        }
    }

    /// The children of `node`, in the order of the tree's nodes.
    #[must_use]
    pub fn of(&self, node: NodeId) -> &[NodeId] {
        let (start, end) = (self.starts[node.index()], self.starts[node.index() + 1]);
        part(&self.nodes, start as usize..end as usize)
    }
}

/// The noun in the budget's error message.
const PATHS: &str = "call paths";

/// Builds a tree with each path once.
#[derive(Debug, Clone)]
pub struct TreeBuilder {
    nodes: Vec<Node>,
    places: NumberMap<(NodeId, SymbolId), NodeId>,
    /// Its memory limit; none for data that this program recorded itself.
    budget: Option<Budget>,
}

impl Default for TreeBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl TreeBuilder {
    /// A tree of `main()` alone, which is symbol 0.
    #[must_use]
    pub fn new() -> Self {
        Self {
            nodes: vec![Node::BLANK],
            places: NumberMap::default(),
            budget: None,
        }
    }

    /// The same, with nodes counted on `budget`. Once the budget is exceeded,
    /// new paths are counted as their parents.
    #[must_use]
    pub fn within(budget: &Budget) -> Self {
        Self {
            budget: Some(budget.clone()),
            ..Self::new()
        }
    }

    /// The number of nodes.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "the root is always there")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The node for `symbol` called from `parent`, created if there is none
    /// yet.
    ///
    /// Beyond 4 billion nodes, new paths are counted as their parents.
    pub fn child(&mut self, parent: NodeId, symbol: SymbolId) -> NodeId {
        let Ok(number) = u32::try_from(self.nodes.len()) else {
            return parent;
        };
        if !self.has_room() {
            return self.existing(parent, symbol).unwrap_or(parent);
        }
        match self.places.entry((parent, symbol)) {
            Entry::Occupied(place) => *place.get(),
            Entry::Vacant(place) => {
                self.nodes.push(Node {
                    parent,
                    symbol,
                    cost: Cost::default(),
                });
                *place.insert(NodeId(number))
            }
        }
    }

    /// Whether there is memory for one more node, whatever the budget.
    pub(crate) fn has_memory(&mut self) -> bool {
        self.nodes.try_reserve(1).is_ok() && self.places.try_reserve(1).is_ok()
    }

    /// Reserves memory for one more node, if the budget allows.
    #[inline]
    fn has_room(&mut self) -> bool {
        let Some(budget) = &self.budget else {
            return true;
        };
        let is_there = budget.room(&mut self.nodes, PATHS).is_ok();
        is_there && budget.room_in_map(&mut self.places, PATHS).is_ok()
    }

    /// The node for `symbol` called from `parent`, if there is one.
    #[must_use]
    pub fn existing(&self, parent: NodeId, symbol: SymbolId) -> Option<NodeId> {
        self.places.get(&(parent, symbol)).copied()
    }

    /// The function of a node.
    #[must_use]
    pub fn symbol(&self, node: NodeId) -> SymbolId {
        known(&self.nodes, node).map_or(SymbolId::ROOT, |node| node.symbol)
    }

    /// The parent of `node`.
    #[must_use]
    pub fn parent(&self, node: NodeId) -> NodeId {
        known(&self.nodes, node).map_or(NodeId::ROOT, |node| node.parent)
    }

    /// The cost collected for a node so far, for additions.
    pub fn cost(&mut self, node: NodeId) -> &mut Cost {
        // Numbers come from `child`, so the node exists. An invented number
        // returns the root.
        let index = if node.index() < self.nodes.len() {
            node.index()
        } else {
            0
        };
        #[expect(clippy::indexing_slicing, reason = "checked right above")]
        &mut self.nodes[index].cost
    }

    /// Adds one of the self costs, or calls; the value may be negative.
    /// [`finish_signed_self_costs`](Self::finish_signed_self_costs) ends it.
    pub fn add_value(&mut self, node: NodeId, metric: Metric, value: i64) {
        let mut own = SelfCost::default();
        match metric {
            Metric::Calls => {
                let calls = &mut self.cost(node).calls;
                *calls = calls.saturating_add_signed(value);
            }
            Metric::Wall => own.wall = value,
            Metric::Cpu => own.cpu = value,
            Metric::Memory => own.memory = value,
            Metric::Peak => own.peak = value,
        }
        self.add_self(node, own);
    }

    /// Adds a self cost, which may be negative, for
    /// [`finish_signed_self_costs`](Self::finish_signed_self_costs).
    pub fn add_self(&mut self, node: NodeId, own: SelfCost) {
        let signed = |sum: u64, more: i64| sum.cast_signed().saturating_add(more).cast_unsigned();
        let cost = self.cost(node);
        cost.wall = signed(cost.wall, own.wall);
        cost.cpu = signed(cost.cpu, own.cpu);
        cost.memory = cost.memory.saturating_add(own.memory);
        cost.peak = cost.peak.saturating_add(own.peak);
    }

    /// The tree, if inclusive costs were added.
    #[must_use]
    pub fn finish(self) -> Tree {
        if let Some(budget) = self.budget {
            budget.drop_map(self.places);
        }
        Tree { nodes: self.nodes }
    }

    /// The tree, if self costs were added.
    #[must_use]
    pub fn finish_self_costs(mut self) -> Tree {
        for index in (1..self.nodes.len()).rev() {
            let Some(&Node { parent, cost, .. }) = known(&self.nodes, index) else {
                continue;
            };
            if let Some(parent) = known_mut(&mut self.nodes, parent) {
                let calls = parent.cost.calls;
                parent.cost += cost;
                parent.cost.calls = calls;
            }
        }
        self.finish()
    }

    /// The same with signed times: another tool's file may contain the
    /// difference of two profiles, or times of a clock that stepped back.
    ///
    /// Inclusive times are never negative. The missing part is subtracted from
    /// the caller, so that the total is right.
    #[must_use]
    pub fn finish_signed_self_costs(mut self) -> Tree {
        // From the leaves; the rest of a child is carried over to its parent.
        for index in (0..self.nodes.len()).rev() {
            let Some(node) = known_mut(&mut self.nodes, index) else {
                continue;
            };
            let [wall, cpu] = [node.cost.wall, node.cost.cpu].map(u64::cast_signed);
            node.cost.wall = wall.max(0).unsigned_abs();
            node.cost.cpu = cpu.max(0).unsigned_abs();
            let (parent, cost) = (node.parent, node.cost);
            if index == 0 {
                break;
            }
            if let Some(parent) = known_mut(&mut self.nodes, parent) {
                let sum =
                    |one: u64, other: i64| one.cast_signed().saturating_add(other).cast_unsigned();
                parent.cost.wall = sum(parent.cost.wall, wall);
                parent.cost.cpu = sum(parent.cost.cpu, cpu);
                parent.cost.memory = parent.cost.memory.saturating_add(cost.memory);
                parent.cost.peak = parent.cost.peak.saturating_add(cost.peak);
            }
        }
        self.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wall(wall: u64) -> Cost {
        Cost {
            calls: 1,
            wall,
            ..Cost::default()
        }
    }

    #[test]
    fn a_path_is_one_node_however_often_it_is_asked_for() {
        let mut builder = TreeBuilder::new();
        let a = builder.child(NodeId::ROOT, SymbolId(1));
        let b = builder.child(a, SymbolId(2));
        assert_eq!(builder.child(NodeId::ROOT, SymbolId(1)), a);
        assert_eq!(builder.child(a, SymbolId(2)), b);
        assert_ne!(builder.child(b, SymbolId(2)), b);
        let tree = builder.finish();
        assert_eq!(tree.nodes.len(), 4);
        assert_eq!(tree.path(b), [SymbolId(0), SymbolId(1), SymbolId(2)]);
    }

    #[test]
    fn self_costs_become_inclusive_and_back() {
        let mut builder = TreeBuilder::new();
        let a = builder.child(NodeId::ROOT, SymbolId(1));
        let b = builder.child(a, SymbolId(2));
        *builder.cost(NodeId::ROOT) += wall(5);
        *builder.cost(a) += wall(30);
        *builder.cost(b) += wall(7);
        let tree = builder.finish_self_costs();
        let inclusive: Vec<_> = tree.nodes.iter().map(|node| node.cost.wall).collect();
        assert_eq!(inclusive, [42, 37, 7]);
        assert_eq!(tree.root_cost().calls, 1);
        let own: Vec<_> = tree.self_costs().iter().map(|own| own.wall).collect();
        assert_eq!(own, [5, 30, 7]);
    }

    #[test]
    fn times_below_zero_are_kept_or_taken_off_the_caller() {
        let mut builder = TreeBuilder::new();
        let a = builder.child(NodeId::ROOT, SymbolId(1));
        let b = builder.child(a, SymbolId(2));
        let c = builder.child(NodeId::ROOT, SymbolId(3));
        for (node, wall, cpu) in [
            (NodeId::ROOT, 50, 9),
            (a, -148, -3),
            (b, 150, 3),
            (c, -20, -40),
        ] {
            let cost = builder.cost(node);
            cost.wall = i64::cast_unsigned(wall);
            cost.cpu = i64::cast_unsigned(cpu);
            cost.memory = wall;
        }
        let tree = builder.finish_signed_self_costs();
        let inclusive = tree
            .nodes
            .iter()
            .map(|node| (node.cost.wall, node.cost.cpu));
        assert_eq!(
            inclusive.collect::<Vec<_>>(),
            [(32, 0), (2, 0), (150, 3), (0, 0)]
        );
        let own: Vec<_> = tree
            .self_costs()
            .iter()
            .map(|own| (own.wall, own.memory))
            .collect();
        assert_eq!(own, [(30, 50), (-148, -148), (150, 150), (0, -20)]);
    }

    #[test]
    fn children_are_in_the_order_of_the_nodes() {
        let mut builder = TreeBuilder::new();
        let a = builder.child(NodeId::ROOT, SymbolId(1));
        let b = builder.child(NodeId::ROOT, SymbolId(2));
        let c = builder.child(a, SymbolId(3));
        let d = builder.child(NodeId::ROOT, SymbolId(3));
        let children = builder.finish().children();
        assert_eq!(children.of(NodeId::ROOT), [a, b, d]);
        assert_eq!(children.of(a), [c]);
        assert_eq!(children.of(d), []);
    }
}
