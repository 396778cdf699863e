//! A call tree in an order that needs neither lists of children nor paths.
//!
//! **Invariant:** the tree is in depth-first order: all nodes below `node` are
//! `node + 1 .. end(node)`, and the next sibling of `node` is `end(node)`.

use std::rc::Rc;

use profile::{Cost, FlatRow, FlatTable, Metric, Node, NodeId, SelfCost, SymbolId, Tree};

use crate::column::Column;

/// A call tree in depth-first order, in some 25 bytes a node.
#[derive(Debug)]
pub(crate) struct OrderedTree {
    shape: Rc<Shape>,
    costs: Costs,
    /// In a comparison, the inclusive cost of each node in the base.
    base: Option<Costs>,
}

/// Which node is which function, and stands where. A range of time shares it
/// with the whole profile.
#[derive(Debug)]
struct Shape {
    parents: Vec<u32>,
    symbols: Vec<u32>,
    ends: Vec<u32>,
    /// All nodes, grouped by symbol: those of `symbol` are
    /// `by_symbol[starts[symbol]..starts[symbol + 1]]`, in depth-first order.
    starts: Vec<u32>,
    by_symbol: Vec<u32>,
}

/// The inclusive costs of all nodes.
#[derive(Debug)]
struct Costs {
    calls: Column,
    wall: Column,
    cpu: Column,
    memory: Column,
    peak: Column,
}

impl Costs {
    /// Each cost has its node's place below `length`; they come in any order.
    fn new(length: usize, costs: impl Iterator<Item = (usize, Cost)> + Clone) -> Self {
        let numbers = |cost: &Cost| {
            let [memory, peak] = [cost.memory, cost.peak].map(i64::cast_unsigned);
            [cost.calls, cost.wall, cost.cpu, memory, peak]
        };
        let mut bits = [0; 5];
        for (_, cost) in costs.clone() {
            for (bits, number) in bits.iter_mut().zip(numbers(&cost)) {
                *bits |= number;
            }
        }
        let mut columns = bits.map(|bits| Column::of_zeros(length, bits));
        for (place, cost) in costs {
            for (column, number) in columns.iter_mut().zip(numbers(&cost)) {
                column.set(place, number);
            }
        }
        let [calls, wall, cpu, memory, peak] = columns;
        Self {
            calls,
            wall,
            cpu,
            memory,
            peak,
        }
    }

    #[inline]
    fn of(&self, node: u32) -> Cost {
        Cost {
            calls: self.calls.get(node),
            wall: self.wall.get(node),
            cpu: self.cpu.get(node),
            memory: self.memory.get(node).cast_signed(),
            peak: self.peak.get(node).cast_signed(),
        }
    }

    #[inline]
    fn value(&self, node: u32, metric: Metric) -> i64 {
        let saturated = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        match metric {
            Metric::Calls => saturated(self.calls.get(node)),
            Metric::Wall => saturated(self.wall.get(node)),
            Metric::Cpu => saturated(self.cpu.get(node)),
            Metric::Memory => self.memory.get(node).cast_signed(),
            Metric::Peak => self.peak.get(node).cast_signed(),
        }
    }
}

impl OrderedTree {
    /// Brings the nodes of a tree that is not empty into depth-first order.
    /// Siblings keep their order. `base` has the cost of each node in the base
    /// of a comparison. `moved` is told the new number of each node.
    pub(crate) fn new(
        tree: Tree,
        symbols: usize,
        base: Option<Vec<Cost>>,
        moved: impl FnOnce(&[u32]),
    ) -> Self {
        let mut nodes = tree.nodes;
        nodes.shrink_to_fit();
        let length = nodes.len();
        let mut sizes = vec![1_u32; length];
        // A parent stands before its children, so children are complete first.
        for (index, node) in nodes.iter().enumerate().skip(1).rev() {
            sizes[node.parent.index()] += sizes[index];
        }
        let mut places = vec![0_u32; length];
        // The place of the next child of each node.
        let mut next = vec![1_u32; length];
        for (index, node) in nodes.iter().enumerate().skip(1) {
            let parent = node.parent.index();
            let place = next[parent];
            next[parent] = place + sizes[index];
            places[index] = place;
            next[index] = place + 1;
        }
        let mut ends = next;
        for (place, size) in places.iter().zip(&sizes) {
            ends[*place as usize] = place + size;
        }
        drop(sizes);
        moved(&places);
        let place = |index: usize| places[index] as usize;
        let mut parents = vec![0_u32; length];
        let mut functions = vec![0_u32; length];
        for (index, node) in nodes.iter().enumerate() {
            parents[place(index)] = places[node.parent.index()];
            functions[place(index)] = node.symbol.0;
        }
        let costs = nodes.iter().enumerate();
        let costs = Costs::new(length, costs.map(|(index, node)| (place(index), node.cost)));
        drop(nodes);
        let base = base.map(|base| {
            let base = base.iter().enumerate();
            Costs::new(length, base.map(|(index, cost)| (place(index), *cost)))
        });
        drop(places);
        let (starts, by_symbol) = group_by_symbol(&functions, symbols);
        Self {
            shape: Rc::new(Shape {
                parents,
                symbols: functions,
                ends,
                starts,
                by_symbol,
            }),
            costs,
            base,
        }
    }

