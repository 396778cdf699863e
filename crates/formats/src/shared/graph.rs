//! The call graph: a node for each function, an edge for each caller and
//! callee, for formats without stacks and recursion levels.
//!
//! Times are in the unit of the format. The self cost of each function is
//! rounded, and every other cost is a sum of self costs, because readers
//! subtract.
//!
//! **Invariant:** the cost that enters a function is its self cost plus the
//! cost that leaves it; the self times of all functions add up to the root's
//! time.

use std::collections::hash_map::Entry;

use profile::{
    Body, Cost, EdgeTable, FlatTable, NodeId, NumberMap, Profile, SelfCost, SymbolId, Tree,
};

use crate::shared::rounding::Rounding;

/// The call graph of a profile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Graph {
    /// In the order of their first call, if known; the root first.
    pub(crate) functions: Vec<Function>,
    /// The cost of the whole profile.
    pub(crate) root: Cost,
}

/// The self cost of a function, and the costs of its calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) symbol: SymbolId,
    pub(crate) own: SelfCost,
    /// In the order of the first call of each callee.
    pub(crate) calls: Vec<Call>,
}

/// All calls of one function from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Call {
    /// An index into [`Graph::functions`].
    pub(crate) callee: usize,
    /// Their total cost, each recursive call counted separately.
    pub(crate) cost: Cost,
}

impl Graph {
    /// The call graph, with times in units of this many nanoseconds.
    pub(crate) fn new(profile: &Profile, unit_ns: u64) -> Self {
        let unit_ns = unit_ns.max(1);
        let mut builder = GraphBuilder::new(profile.symbols.len());
        match (&profile.body, profile.tree()) {
            (Body::Edges(table), _) => builder.add_edges(table, unit_ns),
            (_, Some(tree)) => builder.add_tree(&tree, unit_ns),
            (_, None) => {}
        }
        builder.graph
    }
}

/// Rounded to the nearest unit.
fn in_units(ns: i64, unit_ns: u64) -> i64 {
    let unit = i64::try_from(unit_ns).unwrap_or(i64::MAX);
    ns.saturating_add(unit / 2).div_euclid(unit)
}

struct GraphBuilder {
    graph: Graph,
    places: Vec<Option<usize>>,
    calls: NumberMap<(usize, usize), usize>,
}

impl GraphBuilder {
    fn new(symbols: usize) -> Self {
        let mut builder = Self {
            graph: Graph::default(),
            places: vec![None; symbols],
            calls: NumberMap::default(),
        };
        builder.place(SymbolId::ROOT);
        builder
    }

    fn place(&mut self, symbol: SymbolId) -> usize {
        let next = self.graph.functions.len();
        let place = self.places.get_mut(symbol.index());
        let place = place.map_or(0, |place| *place.get_or_insert(next));
        if place == next {
            self.graph.functions.push(Function {
                symbol,
                ..Function::default()
            });
        }
        place
    }

    fn add_call(&mut self, caller: usize, callee: usize, cost: Cost) {
        let Some(function) = self.graph.functions.get_mut(caller) else {
            return;
        };
        match self.calls.entry((caller, callee)) {
            Entry::Occupied(place) => {
                if let Some(call) = function.calls.get_mut(*place.get()) {
                    call.cost += cost;
                }
            }
            Entry::Vacant(place) => {
                place.insert(function.calls.len());
                function.calls.push(Call { callee, cost });
            }
        }
    }

    fn own(&mut self, place: usize) -> Option<&mut SelfCost> {
        let function = self.graph.functions.get_mut(place)?;
        Some(&mut function.own)
    }

