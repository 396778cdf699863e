//! Estimates stacks from edges: the cost of each function's callees is
//! distributed among its callers in proportion to the cost of their calls.
//!
//! Edges do not show which callers of `backup` led to `write`. The estimate
//! assumes all of them, in proportion to their calls of `backup`. Recursion
//! levels exclude some: `f@1` has exactly one `f` below it.
//!
//! **Invariants:** with any limits, the costs of each caller and callee add up
//! to the edges' costs, so that every function's calls and self costs stay the
//! same. No node costs more time than its parent, unless a limit was reached or
//! the edges themselves are inconsistent.

use std::collections::{BinaryHeap, VecDeque};

use crate::{
    Activation, Body, Cost, EdgeTable, NodeId, NumberMap, Profile, SymbolId, Table, Tree,
    TreeBuilder,
};

/// The limits of the estimate: the number of paths grows exponentially.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EstimateLimits {
    /// The maximum number of nodes that are searched, the costliest first.
    /// There may be one more for each edge.
    pub nodes: usize,
    /// The maximum depth of a path.
    pub depth: usize,
}

impl Default for EstimateLimits {
    /// 100,000 nodes, 200 deep.
    fn default() -> Self {
        Self {
            nodes: 100_000,
            depth: 200,
        }
    }
}

/// The number of passes for costs that could not be distributed in proportion.
const ROUNDS: usize = 16;

/// The number of nodes of a function that are candidates, the costliest first.
const CANDIDATES: usize = 16;

impl Profile {
    /// The profile with a tree, estimated if it has only edges: then
    /// [`Meta::is_estimated`](crate::Meta::is_estimated) is set.
    #[must_use]
    pub fn estimated(&self, limits: EstimateLimits) -> Self {
        let mut profile = self.clone();
        profile.body = match (self.tree(), &self.body) {
            (None, Body::Edges(table)) => {
                profile.meta.is_estimated = true;
                Body::Tree(Estimate::new(table, limits).tree())
            }
            _ => return profile,
        };
        profile
    }
}

/// A node with costs of one activation, which are to be distributed to callees.
#[derive(Debug, Clone, Copy, Default)]
struct Item {
    node: NodeId,
    /// An index into `Estimate::callees`.
    place: usize,
    cost: Cost,
    depth: usize,
    /// The time that was not given to callees yet.
    own: u64,
}

#[derive(Debug)]
struct Estimate<'a> {
    table: &'a EdgeTable,
    limits: EstimateLimits,
    builder: TreeBuilder,
    /// The edges from each activation.
    callees: Table<usize, Vec<usize>>,
    /// The indexes of each edge's caller and callee in `callees`.
    caller_of: Table<usize, usize>,
    callee_of: Table<usize, usize>,
    activations: Table<usize, Activation>,
    /// The part of each edge that was not given to a node yet.
    left: Table<usize, Cost>,
    /// The part of each activation's costs that no item has distributed yet.
    unseen: Table<usize, Cost>,
    items: Table<usize, Item>,
    /// The items with the largest costs of each activation.
    candidates: Table<usize, Vec<usize>>,
    /// The items to be distributed, costliest first, then in order.
    queue: BinaryHeap<(u64, std::cmp::Reverse<usize>)>,
}

impl<'a> Estimate<'a> {
    fn new(table: &'a EdgeTable, limits: EstimateLimits) -> Self {
        let mut places: NumberMap<Activation, usize> = NumberMap::default();
        let mut activations = Table::of(Vec::new());
        let mut place_of = |activation: Activation| {
            *places.entry(activation).or_insert_with(|| {
                activations.push(activation);
                activations.len() - 1
            })
        };
        let root = place_of(EdgeTable::ROOT);
        let edges = table.edges.iter();
        let ends = edges.map(|edge| (place_of(edge.caller), place_of(edge.callee)));
        let (caller_of, callee_of): (Vec<usize>, Vec<usize>) = ends.unzip();
        let mut callees = Table::new(Vec::new(), activations.len());
        for (number, &caller) in caller_of.iter().enumerate() {
            callees[caller].push(number);
        }
        let mut unseen = Table::new(Cost::default(), activations.len());
        unseen[root] = table.root;
        for (edge, &callee) in table.edges.iter().zip(&callee_of) {
            unseen[callee] += edge.cost;
        }
        let mut estimate = Self {
            table,
            limits,
            builder: TreeBuilder::new(),
            candidates: Table::new(Vec::new(), activations.len()),
            callees,
            caller_of: Table::of(caller_of),
            callee_of: Table::of(callee_of),
            activations,
            left: table.edges.iter().map(|edge| edge.cost).collect(),
            unseen,
            items: Table::of(Vec::new()),
            queue: BinaryHeap::new(),
        };
        estimate.give(NodeId::ROOT, root, table.root, 0);
        estimate
    }