    /// The same tree with other costs: `own` has those of each node without its
    /// callees.
    pub(crate) fn with_own_costs(&self, mut own: Vec<Cost>) -> Self {
        // Callees stand behind their caller, so their sums are complete before it.
        for (node, parent) in (0..own.len()).zip(&self.shape.parents).skip(1).rev() {
            let below = Cost {
                calls: 0,
                ..own[node]
            };
            own[*parent as usize] += below;
        }
        let costs = Costs::new(own.len(), own.iter().copied().enumerate());
        Self {
            shape: Rc::clone(&self.shape),
            costs,
            base: None,
        }
    }

    /// The same tree as the profile has it.
    pub(crate) fn to_tree(&self) -> Tree {
        let nodes = (0..self.count()).map(|node| Node {
            parent: NodeId(self.shape.parents[node as usize]),
            symbol: self.symbol(node),
            cost: self.cost(node),
        });
        Tree {
            nodes: nodes.collect(),
        }
    }

    /// Whether two profiles are compared.
    pub(crate) fn has_base(&self) -> bool {
        self.base.is_some()
    }

    /// The inclusive cost of a node in the base; nothing if nothing is compared.
    pub(crate) fn base_cost(&self, node: u32) -> Cost {
        self.base
            .as_ref()
            .map_or_else(Cost::default, |base| base.of(node))
    }

    /// The inclusive value in the base; none if nothing is compared.
    pub(crate) fn base_value(&self, node: u32, metric: Metric) -> Option<i64> {
        let base = self.base.as_ref()?;
        Some(base.value(node, metric))
    }

    /// What a node cost without its callees in the base.
    pub(crate) fn base_own_value(&self, node: u32, metric: Metric) -> Option<i64> {
        let base = self.base.as_ref()?;
        let value = base.value(node, metric);
        if metric == Metric::Calls {
            return Some(value);
        }
        Some(self.children(node).fold(value, |rest, child| {
            rest.saturating_sub(base.value(child, metric))
        }))
    }

    pub(crate) fn len(&self) -> usize {
        self.shape.symbols.len()
    }

