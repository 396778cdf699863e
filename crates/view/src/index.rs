//! What is computed once of a profile, so that questions are answered quickly.
//!
//! **Invariant:** the tree is in depth-first order: all nodes below `node` are
//! `node + 1 .. end(node)`, and the next sibling of `node` is `end(node)`. So
//! neither lists of children nor paths are stored.

use crate::time::{Lanes, TopNodes};
use profile::{Body, Cost, EdgeTable, FlatTable, Metric, Node, NodeId, Profile, SymbolId, Tree};

/// A call tree in depth-first order.
#[derive(Debug)]
pub(crate) struct OrderedTree {
    nodes: Vec<Node>,
    ends: Vec<u32>,
    /// All nodes, grouped by symbol: those of `symbol` are
    /// `by_symbol[starts[symbol]..starts[symbol + 1]]`, in depth-first order.
    starts: Vec<u32>,
    by_symbol: Vec<u32>,
    /// In a comparison, the inclusive cost of each node in the base.
    base: Option<Vec<Cost>>,
}

impl OrderedTree {
    /// Brings the nodes into depth-first order, in place. Siblings keep their
    /// order. `moved` is told the new number of each node.
    pub(crate) fn new(tree: Tree, symbols: usize, moved: impl FnOnce(&[u32])) -> Self {
        let mut nodes = tree.nodes;
        nodes.shrink_to_fit();
        let mut sizes = vec![1_u32; nodes.len()];
        // A parent stands before its children, so children are complete first.
        for index in (1..nodes.len()).rev() {
            sizes[nodes[index].parent.index()] += sizes[index];
        }
        let mut places = vec![0_u32; nodes.len()];
        let mut next = vec![1_u32; nodes.len()];
        for index in 1..nodes.len() {
            let parent = nodes[index].parent.index();
            let place = next[parent];
            next[parent] = place + sizes[index];
            places[index] = place;
            next[index] = place + 1;
        }
        drop(next);
        for node in &mut nodes {
            node.parent = NodeId(places[node.parent.index()]);
        }
        moved(&places);
        for index in 0..nodes.len() {
            // Follows the cycle of the permutation until the node that belongs
            // here has arrived.
            while places[index] as usize != index {
                let target = places[index] as usize;
                nodes.swap(index, target);
                sizes.swap(index, target);
                places.swap(index, target);
            }
        }
        drop(places);
        let mut ends = sizes;
        for (end, start) in ends.iter_mut().zip(0_u32..) {
            *end += start;
        }
        let (starts, by_symbol) = group_by_symbol(&nodes, symbols);
        Self {
            nodes,
            ends,
            starts,
            by_symbol,
            base: None,
        }
    }

    /// Makes it the tree of a comparison.
    pub(crate) fn set_base(&mut self, base: Vec<Cost>) {
        self.base = Some(base);
    }

    /// The inclusive value in the base; none if nothing is compared.
    pub(crate) fn base_value(&self, node: u32, metric: Metric) -> Option<i64> {
        let base = self.base.as_ref()?;
        Some(metric.of(&base[node as usize]))
    }

    /// What a node cost without its callees in the base.
    pub(crate) fn base_own_value(&self, node: u32, metric: Metric) -> Option<i64> {
        let value = self.base_value(node, metric)?;
        if metric == Metric::Calls {
            return Some(value);
        }
        Some(self.children(node).fold(value, |rest, child| {
            rest.saturating_sub(self.base_value(child, metric).unwrap_or(0))
        }))
    }

    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    /// The end of the range of all nodes below `node`.
    pub(crate) fn end(&self, node: u32) -> u32 {
        self.ends[node as usize]
    }

    pub(crate) fn symbol(&self, node: u32) -> SymbolId {
        self.nodes[node as usize].symbol
    }

    /// The caller's node; none for the root.
    pub(crate) fn parent(&self, node: u32) -> Option<u32> {
        (node != 0).then(|| self.nodes[node as usize].parent.0)
    }

    /// The inclusive value of a node.
    pub(crate) fn value(&self, node: u32, metric: Metric) -> i64 {
        metric.of(&self.nodes[node as usize].cost)
    }