    /// Rounds each node's self cost, and sums up from the leaves.
    fn add_tree(&mut self, tree: &Tree, unit_ns: u64) {
        let own = tree.self_costs();
        let mut nodes = tree.nodes.clone();
        let [mut wall, mut cpu] = [(); 2].map(|()| Rounding::new(unit_ns));
        for (node, own) in nodes.iter_mut().zip(&own) {
            node.cost.wall = wall.units(node.symbol, own.wall);
            node.cost.cpu = cpu.units(node.symbol, own.cpu);
        }
        for index in (1..nodes.len()).rev() {
            let Some(&node) = nodes.get(index) else {
                continue;
            };
            if let Some(parent) = nodes.get_mut(node.parent.index()) {
                parent.cost.wall = parent.cost.wall.saturating_add(node.cost.wall);
                parent.cost.cpu = parent.cost.cpu.saturating_add(node.cost.cpu);
            }
        }
        self.graph.root = nodes.first().map_or_else(Cost::default, |node| node.cost);
        let rounded = Tree { nodes };
        let own = rounded.self_costs();
        let children = rounded.children();
        let mut walk = vec![(NodeId::ROOT, None)];
        while let Some((id, caller)) = walk.pop() {
            let Some(node) = rounded.nodes.get(id.index()) else {
                continue;
            };
            let place = self.place(node.symbol);
            if let Some(caller) = caller {
                self.add_call(caller, place, node.cost);
            }
            if let (Some(sum), Some(own)) = (self.own(place), own.get(id.index())) {
                *sum = plus(*sum, *own);
            }
            let inner = children.of(id).iter().rev();
            walk.extend(inner.map(|&child| (child, Some(place))));
        }
    }

    /// Rounds each edge's cost. The edge on the path from the root gives its
    /// caller the difference.
    fn add_edges(&mut self, table: &EdgeTable, unit_ns: u64) {
        let units = |ns: u64| {
            let ns = i64::try_from(ns).unwrap_or(i64::MAX);
            in_units(ns, unit_ns).unsigned_abs()
        };
        let rounded = |cost: Cost| Cost {
            wall: units(cost.wall),
            cpu: units(cost.cpu),
            ..cost
        };
        self.graph.root = rounded(table.root);
        // Of one caller's edges, the last to complete was the last call; so
        // this order is the closest to the order of calls.
        for edge in table.edges.iter().rev() {
            self.place(edge.caller.symbol);
            self.place(edge.callee.symbol);
        }
        for edge in table.edges.iter().rev() {
            let caller = self.place(edge.caller.symbol);
            let callee = self.place(edge.callee.symbol);
            self.add_call(caller, callee, rounded(edge.cost));
        }
        self.balance();
        if unit_ns > 1 {
            self.settle(table, unit_ns);
        }
    }

    /// Self costs: incoming cost minus outgoing cost.
    fn balance(&mut self) {
        let mut own = vec![SelfCost::default(); self.graph.functions.len()];
        if let Some(root) = own.first_mut() {
            *root = plus(*root, as_own(self.graph.root));
        }
        for (caller, function) in self.graph.functions.iter().enumerate() {
            for call in &function.calls {
                let cost = as_own(call.cost);
                if let Some(own) = own.get_mut(call.callee) {
                    *own = plus(*own, cost);
                }
                if let Some(own) = own.get_mut(caller) {
                    *own = minus(*own, cost);
                }
            }
        }
        for (function, own) in self.graph.functions.iter_mut().zip(own) {
            function.own = own;
        }
    }

    /// Where rounding made a self time negative, the call by which the search
    /// first reached the function gets the difference: the correction moves
    /// towards the root.
    fn settle(&mut self, table: &EdgeTable, unit_ns: u64) {
        let exact = exact_own(table, &self.places, self.graph.functions.len());
        let is_rounding =
            |units: i64, ns: i64| units < 0 && ns > -i64::try_from(unit_ns).unwrap_or(i64::MAX);
        for (place, way) in self.ways().into_iter().rev() {
            let Some(function) = self.graph.functions.get(place) else {
                continue;
            };
            let exact = exact.get(place).copied().unwrap_or_default();
            let missing = |units: i64, ns: i64| {
                if is_rounding(units, ns) {
                    units.unsigned_abs()
                } else {
                    0
                }
            };
            let missing = Cost {
                wall: missing(function.own.wall, exact.wall),
                cpu: missing(function.own.cpu, exact.cpu),
                ..Cost::default()
            };
            if missing == Cost::default() {
                continue;
            }
            if let Some(own) = self.own(place) {
                *own = plus(*own, as_own(missing));
            }
            match way {
                None => self.graph.root += missing,
                Some((caller, call)) => {
                    if let Some(function) = self.graph.functions.get_mut(caller) {
                        function.own = minus(function.own, as_own(missing));
                        if let Some(call) = function.calls.get_mut(call) {
                            call.cost += missing;
                        }
                    }
                }
            }
        }
    }

