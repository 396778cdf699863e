//! Builds edges from Callgrind's records.
//!
//! A record's cost is inclusive, and a function's self cost is given
//! separately. The two need not agree: in a cycle Valgrind counts only the
//! outermost calls, Xdebug rounds each number separately, and a profile may
//! begin inside a function. Missing costs are assigned to edges so that self
//! costs stay those of the file.
//!
//! **Invariant:** no edge leads to the root, and the self times of all
//! functions add up to the root's.

use profile::{Activation, Budget, Cost, Edge, EdgeTable, NumberMap, SymbolId, Table};

use super::columns::Costs;

/// The sums of the records.
#[derive(Debug)]
pub(super) struct Edges {
    own: Vec<Own>,
    sums: Vec<Sum>,
    places: NumberMap<(SymbolId, SymbolId), usize>,
    /// A cache of recently used edges. A hit is checked, and saves most
    /// searches in a file of millions of records.
    recent: Vec<usize>,
    budget: Budget,
}

/// Bytes per edge when the table is built: the edge, and its entry in the
/// search for recursion.
const EDGE_BYTES: usize = size_of::<Edge>() + size_of::<usize>();

/// The noun in the budget's error message.
const EDGES: &str = "edges";

/// The size of [`Edges::recent`], a power of two.
const CACHE_SIZE: usize = 4096;

#[derive(Debug, Clone, Copy, Default)]
struct Own {
    costs: Costs,
    is_there: bool,
}

#[derive(Debug, Clone, Copy)]
struct Sum {
    caller: SymbolId,
    callee: SymbolId,
    calls: u64,
    costs: Costs,
}

/// The part of a function's time that is not in the records leading to it;
/// negative if the records hold more.
#[derive(Debug, Clone, Copy, Default)]
struct Missing {
    wall: i64,
    cpu: i64,
    memory: i64,
    peak: i64,
    /// The number of calls from and to it: each may be rounded.
    calls: u64,
    is_called: bool,
}

impl Edges {
    /// No edges, and room for as many as the budget allows. Nothing is added
    /// once the budget is exceeded.
    pub(super) fn within(budget: &Budget) -> Self {
        Self {
            own: Vec::new(),
            sums: Vec::new(),
            places: NumberMap::default(),
            recent: Vec::new(),
            budget: budget.clone(),
        }
    }

    /// Adds a self cost of a function.
    pub(super) fn add_own(&mut self, symbol: SymbolId, costs: Costs) {
        if self.own.len() <= symbol.index() {
            let more = symbol.index() + 1 - self.own.len();
            if self.budget.room_for(&mut self.own, more, EDGES).is_err() {
                return;
            }
            self.own.resize(symbol.index() + 1, Own::default());
        }
        let own = &mut self.own[symbol.index()];
        own.is_there = true;
        own.costs.add(costs);
    }

    /// Adds the inclusive cost of calls.
    pub(super) fn add_calls(
        &mut self,
        caller: SymbolId,
        callee: SymbolId,
        calls: u64,
        costs: Costs,
    ) {
        // No edge leads to the root: such a record is counted as its caller's
        // self cost.
        if callee == SymbolId::ROOT {
            return;
        }
        let place = self.place(caller, callee);
        // None if the budget is exceeded.
        if let Some(place) = place {
            let sum = &mut self.sums[place];
            sum.calls = sum.calls.saturating_add(calls);
            sum.costs.add(costs);
        }
    }

    fn place(&mut self, caller: SymbolId, callee: SymbolId) -> Option<usize> {
        if self.recent.is_empty() {
            self.recent = vec![0; CACHE_SIZE];
        }
        let mixed = caller.index().wrapping_mul(31).wrapping_add(callee.index());
        let guess = &mut self.recent[mixed % CACHE_SIZE];
        // There may be no sums yet.
        if let Some(sum) = self.sums.get(*guess)
            && (sum.caller, sum.callee) == (caller, callee)
        {
            return Some(*guess);
        }
        let next = self.sums.len();
        self.budget.room_in_map(&mut self.places, EDGES).ok()?;
        self.budget.room(&mut self.sums, EDGES).ok()?;
        let place = *self.places.entry((caller, callee)).or_insert(next);
        if place == next {
            self.budget.take(EDGE_BYTES, EDGES).ok()?;
            self.sums.push(Sum {
                caller,
                callee,
                calls: 0,
                costs: Costs::default(),
            });
        }
        *guess = place;
        Some(place)
    }