    fn tree(mut self) -> Tree {
        self.share_out();
        for _ in 0..ROUNDS {
            if self.is_full() || !self.give_to_who_has_time() {
                break;
            }
            self.share_out();
        }
        self.give_the_rest();
        self.builder.finish()
    }

    fn is_full(&self) -> bool {
        self.builder.len() >= self.limits.nodes
    }

    /// Gives costs to a node, and queues them for distribution.
    fn give(&mut self, node: NodeId, place: usize, cost: Cost, depth: usize) {
        *self.builder.cost(node) += cost;
        let number = self.items.len();
        self.items.push(Item {
            node,
            place,
            cost,
            depth,
            own: cost.wall,
        });
        self.queue.push((cost.wall, std::cmp::Reverse(number)));
        let candidates = &mut self.candidates[place];
        candidates.push(number);
        if candidates.len() > CANDIDATES {
            let candidate = candidates.iter().enumerate();
            let least = candidate.min_by_key(|&(_, &number)| self.items[number].own);
            if let Some((least, _)) = least {
                candidates.swap_remove(least);
            }
        }
    }

    /// Distributes the costs of nodes, until none are left or a limit is
    /// reached.
    fn share_out(&mut self) {
        while !self.is_full()
            && let Some((_, std::cmp::Reverse(number))) = self.queue.pop()
        {
            let item = self.items[number];
            if item.depth >= self.limits.depth {
                continue;
            }
            let path = self.path(item.node);
            let unseen = self.unseen[item.place];
            let callees = self.callees[item.place].clone();
            let left = |edge: &usize| self.left[*edge];
            let wall_left: u128 = callees.iter().map(|edge| u128::from(left(edge).wall)).sum();
            let cpu_left: u128 = callees.iter().map(|edge| u128::from(left(edge).cpu)).sum();
            let mut wall = Shares::new(item.cost.wall, u128::from(unseen.wall).max(wall_left));
            let mut cpu = Shares::new(item.cost.cpu, u128::from(unseen.cpu).max(cpu_left));
            for edge in callees {
                let left = self.left[edge];
                if left == Cost::default() || !self.fits(edge, &path) {
                    continue;
                }
                let sizes = (item.cost.wall, unseen.wall);
                let share = Cost {
                    calls: part(left.calls, item.cost.calls, unseen.calls),
                    wall: wall.next(left.wall),
                    cpu: cpu.next(left.cpu),
                    memory: signed_part(left.memory, sizes.0, sizes.1),
                    peak: signed_part(left.peak, sizes.0, sizes.1),
                };
                self.give_edge(number, edge, share);
            }
            self.unseen[item.place] = minus(unseen, item.cost);
        }
    }

    /// Distributes the costs that levels excluded from proportional
    /// distribution, to matching nodes that have time left. Returns whether
    /// there were any.
    fn give_to_who_has_time(&mut self) -> bool {
        let mut has_given = false;
        for edge in 0..self.table.edges.len() {
            while self.left[edge] != Cost::default()
                && let Some((number, own)) = self.best(edge, true)
                && (own > 0 || self.left[edge].wall == 0)
            {
                let left = self.left[edge];
                let wall = left.wall.min(own);
                let share = if wall == left.wall {
                    left
                } else {
                    Cost {
                        calls: part(left.calls, wall, left.wall),
                        wall,
                        cpu: part(left.cpu, wall, left.wall),
                        memory: signed_part(left.memory, wall, left.wall),
                        peak: signed_part(left.peak, wall, left.wall),
                    }
                };
                self.give_edge(number, edge, share);
                has_given = true;
            }
        }
        has_given
    }

