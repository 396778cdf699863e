//! Settles rounded times, so that no rounding makes a self time negative.
//!
//! Readers derive a function's self time by subtracting outgoing from incoming
//! costs. Each cost is rounded separately, so a function with little self time
//! could get a self time of minus one. Where rounding alone made a self time
//! negative, one incoming cost gets the missing units.
//!
//! **Invariant:** that cost is always the one on the shortest path from the
//! root, so that a correction moves towards the root, is made once, and ends
//! there.

use crate::{Cost, Table};

/// Wall and CPU time, in units of a format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Units {
    /// Wall time.
    pub wall: u64,
    /// CPU time.
    pub cpu: u64,
}

impl Units {
    /// The times of a cost, rounded to the nearest unit.
    #[must_use]
    pub fn nearest(cost: &Cost, unit_ns: u64) -> Self {
        let unit_ns = unit_ns.max(1);
        let units = |ns: u64| ns.saturating_add(unit_ns / 2) / unit_ns;
        Self {
            wall: units(cost.wall),
            cpu: units(cost.cpu),
        }
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            wall: self.wall.saturating_add(other.wall),
            cpu: self.cpu.saturating_add(other.cpu),
        }
    }
}

/// The self time of a node: exact, and as readers compute it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Balance {
    wall_ns: i64,
    cpu_ns: i64,
    wall_units: i64,
    cpu_units: i64,
}

impl Balance {
    // Wrapping: the sums may overflow in between, and the difference is still
    // right.

    /// Adds a cost that enters the node.
    pub fn enter(&mut self, cost: &Cost, rounded: Units) {
        self.wall_ns = self.wall_ns.wrapping_add_unsigned(cost.wall);
        self.cpu_ns = self.cpu_ns.wrapping_add_unsigned(cost.cpu);
        self.wall_units = self.wall_units.wrapping_add_unsigned(rounded.wall);
        self.cpu_units = self.cpu_units.wrapping_add_unsigned(rounded.cpu);
    }

    /// Subtracts a cost that leaves the node.
    pub fn leave(&mut self, cost: &Cost, rounded: Units) {
        self.wall_ns = self.wall_ns.wrapping_sub_unsigned(cost.wall);
        self.cpu_ns = self.cpu_ns.wrapping_sub_unsigned(cost.cpu);
        self.wall_units = self.wall_units.wrapping_sub_unsigned(rounded.wall);
        self.cpu_units = self.cpu_units.wrapping_sub_unsigned(rounded.cpu);
    }

    /// Gives units to a callee.
    fn give(&mut self, units: Units) {
        self.wall_units = self.wall_units.saturating_sub_unsigned(units.wall);
        self.cpu_units = self.cpu_units.saturating_sub_unsigned(units.cpu);
    }

    /// The part that rounding took from this node.
    fn missing(&self, unit_ns: i64) -> Units {
        // Ticks converted to nanoseconds may be off by a few. A whole unit is
        // not rounding, and stays visible.
        let missing = |units: i64, ns: i64| {
            if units < 0 && ns > -unit_ns {
                units.unsigned_abs()
            } else {
                0
            }
        };
        Units {
            wall: missing(self.wall_units, self.wall_ns),
            cpu: missing(self.cpu_units, self.cpu_ns),
        }
    }
}

/// An addition to the rounded times of one edge, or of the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Addition {
    /// The node that lacks the units.
    pub node: u32,
    /// The edge that leads to it; none for the root.
    pub edge: Option<u32>,
    /// The missing units.
    pub units: Units,
}

/// The additions that settle all nodes. `ends` returns the numbers of each
/// edge's caller and callee, and is called only if a node is not settled.
#[must_use]
pub fn settle(
    mut balances: Table<u32, Balance>,
    root: u32,
    unit_ns: u64,
    ends: impl FnOnce() -> Vec<(u32, u32)>,
) -> Vec<Addition> {
    let unit_ns = i64::try_from(unit_ns).unwrap_or(i64::MAX);
    let is_settled = |balance: &Balance| balance.missing(unit_ns) == Units::default();
    if balances.iter().all(is_settled) {
        return Vec::new();
    }
    let ends: Table<u32, _> = Table::of(ends());
    let mut additions = Vec::new();
    // Farthest first: an addition to a node is taken from its caller, and every
    // caller comes after all its callees here.
    for (node, edge) in paths_from_root(balances.len(), root, &ends)
        .into_iter()
        .rev()
    {
        let units = balances[node].missing(unit_ns);
        if units == Units::default() {
            continue;
        }
        additions.push(Addition { node, edge, units });
        if let Some(edge) = edge {
            let (caller, _) = ends[edge];
            balances[caller].give(units);
        }
    }
    additions
}

/// Every node reached from the root, nearest first, with the edge through which
/// the search reached it; none for the root.
fn paths_from_root(
    count: usize,
    root: u32,
    ends: &Table<u32, (u32, u32)>,
) -> Vec<(u32, Option<u32>)> {
    // Edges grouped by caller: those of `n` begin at `starts[n]`.
    let mut starts: Table<usize, u32> = Table::new(0, count + 1);
    for &(caller, _) in ends.iter() {
        starts[caller as usize + 1] += 1;
    }
    let mut sum = 0;
    for start in starts.iter_mut() {
        sum += *start;
        *start = sum;
    }
    let mut free = starts.clone();
    let mut by_caller: Table<u32, u32> = Table::new(0, ends.len());
    for (edge, &(caller, _)) in (0..).zip(ends.iter()) {
        let place = &mut free[caller as usize];
        by_caller[*place] = edge;
        *place += 1;
    }

    let mut is_reached: Table<u32, bool> = Table::new(false, count);
    is_reached[root] = true;
    let mut paths = vec![(root, None)];
    let mut next = 0;
    while let Some(&(node, _)) = paths.get(next) {
        next += 1;
        for place in starts[node as usize]..starts[node as usize + 1] {
            let edge = by_caller[place];
            let (_, callee) = ends[edge];
            if !is_reached[callee] {
                is_reached[callee] = true;
                paths.push((callee, Some(edge)));
            }
        }
    }
    paths
}