    /// Whether calls were recorded; Cachegrind has only costs, and no root.
    pub(super) fn has_calls(&self) -> bool {
        !self.sums.is_empty() || self.own.first().is_some_and(|root| root.is_there)
    }

    /// The edges of a profile with this many symbols. `unit_ns` is the maximum
    /// error of a time per call.
    pub(super) fn finish(mut self, symbols: usize, unit_ns: u64) -> EdgeTable {
        self.own.resize(symbols, Own::default());
        let has_calls = self.has_calls();
        let mut missing = self.missing();
        self.cover_from_callers(&mut missing);
        self.cover_from_root(&missing, unit_ns, has_calls);
        let calls = u64::from(has_calls);
        let mut root = self
            .own
            .first()
            .map_or_else(Costs::default, |own| own.costs);
        for sum in &self.sums {
            if sum.caller == SymbolId::ROOT {
                root.add(sum.costs);
            }
        }
        let activation = |symbol| Activation { symbol, level: 0 };
        let edge = |sum: &Sum| Edge {
            caller: activation(sum.caller),
            callee: activation(sum.callee),
            cost: cost(sum.costs, sum.calls),
        };
        EdgeTable {
            root: cost(root, calls),
            edges: self.sums.iter().map(edge).collect(),
        }
    }

    fn missing(&self) -> Table<SymbolId, Missing> {
        let mut missing: Table<SymbolId, Missing> = self
            .own
            .iter()
            .map(|own| {
                let mut missing = Missing::default();
                missing.add(own.costs);
                missing
            })
            .collect();
        for sum in &self.sums {
            let caller = &mut missing[sum.caller];
            caller.add(sum.costs);
            caller.calls = caller.calls.saturating_add(sum.calls);
            let callee = &mut missing[sum.callee];
            callee.subtract(sum.costs);
            callee.calls = callee.calls.saturating_add(sum.calls);
            callee.is_called |= sum.caller != sum.callee;
        }
        missing
    }

    /// In a cycle the records of the inner calls are empty. Where a caller has
    /// more than its own cost and its callees', and a callee has less, the
    /// record between them gets the difference.
    fn cover_from_callers(&mut self, missing: &mut Table<SymbolId, Missing>) {
        for sum in &mut self.sums {
            if sum.caller == SymbolId::ROOT {
                continue;
            }
            let excess = missing[sum.caller].wall.saturating_neg();
            let moved = excess.min(missing[sum.callee].wall);
            if moved <= 0 {
                continue;
            }
            sum.costs.wall = sum.costs.wall.saturating_add(moved);
            for (end, by) in [(sum.caller, moved), (sum.callee, -moved)] {
                let wall = &mut missing[end].wall;
                *wall = wall.saturating_add(by);
            }
        }
    }

    /// The remaining part came from outside: the root calls it.
    fn cover_from_root(&mut self, missing: &[Missing], unit_ns: u64, has_calls: bool) {
        for (number, missing) in (0_u32..).zip(missing).skip(1) {
            let symbol = SymbolId(number);
            let is_there = self.own[symbol.index()].is_there;
            let rounding = missing.calls.saturating_mul(unit_ns);
            let is_more = missing.wall.max(0).unsigned_abs() > rounding;
            let is_root = !missing.is_called && (is_there || missing.calls > 0);
            if !is_root && !is_more {
                continue;
            }
            let mut costs = Costs {
                wall: missing.wall.max(0),
                ..Costs::default()
            };
            if is_root {
                // Below zero if the file's costs are: then the root lacks it.
                costs.wall = missing.wall;
                costs.cpu = missing.cpu;
                costs.memory = missing.memory;
                costs.peak = missing.peak;
            }
            let calls = u64::from(is_root && has_calls);
            self.add_calls(SymbolId::ROOT, symbol, calls, costs);
        }
    }
}

impl Missing {
    fn add(&mut self, costs: Costs) {
        self.wall = self.wall.saturating_add(costs.wall);
        self.cpu = self.cpu.saturating_add(costs.cpu);
        self.memory = self.memory.saturating_add(costs.memory);
        self.peak = self.peak.saturating_add(costs.peak);
    }