    /// Gives all remaining costs to some node, so that the sums are right.
    fn give_the_rest(&mut self) {
        let mut reached: VecDeque<usize> = VecDeque::new();
        let mut is_reached = Table::new(false, self.callees.len());
        // First edges whose caller has nodes, then edges of callers without
        // any.
        for pass in 0..2 {
            for place in 0..self.callees.len() {
                let has_nodes = !self.candidates[place].is_empty();
                if is_reached[place] || pass == 0 && !has_nodes {
                    continue;
                }
                let mut callees = self.callees[place].iter();
                if !has_nodes && callees.all(|edge| self.left[*edge] == Cost::default()) {
                    continue;
                }
                reached.push_back(place);
                is_reached[place] = true;
                while let Some(place) = reached.pop_front() {
                    self.give_the_rest_of(place, &mut reached, &mut is_reached);
                }
            }
        }
    }

    fn give_the_rest_of(
        &mut self,
        place: usize,
        reached: &mut VecDeque<usize>,
        is_reached: &mut Table<usize, bool>,
    ) {
        for edge in self.callees[place].clone() {
            let left = self.left[edge];
            if left == Cost::default() {
                continue;
            }
            let best = self.best(edge, true).or_else(|| self.best(edge, false));
            let number = best.map_or_else(
                || {
                    let symbol = self.activations[place].symbol;
                    let node = self.builder.child(NodeId::ROOT, symbol);
                    self.give(node, place, Cost::default(), 1);
                    self.items.len() - 1
                },
                |(number, _)| number,
            );
            self.give_edge(number, edge, left);
            let callee = self.callee_of[edge];
            if !is_reached[callee] {
                is_reached[callee] = true;
                reached.push_back(callee);
            }
        }
    }

    /// Gives a share of an edge to the callee below an item's node.
    fn give_edge(&mut self, number: usize, edge: usize, share: Cost) {
        if share == Cost::default() {
            return;
        }
        let item = &mut self.items[number];
        item.own = item.own.saturating_sub(share.wall);
        let (node, depth) = (item.node, item.depth + 1);
        self.left[edge] = minus(self.left[edge], share);
        let place = self.callee_of[edge];
        let child = self.builder.child(node, self.activations[place].symbol);
        self.give(child, place, share, depth);
    }

    /// The item of an edge's caller with the most time left, and that time;
    /// optionally only of those where the callee's level is right.
    fn best(&self, edge: usize, must_fit: bool) -> Option<(usize, u64)> {
        let place = self.caller_of[edge];
        let mut best: Option<(usize, u64)> = None;
        for &number in &self.candidates[place] {
            let item = &self.items[number];
            if best.is_some_and(|best| (item.own, best.0) <= (best.1, number)) {
                continue;
            }
            if !must_fit || self.fits(edge, &self.path(item.node)) {
                best = Some((number, item.own));
            }
        }
        best
    }

    /// How many times each function is on the path to a node.
    fn path(&self, node: NodeId) -> NumberMap<SymbolId, u32> {
        let mut path = NumberMap::default();
        let mut at = node;
        loop {
            *path.entry(self.builder.symbol(at)).or_insert(0) += 1;
            if at == NodeId::ROOT {
                return path;
            }
            at = self.builder.parent(at);
        }
    }

    /// Whether the path has as many frames of the callee as its level says.
    fn fits(&self, edge: usize, path: &NumberMap<SymbolId, u32>) -> bool {
        let callee = self.activations[self.callee_of[edge]];
        path.get(&callee.symbol).copied().unwrap_or(0) == callee.level
    }
}

/// Proportional shares whose sum never exceeds the total, for any rounding.
#[derive(Debug)]
struct Shares {
    of: u64,
    among: u128,
    sum: u128,
    given: u64,
}

impl Shares {
    fn new(of: u64, among: u128) -> Self {
        let (sum, given) = (0, 0);
        Self {
            of,
            among,
            sum,
            given,
        }
    }

    /// The share of `part` in the rest of the total; at most `part`.
    fn next(&mut self, part: u64) -> u64 {
        self.sum = self.sum.saturating_add(u128::from(part));
        if self.among == 0 {
            return 0;
        }
        let until = self.sum.saturating_mul(u128::from(self.of)) / self.among;
        let until = u64::try_from(until).unwrap_or(u64::MAX);
        let share = until.saturating_sub(self.given).min(part);
        self.given = until;
        share
    }
}