    /// The number of nodes; their numbers have 32 bits.
    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.len()).unwrap_or(u32::MAX)
    }

    /// How many symbols the profile has.
    pub(crate) fn symbols(&self) -> u32 {
        u32::try_from(self.shape.starts.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// The inclusive cost of a node.
    pub(crate) fn cost(&self, node: u32) -> Cost {
        self.costs.of(node)
    }

    /// The calls of a node.
    pub(crate) fn calls(&self, node: u32) -> u64 {
        self.costs.calls.get(node)
    }

    /// The end of the range of all nodes below `node`.
    #[inline]
    pub(crate) fn end(&self, node: u32) -> u32 {
        self.shape.ends[node as usize]
    }

    #[inline]
    pub(crate) fn symbol(&self, node: u32) -> SymbolId {
        SymbolId(self.shape.symbols[node as usize])
    }

    /// The caller's node; none for the root.
    #[inline]
    pub(crate) fn parent(&self, node: u32) -> Option<u32> {
        (node != 0).then(|| self.shape.parents[node as usize])
    }

    /// The inclusive value of a node.
    #[inline]
    pub(crate) fn value(&self, node: u32, metric: Metric) -> i64 {
        self.costs.value(node, metric)
    }

    /// The nodes called from `node`, in the order of their first call.
    pub(crate) fn children(&self, node: u32) -> impl Iterator<Item = u32> {
        let end = self.end(node);
        let first = (node + 1 < end).then_some(node + 1);
        std::iter::successors(first, move |&child| {
            let next = self.shape.ends[child as usize];
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
        match (
            self.shape.starts.get(index),
            self.shape.starts.get(index + 1),
        ) {
            (Some(&start), Some(&end)) => &self.shape.by_symbol[start as usize..end as usize],
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

    /// Calls `visit` with each node in depth-first order, and with the number
    /// of calls of the same function that it is inside of.
    pub(crate) fn walk(&self, mut visit: impl FnMut(u32, u32)) {
        let mut levels = vec![0_u32; self.shape.starts.len()];
        let mut open: Vec<u32> = Vec::new();
        for node in 0..self.count() {
            while let Some(&last) = open.last()
                && self.end(last) <= node
            {
                levels[self.symbol(last).index()] -= 1;
                open.pop();
            }
            let level = &mut levels[self.symbol(node).index()];
            visit(node, *level);
            *level += 1;
            open.push(node);
        }
    }

    /// The cost of each function; recursion counts once.
    pub(crate) fn flat(&self) -> FlatTable {
        let symbols = self.shape.starts.len().saturating_sub(1);
        let mut rows: Vec<FlatRow> = (0..)
            .take(symbols)
            .map(|number| FlatRow {
                symbol: SymbolId(number),
                inclusive: Cost::default(),
                own: SelfCost::default(),
            })
            .collect();
        // Where the outermost call of each function ends.
        let mut covered = vec![0_u32; symbols];
        for node in 0..self.count() {
            let symbol = self.symbol(node).index();
            let cost = self.cost(node);
            let row = &mut rows[symbol];
            row.own.add(cost);
            if node >= covered[symbol] {
                covered[symbol] = self.end(node);
                row.inclusive += cost;
            } else {
                row.inclusive.calls = row.inclusive.calls.saturating_add(cost.calls);
            }
            if let Some(parent) = self.parent(node) {
                rows[self.symbol(parent).index()].own.subtract(cost);
            }
        }
        FlatTable::of_rows(rows, self.cost(0))
    }
}

fn group_by_symbol(nodes: &[u32], symbols: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; symbols + 1];
    for symbol in nodes {
        starts[*symbol as usize + 1] += 1;
    }
    for index in 1..starts.len() {
        starts[index] += starts[index - 1];
    }
    let mut next = starts.clone();
    let mut by_symbol = vec![0_u32; nodes.len()];
    for (number, symbol) in (0_u32..).zip(nodes) {
        let place = &mut next[*symbol as usize];
        by_symbol[*place as usize] = number;
        *place += 1;
    }
    (starts, by_symbol)
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
        let ordered = OrderedTree::new(tree, 4, None, |_| {});
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
    fn recursion_has_one_outermost_node_and_its_levels_are_counted() {
        let tree = tree(&[(&[1, 2, 1], 1), (&[2, 1], 1)]);
        let ordered = OrderedTree::new(tree, 3, None, |_| {});
        assert_eq!(ordered.outermost_nodes_of(SymbolId(1)), [1, 5]);
        let mut levels = Vec::new();
        ordered.walk(|node, level| levels.push((ordered.symbol(node).0, level)));
        assert_eq!(levels, [(0, 0), (1, 0), (2, 0), (1, 1), (2, 0), (1, 0)]);
    }

    #[test]
    fn the_table_of_functions_and_the_tree_are_those_of_the_profile() {
        let tree = tree(&[(&[1, 2, 1], 5), (&[2, 1], 7), (&[1], 11), (&[1, 2, 2], 2)]);
        let ordered = OrderedTree::new(tree.clone(), 3, None, |_| {});
        assert_eq!(ordered.flat(), FlatTable::of_tree(&tree, 3));
        let again = ordered.to_tree();
        assert_eq!(FlatTable::of_tree(&again, 3), FlatTable::of_tree(&tree, 3));
        assert_eq!(again.nodes.len(), tree.nodes.len());
    }
}