    /// The nodes called from `node`, in the order of their first call.
    pub(crate) fn children(&self, node: u32) -> impl Iterator<Item = u32> {
        let end = self.end(node);
        let first = (node + 1 < end).then_some(node + 1);
        std::iter::successors(first, move |&child| {
            let next = self.ends[child as usize];
            (next < end).then_some(next)
        })
    }

    /// What a node cost without its callees. Calls have no self part: a node's
    /// own calls stand for them.
    pub(crate) fn own_value(&self, node: u32, metric: Metric) -> i64 {
        let value = self.value(node, metric);
        if metric == Metric::Calls {
            return value;
        }
        self.children(node).fold(value, |rest, child| {
            rest.saturating_sub(self.value(child, metric))
        })
    }

    /// The nodes of a function, in depth-first order.
    pub(crate) fn nodes_of(&self, symbol: SymbolId) -> &[u32] {
        let index = symbol.index();
        match (self.starts.get(index), self.starts.get(index + 1)) {
            (Some(&start), Some(&end)) => &self.by_symbol[start as usize..end as usize],
            _ => &[],
        }
    }

    /// The nodes of a function that are not below another node of it, so that
    /// recursion is counted once.
    pub(crate) fn outermost_nodes_of(&self, symbol: SymbolId) -> Vec<u32> {
        let mut outermost = Vec::new();
        let mut covered = 0;
        for &node in self.nodes_of(symbol) {
            if node >= covered {
                outermost.push(node);
                covered = self.end(node);
            }
        }
        outermost
    }
}

fn group_by_symbol(nodes: &[Node], symbols: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; symbols + 1];
    for node in nodes {
        starts[node.symbol.index() + 1] += 1;
    }
    for index in 1..starts.len() {
        starts[index] += starts[index - 1];
    }
    let mut next = starts.clone();
    let mut by_symbol = vec![0_u32; nodes.len()];
    for (number, node) in (0_u32..).zip(nodes) {
        let place = &mut next[node.symbol.index()];
        by_symbol[*place as usize] = number;
        *place += 1;
    }
    (starts, by_symbol)
}

/// What is computed once of a profile.
#[derive(Debug)]
pub(crate) struct Index {
    /// None if the profile holds callers and callees only.
    pub(crate) tree: Option<OrderedTree>,
    /// The cost of each function.
    pub(crate) flat: FlatTable,
    /// Row of each symbol in `flat`; `u32::MAX` for those without one.
    rows: Vec<u32>,
    /// Known for events, and for samples with times.
    pub(crate) time: Option<Times>,
    /// Caller and callee by recursion level. Far fewer than nodes of a tree.
    edges: EdgeTable,
}

impl Index {
    /// Takes the call tree out of the profile, if that is its body: a second
    /// copy of a large one would not fit. [`Index::lend_tree`] gives it back.
    /// `base` has the cost of each node of that tree in the base, if two
    /// profiles are compared.
    pub(crate) fn new(profile: &mut Profile, base: Option<Vec<Cost>>) -> Self {
        let symbols = profile.symbols.len();
        let (tree, mut time) = tree_and_times(profile);
        let (flat, edges) = match &tree {
            Some(tree) => (FlatTable::of_tree(tree, symbols), tree.to_edges()),
            None => (FlatTable::new(profile), profile.edges().into_owned()),
        };
        let tree = tree.map(|tree| {
            let mut ordered_base = None;
            let mut tree = OrderedTree::new(tree, symbols, |places| {
                if let Some(time) = &mut time {
                    time.renumber(places);
                }
                ordered_base = base.map(|base| {
                    let mut ordered = vec![Cost::default(); base.len()];
                    for (cost, place) in base.into_iter().zip(places) {
                        ordered[*place as usize] = cost;
                    }
                    ordered
                });
            });
            if let Some(base) = ordered_base {
                tree.set_base(base);
            }
            tree
        });
        let mut rows = vec![u32::MAX; symbols];
        for (number, row) in (0_u32..).zip(&flat.rows) {
            rows[row.symbol.index()] = number;
        }
        Self {
            tree,
            flat,
            rows,
            time,
            edges,
        }
    }