    /// Every function reached from the root, nearest first, with the call
    /// through which the search reached it.
    fn ways(&self) -> Vec<(usize, Option<(usize, usize)>)> {
        let mut is_reached = vec![false; self.graph.functions.len()];
        if let Some(root) = is_reached.first_mut() {
            *root = true;
        }
        let mut ways = vec![(0, None)];
        let mut next = 0;
        while let Some(&(place, _)) = ways.get(next) {
            next += 1;
            let calls = self
                .graph
                .functions
                .get(place)
                .map(|function| &function.calls);
            for (number, call) in calls.into_iter().flatten().enumerate() {
                if let Some(reached) = is_reached.get_mut(call.callee)
                    && !*reached
                {
                    *reached = true;
                    ways.push((call.callee, Some((place, number))));
                }
            }
        }
        ways
    }
}

/// Self costs in nanoseconds.
fn exact_own(table: &EdgeTable, places: &[Option<usize>], functions: usize) -> Vec<SelfCost> {
    let mut own = vec![SelfCost::default(); functions];
    if let Some(root) = own.first_mut() {
        *root = as_own(table.root);
    }
    let place = |symbol: SymbolId| places.get(symbol.index()).copied().flatten();
    for edge in &table.edges {
        let cost = as_own(edge.cost);
        if let Some(own) = place(edge.callee.symbol).and_then(|place| own.get_mut(place)) {
            *own = plus(*own, cost);
        }
        if let Some(own) = place(edge.caller.symbol).and_then(|place| own.get_mut(place)) {
            *own = minus(*own, cost);
        }
    }
    own
}

fn as_own(cost: Cost) -> SelfCost {
    let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    SelfCost {
        wall: signed(cost.wall),
        cpu: signed(cost.cpu),
        memory: cost.memory,
        peak: cost.peak,
    }
}

fn plus(one: SelfCost, other: SelfCost) -> SelfCost {
    SelfCost {
        wall: one.wall.saturating_add(other.wall),
        cpu: one.cpu.saturating_add(other.cpu),
        memory: one.memory.saturating_add(other.memory),
        peak: one.peak.saturating_add(other.peak),
    }
}

fn minus(one: SelfCost, other: SelfCost) -> SelfCost {
    SelfCost {
        wall: one.wall.saturating_sub(other.wall),
        cpu: one.cpu.saturating_sub(other.cpu),
        memory: one.memory.saturating_sub(other.memory),
        peak: one.peak.saturating_sub(other.peak),
    }
}