/// `whole` times `numerator` / `denominator`, rounded down; at most `whole`.
fn part(whole: u64, numerator: u64, denominator: u64) -> u64 {
    if denominator == 0 {
        return 0;
    }
    let product = u128::from(whole) * u128::from(numerator);
    let part = product / u128::from(denominator);
    u64::try_from(part).map_or(whole, |part| part.min(whole))
}

fn signed_part(whole: i64, numerator: u64, denominator: u64) -> i64 {
    let part = part(whole.unsigned_abs(), numerator, denominator);
    let part = i64::try_from(part).unwrap_or(i64::MAX);
    if whole < 0 { -part } else { part }
}

fn minus(from: Cost, cost: Cost) -> Cost {
    Cost {
        calls: from.calls.saturating_sub(cost.calls),
        wall: from.wall.saturating_sub(cost.wall),
        cpu: from.cpu.saturating_sub(cost.cpu),
        memory: from.memory.wrapping_sub(cost.memory),
        peak: from.peak.wrapping_sub(cost.peak),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Edge;

    fn estimate(
        edges: &[(u32, u32, u64)],
        wall: u64,
        limits: EstimateLimits,
    ) -> Vec<(Vec<u32>, u64)> {
        let at = |symbol| Activation {
            symbol: SymbolId(symbol),
            level: 0,
        };
        let cost = |wall| Cost {
            calls: 1,
            wall,
            ..Cost::default()
        };
        let edges = edges.iter().map(|&(caller, callee, wall)| Edge {
            caller: at(caller),
            callee: at(callee),
            cost: cost(wall),
        });
        let table = EdgeTable {
            root: cost(wall),
            edges: edges.collect(),
        };
        let tree = Estimate::new(&table, limits).tree();
        let mut paths: Vec<_> = (0..)
            .zip(&tree.nodes)
            .map(|(number, node)| {
                let path = tree
                    .path(NodeId(number))
                    .iter()
                    .map(|symbol| symbol.0)
                    .collect();
                (path, node.cost.wall)
            })
            .collect();
        paths.sort();
        paths
    }

    #[test]
    fn a_callee_is_shared_out_among_its_callers_callers() {
        let edges = [(0, 1, 60), (0, 2, 30), (1, 3, 40), (2, 3, 20), (3, 4, 12)];
        assert_eq!(
            estimate(&edges, 100, EstimateLimits::default()),
            [
                (vec![0], 100),
                (vec![0, 1], 60),
                (vec![0, 1, 3], 40),
                (vec![0, 1, 3, 4], 8),
                (vec![0, 2], 30),
                (vec![0, 2, 3], 20),
                (vec![0, 2, 3, 4], 4),
            ]
        );
    }

    #[test]
    fn functions_that_call_each_other_on_other_paths_are_no_recursion() {
        // main() → a → b and main() → b → a, which the levels distinguish.
        let edges = [(0, 1, 50), (0, 2, 40), (1, 2, 30), (2, 1, 20)];
        assert_eq!(
            estimate(&edges, 100, EstimateLimits::default()),
            [
                (vec![0], 100),
                (vec![0, 1], 50),
                (vec![0, 1, 2], 30),
                (vec![0, 2], 40),
                (vec![0, 2, 1], 20),
            ]
        );
    }

    #[test]
    fn limits_keep_the_sums_right() {
        let edges = [(0, 1, 60), (0, 2, 30), (1, 3, 40), (2, 3, 20), (3, 4, 12)];
        for (nodes, depth) in [(1, 9), (3, 9), (99, 0), (99, 1), (99, 2)] {
            let paths = estimate(&edges, 100, EstimateLimits { nodes, depth });
            for (caller, callee, wall) in edges {
                let pairs = paths
                    .iter()
                    .filter(|path| path.0.ends_with(&[caller, callee]));
                assert_eq!(
                    pairs.map(|path| path.1).sum::<u64>(),
                    wall,
                    "{caller} {callee}"
                );
            }
        }
    }

    #[test]
    fn costs_at_the_end_of_numbers_are_shared_out_without_overflow() {
        let mut shares = Shares::new(u64::MAX, u128::from(u64::MAX));
        for _ in 0..3 {
            shares.next(u64::MAX);
        }
    }
}