    /// The calls by caller and callee.
    pub(crate) fn edges(&self) -> &EdgeTable {
        &self.edges
    }

    /// Calls `with` while the profile has its call tree.
    pub(crate) fn lend_tree<T>(
        &mut self,
        profile: &mut Profile,
        with: impl FnOnce(&Profile) -> T,
    ) -> T {
        let (Body::Tree(body), Some(ordered)) = (&mut profile.body, &mut self.tree) else {
            return with(profile);
        };
        body.nodes = std::mem::take(&mut ordered.nodes);
        let result = with(profile);
        if let Body::Tree(body) = &mut profile.body {
            ordered.nodes = std::mem::take(&mut body.nodes);
        }
        result
    }

    /// The row of a function in the table; none if it has no cost.
    pub(crate) fn row(&self, symbol: SymbolId) -> Option<&profile::FlatRow> {
        let row = *self.rows.get(symbol.index())?;
        self.flat.rows.get(row as usize)
    }
}

/// When things happened.
#[derive(Debug)]
pub(crate) struct Times {
    pub(crate) lanes: Lanes,
    pub(crate) tops: TopNodes,
}

impl Times {
    fn renumber(&mut self, places: &[u32]) {
        self.lanes.renumber(places);
        self.tops.renumber(places);
    }
}

/// The call tree, taken out of the profile if that is its body; and when things
/// happened, with nodes as that tree numbers them.
fn tree_and_times(profile: &mut Profile) -> (Option<Tree>, Option<Times>) {
    match &mut profile.body {
        Body::Edges(_) => (None, None),
        Body::Tree(tree) => {
            let nodes = std::mem::take(&mut tree.nodes);
            (Some(Tree { nodes }), None)
        }
        Body::Events(events) => {
            let (lanes, tops, tree) = Lanes::of_events(events);
            (Some(tree), Some(Times { lanes, tops }))
        }
        Body::Samples(samples) => {
            let has_times = samples.samples.iter().any(|sample| sample.at > 0);
            let nodes = samples.nodes();
            let times = has_times.then(|| Times {
                lanes: Lanes::of_samples(samples, &nodes),
                tops: TopNodes::Stacks(nodes.iter().map(|node| node.0).collect()),
            });
            (Some(samples.to_tree()), times)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::TreeBuilder;

    fn tree(paths: &[(&[u32], u64)]) -> Tree {
        let mut builder = TreeBuilder::new();
        for (path, wall) in paths {
            let mut at = NodeId::ROOT;
            for &symbol in *path {
                at = builder.child(at, SymbolId(symbol));
            }
            *builder.cost(at) += Cost {
                calls: 1,
                wall: *wall,
                ..Cost::default()
            };
        }
        builder.finish_self_costs()
    }

    #[test]
    fn nodes_are_in_depth_first_order_and_siblings_keep_theirs() {
        // Breadth first on the way in: 1, 2, then below 1, then below 2.
        let tree = tree(&[
            (&[1], 1),
            (&[2], 2),
            (&[1, 3], 4),
            (&[2, 3], 8),
            (&[1, 2], 16),
        ]);
        let ordered = OrderedTree::new(tree, 4, |_| {});
        let symbols: Vec<_> = (0..6).map(|node| ordered.symbol(node).0).collect();
        assert_eq!(symbols, [0, 1, 3, 2, 2, 3]);
        let children: Vec<_> = ordered.children(0).collect();
        assert_eq!(children, [1, 4]);
        assert_eq!(ordered.value(0, Metric::Wall), 31);
        assert_eq!(ordered.own_value(1, Metric::Wall), 1);
        assert_eq!(ordered.parent(5), Some(4));
        assert_eq!(ordered.nodes_of(SymbolId(2)), [3, 4]);
    }

    #[test]
    fn recursion_has_one_outermost_node() {
        let tree = tree(&[(&[1, 2, 1], 1), (&[2, 1], 1)]);
        let ordered = OrderedTree::new(tree, 3, |_| {});
        assert_eq!(ordered.outermost_nodes_of(SymbolId(1)), [1, 5]);
    }
}