    fn subtract(&mut self, costs: Costs) {
        self.wall = self.wall.saturating_sub(costs.wall);
        self.cpu = self.cpu.saturating_sub(costs.cpu);
        self.memory = self.memory.saturating_sub(costs.memory);
        self.peak = self.peak.saturating_sub(costs.peak);
    }
}

/// An inclusive cost. Its times are not below zero: what it lacks comes off its
/// caller's own.
fn cost(costs: Costs, calls: u64) -> Cost {
    Cost {
        calls,
        wall: costs.wall.max(0).unsigned_abs(),
        cpu: costs.cpu.max(0).unsigned_abs(),
        memory: costs.memory,
        peak: costs.peak,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wall(wall: i64) -> Costs {
        Costs {
            wall,
            ..Costs::default()
        }
    }

    /// Self costs by function, then calls by caller and callee.
    fn table(own: &[i64], calls: &[(u32, u32, u64, i64)]) -> (u64, Vec<(u32, u32, u64, u64)>) {
        let mut edges = Edges::within(&Budget::unlimited());
        for (symbol, &own) in (0..).zip(own) {
            if (symbol, own) != (0, 0) {
                edges.add_own(SymbolId(symbol), wall(own));
            }
        }
        for &(caller, callee, count, cost) in calls {
            edges.add_calls(SymbolId(caller), SymbolId(callee), count, wall(cost));
        }
        let table = edges.finish(own.len(), 1);
        let row = |edge: &Edge| {
            let ends = (edge.caller.symbol.0, edge.callee.symbol.0);
            (ends.0, ends.1, edge.cost.calls, edge.cost.wall)
        };
        (table.root.wall, table.edges.iter().map(row).collect())
    }

    #[test]
    fn functions_without_a_caller_are_called_from_the_root() {
        let (root, edges) = table(&[0, 10, 20, 5], &[(1, 2, 3, 20)]);
        assert_eq!(root, 35);
        assert_eq!(edges, [(1, 2, 3, 20), (0, 1, 1, 30), (0, 3, 1, 5)]);
    }

    #[test]
    fn costs_without_calls_are_a_flat_profile() {
        let (root, edges) = table(&[0, 10, 20], &[]);
        assert_eq!(root, 30);
        assert_eq!(edges, [(0, 1, 0, 10), (0, 2, 0, 20)]);
    }

    #[test]
    fn a_cycle_whose_inner_records_are_empty_keeps_its_self_costs() {
        // 1 and 2 call each other twice; only the outer call has a cost.
        let own = [5, 20, 80];
        let calls = [(0, 1, 1, 100), (1, 2, 2, 90), (2, 1, 1, 0)];
        let (root, edges) = table(&own, &calls);
        assert_eq!(root, 105);
        assert_eq!(edges, [(0, 1, 1, 100), (1, 2, 2, 90), (2, 1, 1, 10)]);
    }

    #[test]
    fn rounding_is_no_call_from_the_root() {
        let (_, edges) = table(&[0, 10, 4], &[(0, 1, 1, 13), (1, 2, 3, 3)]);
        assert_eq!(edges, [(0, 1, 1, 13), (1, 2, 3, 3)]);
        // The caller's excess is what its callee lacks.
        let (_, edges) = table(&[0, 10, 4], &[(0, 1, 1, 14), (1, 2, 3, 3)]);
        assert_eq!(edges, [(0, 1, 1, 14), (1, 2, 3, 4)]);
    }

    #[test]
    fn costs_below_zero_keep_the_total() {
        // 1 costs -15 by itself, 3 and its caller as much as the file says.
        let (root, edges) = table(&[10, -15, 25, -4], &[(0, 1, 1, 10), (1, 2, 1, 25)]);
        assert_eq!(root, 16);
        assert_eq!(edges, [(0, 1, 1, 10), (1, 2, 1, 25), (0, 3, 1, 0)]);
    }

    #[test]
    fn nothing_leads_to_the_root() {
        let (root, edges) = table(&[5, 7], &[(0, 1, 1, 7), (1, 0, 1, 3)]);
        assert_eq!((root, edges), (12, vec![(0, 1, 1, 7)]));
    }
}
