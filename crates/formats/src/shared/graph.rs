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

use profile::settlement::{self, Balance, Units};
use profile::{
    Body, Cost, EdgeTable, FlatRow, FlatTable, NodeId, NumberMap, Profile, SelfCost, SymbolId,
    Table, Tree,
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
    places: Table<SymbolId, Option<usize>>,
    calls: NumberMap<(usize, usize), usize>,
}

impl GraphBuilder {
    fn new(symbols: usize) -> Self {
        let mut builder = Self {
            graph: Graph::default(),
            places: Table::new(None, symbols),
            calls: NumberMap::default(),
        };
        builder.place(SymbolId::ROOT);
        builder
    }

    fn place(&mut self, symbol: SymbolId) -> usize {
        let next = self.graph.functions.len();
        let place = *self.places[symbol].get_or_insert(next);
        if place == next {
            self.graph.functions.push(Function {
                symbol,
                ..Function::default()
            });
        }
        place
    }

    fn add_call(&mut self, caller: usize, callee: usize, cost: Cost) {
        let function = &mut self.graph.functions[caller];
        match self.calls.entry((caller, callee)) {
            Entry::Occupied(place) => function.calls[*place.get()].cost += cost,
            Entry::Vacant(place) => {
                place.insert(function.calls.len());
                function.calls.push(Call { callee, cost });
            }
        }
    }

    /// Rounds each node's self cost, and sums up from the leaves.
    fn add_tree(&mut self, tree: &Tree, unit_ns: u64) {
        let own = tree.self_costs();
        let mut rounded = tree.clone();
        let [mut wall, mut cpu] = [(); 2].map(|()| Rounding::new(unit_ns));
        for (node, own) in rounded.nodes.iter_mut().zip(&own) {
            node.cost.wall = wall.units(node.symbol, own.wall);
            node.cost.cpu = cpu.units(node.symbol, own.cpu);
        }
        for index in (1..rounded.nodes.len()).rev() {
            let node = rounded.nodes[index];
            let parent = &mut rounded.nodes[node.parent.index()].cost;
            parent.wall = parent.wall.saturating_add(node.cost.wall);
            parent.cpu = parent.cpu.saturating_add(node.cost.cpu);
        }
        self.graph.root = rounded.root_cost();
        let own = rounded.self_costs();
        let children = rounded.children();
        let mut walk = vec![(NodeId::ROOT, None)];
        while let Some((id, caller)) = walk.pop() {
            let node = &rounded[id];
            let place = self.place(node.symbol);
            if let Some(caller) = caller {
                self.add_call(caller, place, node.cost);
            }
            self.graph.functions[place].own += own[id];
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
        own[0].add(self.graph.root);
        for (caller, function) in self.graph.functions.iter().enumerate() {
            for call in &function.calls {
                own[call.callee].add(call.cost);
                own[caller].subtract(call.cost);
            }
        }
        for (function, own) in self.graph.functions.iter_mut().zip(own) {
            function.own = own;
        }
    }

    /// Where rounding made a self time negative, the call on the shortest path
    /// from the root gets the difference.
    fn settle(&mut self, table: &EdgeTable, unit_ns: u64) {
        let functions = &self.graph.functions;
        let mut balances: Table<u32, Balance> = Table::new(Balance::default(), functions.len());
        // There are no more functions than symbols, which have 32-bit numbers.
        let number = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
        let units = |cost: &Cost| Units {
            wall: cost.wall,
            cpu: cost.cpu,
        };
        let nothing = Units::default();
        // The exact times are those of the table, the rounded ones those of the
        // graph, in which the levels of a function are one.
        balances[0_u32].enter(&table.root, units(&self.graph.root));
        for edge in &table.edges {
            let place = |symbol: SymbolId| number(self.places[symbol].unwrap_or_default());
            balances[place(edge.callee.symbol)].enter(&edge.cost, nothing);
            balances[place(edge.caller.symbol)].leave(&edge.cost, nothing);
        }
        let mut calls = Vec::new();
        for (caller, function) in functions.iter().enumerate() {
            for (place, call) in function.calls.iter().enumerate() {
                let (from, to) = (number(caller), number(call.callee));
                balances[to].enter(&Cost::default(), units(&call.cost));
                balances[from].leave(&Cost::default(), units(&call.cost));
                calls.push((from, to, place));
            }
        }
        let ends = || {
            let calls = calls.iter();
            calls.map(|&(from, to, _)| (from, to)).collect()
        };
        for addition in settlement::settle(balances, 0, unit_ns, ends) {
            let missing = Cost {
                wall: addition.units.wall,
                cpu: addition.units.cpu,
                ..Cost::default()
            };
            self.graph.functions[addition.node as usize]
                .own
                .add(missing);
            match addition.edge {
                None => self.graph.root += missing,
                Some(edge) => {
                    let (from, _, place) = calls[edge as usize];
                    let caller = &mut self.graph.functions[from as usize];
                    caller.own.subtract(missing);
                    caller.calls[place].cost += missing;
                }
            }
        }
    }
}

/// The rows of the function table for people, the largest self cost first: of time, then
/// of memory, which is all that some profiles have.
pub(crate) fn rows_by_own_wall(profile: &Profile) -> FlatTable {
    let mut table = FlatTable::new(profile);
    table.rows.sort_by(|a, b| {
        let costs = |row: &FlatRow| {
            let (own, all) = (row.own, row.inclusive);
            (own.wall, all.wall, own.memory, all.memory)
        };
        let order = costs(b).cmp(&costs(a));
        order.then_with(|| profile.name(a.symbol).cmp(profile.name(b.symbol)))
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