/// The rows of the function table for people, the largest self cost first.
pub(crate) fn rows_by_own_wall(profile: &Profile) -> FlatTable {
    let mut table = FlatTable::new(profile);
    table.rows.sort_by(|a, b| {
        let costs = (b.own.wall, b.inclusive.wall).cmp(&(a.own.wall, a.inclusive.wall));
        costs.then_with(|| profile.name(a.symbol).cmp(profile.name(b.symbol)))
    });
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::{Activation, Edge, Symbol, TreeBuilder};

    fn named(count: usize, body: Body) -> Profile {
        let mut profile = Profile::empty();
        for number in 1..count {
            profile
                .symbols
                .push(Symbol::new(format!("f{number}").into_bytes()));
        }
        profile.body = body;
        profile
    }

    /// Callee, calls and wall time.
    type Calls = Vec<(usize, u64, u64)>;

    fn shape(graph: &Graph) -> Vec<(u32, i64, Calls)> {
        let calls = |function: &Function| {
            let call = |call: &Call| (call.callee, call.cost.calls, call.cost.wall);
            function.calls.iter().map(call).collect()
        };
        graph
            .functions
            .iter()
            .map(|function| (function.symbol.0, function.own.wall, calls(function)))
            .collect()
    }

    #[test]
    fn self_costs_of_a_tree_are_rounded_once_and_summed() {
        let mut builder = TreeBuilder::new();
        let a = builder.child(NodeId::ROOT, SymbolId(1));
        let b = builder.child(a, SymbolId(2));
        let c = builder.child(a, SymbolId(1));
        for (node, wall) in [(NodeId::ROOT, 4), (a, 16), (b, 14), (c, 15)] {
            let cost = builder.cost(node);
            cost.calls = 1;
            cost.wall = wall;
        }
        let profile = named(3, Body::Tree(builder.finish_self_costs()));
        let graph = Graph::new(&profile, 10);
        // 4, 16, 14, 15 ns are 0, 2, 1, 2 units; the function of 16 and 15 has 31,
        // which is 3.
        assert_eq!(
            shape(&graph),
            [
                (0, 0, vec![(1, 1, 4)]),
                (1, 3, vec![(2, 1, 1), (1, 1, 1)]),
                (2, 1, vec![]),
            ]
        );
        assert_eq!(graph.root.wall, 4);
    }

    #[test]
    fn the_totals_of_a_large_tree_are_those_of_the_profile() {
        let mut builder = TreeBuilder::new();
        let mut parents = vec![NodeId::ROOT];
        let mut random = 88_172_645_463_325_252_u64;
        for _ in 0..50_000 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let place = usize::try_from(random % parents.len() as u64).unwrap();
            let symbol = SymbolId(u32::try_from(random >> 40 & 7).unwrap() + 1);
            let node = builder.child(parents[place], symbol);
            parents.push(node);
            let cost = builder.cost(node);
            cost.calls += 1;
            // Most of them just below a rounding limit.
            cost.wall += 4 + random % 8 / 7 * 30;
            cost.cpu += 5;
        }
        let profile = named(9, Body::Tree(builder.finish_self_costs()));
        let graph = Graph::new(&profile, 10);
        let flat = FlatTable::new(&profile);
        let mut sums = [0, 0];
        for function in &graph.functions {
            let row = flat.rows.iter().find(|row| row.symbol == function.symbol);
            let own = row.unwrap().own;
            assert!((function.own.wall * 10 - own.wall).abs() <= 5);
            assert!((function.own.cpu * 10 - own.cpu).abs() <= 5);
            sums[0] += function.own.wall;
            sums[1] += function.own.cpu;
        }
        assert_eq!(
            sums.map(i64::cast_unsigned),
            [graph.root.wall, graph.root.cpu]
        );
        assert!((graph.root.wall * 10).abs_diff(flat.total.wall) <= 5 * 9);
        assert!((graph.root.cpu * 10).abs_diff(flat.total.cpu) <= 5 * 9);
    }

    #[test]
    fn what_rounding_takes_from_a_caller_moves_to_the_root() {
        let edge = |caller, callee, wall| Edge {
            caller: Activation {
                symbol: SymbolId(caller),
                level: 0,
            },
            callee: Activation {
                symbol: SymbolId(callee),
                level: 0,
            },
            cost: Cost {
                calls: 1,
                wall,
                ..Cost::default()
            },
        };
        let table = EdgeTable {
            edges: vec![edge(1, 2, 6), edge(1, 3, 6), edge(1, 4, 6), edge(0, 1, 18)],
            root: Cost {
                calls: 1,
                wall: 18,
                ..Cost::default()
            },
        };
        let graph = Graph::new(&named(5, Body::Edges(table)), 10);
        assert_eq!(graph.root.wall, 3);
        let own: Vec<_> = graph
            .functions
            .iter()
            .map(|function| function.own.wall)
            .collect();
        assert_eq!(own, [0, 0, 1, 1, 1]);
    }
}
