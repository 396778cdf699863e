//! Rounds nanoseconds to XHProf's microseconds without negative self times.
//!
//! Readers derive a function's self time by subtracting outgoing from incoming
//! rows. Each row is rounded separately, so a function with little self time
//! could get a self time of minus one. The rows are therefore *settled*: where
//! rounding alone made a self time negative, one incoming row gets the missing
//! microseconds.
//!
//! **Invariant:** that row is always the one on the shortest path from
//! `main()`, so that a correction moves towards the root, is made once, and
//! ends there.

use crate::{Activation, Cost, Edge, EdgeTable, Edges, NumberMap};

/// One row's times.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Rounded {
    pub(super) wall_us: u64,
    pub(super) cpu_us: u64,
}

/// The additions to the nearest microsecond. Most rows have none, so only those
/// with an addition are stored.
pub(super) struct Settlement {
    root: Rounded,
    /// Edges by their number, in order.
    edges: Vec<(u32, Rounded)>,
}

impl Settlement {
    /// The rounded times of the root.
    pub(super) fn root(&self, root: &Cost) -> Rounded {
        Rounded::nearest(root).plus(self.root)
    }

    /// Each edge, and its rounded times.
    pub(super) fn edges(&self, edges: &impl Edges) -> impl Iterator<Item = (Edge, Rounded)> {
        let mut settled = self.edges.iter().peekable();
        (0..).zip(edges.iter()).map(move |(number, edge)| {
            let nearest = Rounded::nearest(&edge.cost);
            match settled.next_if(|(settled, _)| *settled == number) {
                Some(&(_, missing)) => (edge, nearest.plus(missing)),
                None => (edge, nearest),
            }
        })
    }
}

impl Rounded {
    fn nearest(cost: &Cost) -> Self {
        let us = |ns: u64| ns.saturating_add(500) / 1_000;
        Self {
            wall_us: us(cost.wall),
            cpu_us: us(cost.cpu),
        }
    }

    fn plus(self, missing: Self) -> Self {
        Self {
            wall_us: self.wall_us.saturating_add(missing.wall_us),
            cpu_us: self.cpu_us.saturating_add(missing.cpu_us),
        }
    }
}

/// The additions for a profile with this many symbols.
pub(super) fn settle(symbols: usize, edges: &impl Edges) -> Settlement {
    let numbers = Numbers::new(symbols, edges);
    let mut balances = vec![Balance::default(); numbers.count];
    if let Some(balance) = balances.get_mut(numbers.of(EdgeTable::ROOT) as usize) {
        let root = edges.root();
        balance.enter(&root, Rounded::nearest(&root));
    }
    for edge in edges.iter() {
        let rounded = Rounded::nearest(&edge.cost);
        if let Some(balance) = balances.get_mut(numbers.of(edge.callee) as usize) {
            balance.enter(&edge.cost, rounded);
        }
        if let Some(balance) = balances.get_mut(numbers.of(edge.caller) as usize) {
            balance.leave(&edge.cost, rounded);
        }
    }
    if balances.iter().all(Balance::is_settled) {
        return Settlement {
            root: Rounded::default(),
            edges: Vec::new(),
        };
    }
    settle_balances(&numbers, edges, &mut balances)
}

/// The self time of an activation, exact and as readers compute it.
#[derive(Debug, Clone, Copy, Default)]
struct Balance {
    wall_ns: i64,
    cpu_ns: i64,
    wall_us: i64,
    cpu_us: i64,
}

impl Balance {
    // Wrapping: the sums may overflow in between, and the difference is still
    // right.
    fn enter(&mut self, cost: &Cost, rounded: Rounded) {
        self.wall_ns = self.wall_ns.wrapping_add_unsigned(cost.wall);
        self.cpu_ns = self.cpu_ns.wrapping_add_unsigned(cost.cpu);
        self.wall_us = self.wall_us.wrapping_add_unsigned(rounded.wall_us);
        self.cpu_us = self.cpu_us.wrapping_add_unsigned(rounded.cpu_us);
    }

    fn leave(&mut self, cost: &Cost, rounded: Rounded) {
        self.wall_ns = self.wall_ns.wrapping_sub_unsigned(cost.wall);
        self.cpu_ns = self.cpu_ns.wrapping_sub_unsigned(cost.cpu);
        self.wall_us = self.wall_us.wrapping_sub_unsigned(rounded.wall_us);
        self.cpu_us = self.cpu_us.wrapping_sub_unsigned(rounded.cpu_us);
    }

    fn is_settled(&self) -> bool {
        self.missing() == Rounded::default()
    }

    /// The part that rounding took from this activation.
    fn missing(&self) -> Rounded {
        // Ticks converted to nanoseconds may be off by a few. A whole
        // microsecond is not rounding, and stays visible.
        let missing = |us: i64, ns: i64| {
            if us < 0 && ns > -1_000 {
                us.unsigned_abs()
            } else {
                0
            }
        };
        Rounded {
            wall_us: missing(self.wall_us, self.wall_ns),
            cpu_us: missing(self.cpu_us, self.cpu_ns),
        }
    }
}

fn settle_balances(numbers: &Numbers, edges: &impl Edges, balances: &mut [Balance]) -> Settlement {
    let mut settlement = Settlement {
        root: Rounded::default(),
        edges: Vec::new(),
    };
    let ends: Vec<(u32, u32)> = edges
        .iter()
        .map(|edge| (numbers.of(edge.caller), numbers.of(edge.callee)))
        .collect();
    let root_number = numbers.of(EdgeTable::ROOT);
    // Farthest first: an addition to an activation is taken from its caller,
    // and every caller comes after all its callees here.
    for (activation, way) in ways_from_root(numbers.count, root_number, &ends)
        .into_iter()
        .rev()
    {
        let missing = match balances.get(activation as usize) {
            Some(balance) if !balance.is_settled() => balance.missing(),
            _ => continue,
        };
        let Some(edge) = way else {
            settlement.root = missing;
            continue;
        };
        settlement.edges.push((edge, missing));
        let caller = ends.get(edge as usize).map(|&(caller, _)| caller);
        if let Some(caller) = caller.and_then(|caller| balances.get_mut(caller as usize)) {
            caller.wall_us = caller.wall_us.saturating_sub_unsigned(missing.wall_us);
            caller.cpu_us = caller.cpu_us.saturating_sub_unsigned(missing.cpu_us);
        }
    }
    settlement.edges.sort_unstable_by_key(|&(edge, _)| edge);
    settlement
}

/// Every activation reached from the root, nearest first, with the edge through
/// which the search reached it; none for the root.
fn ways_from_root(count: usize, root: u32, ends: &[(u32, u32)]) -> Vec<(u32, Option<u32>)> {
    // Edges grouped by caller: `by_caller[starts[n]..starts[n + 1]]`.
    let mut starts = vec![0_u32; count + 1];
    for &(caller, _) in ends {
        if let Some(start) = starts.get_mut(caller as usize + 1) {
            *start += 1;
        }
    }
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    let mut free = starts.clone();
    let mut by_caller = vec![0_u32; ends.len()];
    for (edge, &(caller, _)) in (0..).zip(ends) {
        if let Some(place) = free.get_mut(caller as usize)
            && let Some(slot) = by_caller.get_mut(*place as usize)
        {
            *slot = edge;
            *place += 1;
        }
    }

    let mut is_reached = vec![false; count];
    if let Some(root) = is_reached.get_mut(root as usize) {
        *root = true;
    }
    let mut ways = vec![(root, None)];
    let mut next = 0;
    while let Some(&(activation, _)) = ways.get(next) {
        next += 1;
        let index = activation as usize;
        let range = starts.get(index).zip(starts.get(index + 1));
        let outgoing = range.and_then(|(&start, &end)| by_caller.get(start as usize..end as usize));
        for &edge in outgoing.unwrap_or_default() {
            let Some(&(_, callee)) = ends.get(edge as usize) else {
                continue;
            };
            if let Some(is_reached) = is_reached.get_mut(callee as usize)
                && !*is_reached
            {
                *is_reached = true;
                ways.push((callee, Some(edge)));
            }
        }
    }
    ways
}

/// Consecutive numbers for the activations of a profile.
struct Numbers {
    count: usize,
    kind: NumbersKind,
}

enum NumbersKind {
    /// The index of each symbol's first level. Real profiles have every level
    /// up to the deepest, so no index is wasted and no hash is needed.
    Dense(Vec<u32>),
    /// A file may contain only level four thousand million.
    Sparse(NumberMap<Activation, u32>),
}

impl Numbers {
    fn new(symbols: usize, edges: &impl Edges) -> Self {
        let mut levels = vec![1_u64; symbols];
        for activation in activations(edges) {
            if let Some(levels) = levels.get_mut(activation.symbol.index()) {
                *levels = (*levels).max(u64::from(activation.level) + 1);
            }
        }
        let dense: u64 = levels.iter().sum();
        let worth = symbols + edges.len() * 4;
        match usize::try_from(dense) {
            Ok(count) if count <= worth => {
                let mut next = 0;
                let start = |levels: u64| {
                    let start = next;
                    // At most `worth`, which is a count of things in memory.
                    next += u32::try_from(levels).unwrap_or(0);
                    start
                };
                let kind = NumbersKind::Dense(levels.into_iter().map(start).collect());
                Self { count, kind }
            }
            _ => {
                let mut numbers = NumberMap::default();
                for activation in activations(edges).chain([EdgeTable::ROOT]) {
                    let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                    numbers.entry(activation).or_insert(next);
                }
                Self {
                    count: numbers.len(),
                    kind: NumbersKind::Sparse(numbers),
                }
            }
        }
    }

    /// The number of an activation; out of range if its symbol is.
    fn of(&self, activation: Activation) -> u32 {
        let number = match &self.kind {
            NumbersKind::Dense(starts) => {
                let start = starts.get(activation.symbol.index());
                start.map(|start| start.saturating_add(activation.level))
            }
            NumbersKind::Sparse(numbers) => numbers.get(&activation).copied(),
        };
        number.unwrap_or(u32::MAX - 1)
    }
}

fn activations(edges: &impl Edges) -> impl Iterator<Item = Activation> {
    edges.iter().flat_map(|edge| [edge.caller, edge.callee])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SymbolId;

    /// Caller and callee as symbol and level, and the wall time.
    type Call = ((u32, u32), (u32, u32), u64);

    fn table(root: u64, edges: &[Call]) -> EdgeTable {
        let activation = |(symbol, level)| Activation {
            symbol: SymbolId(symbol),
            level,
        };
        EdgeTable {
            edges: edges
                .iter()
                .map(|&(caller, callee, wall)| Edge {
                    caller: activation(caller),
                    callee: activation(callee),
                    cost: Cost {
                        calls: 1,
                        wall,
                        ..Cost::default()
                    },
                })
                .collect(),
            root: Cost {
                wall: root,
                ..Cost::default()
            },
        }
    }

    fn walls(table: &EdgeTable) -> (u64, Vec<u64>) {
        let settlement = settle(5, table);
        (
            settlement.root(&table.root).wall_us,
            settlement
                .edges(table)
                .map(|(_, rounded)| rounded.wall_us)
                .collect(),
        )
    }

    #[test]
    fn what_rounding_takes_from_a_caller_moves_up_to_the_root() {
        // a calls b, c and d for 0.6 µs each and has nearly no self time.
        let edges = [
            ((1, 0), (2, 0), 600),
            ((1, 0), (3, 0), 600),
            ((1, 0), (4, 0), 600),
            ((0, 0), (1, 0), 1_800),
        ];
        assert_eq!(walls(&table(1_800, &edges)), (3, vec![1, 1, 1, 3]));
        // If main() has self time, main() gives the addition.
        assert_eq!(walls(&table(9_000, &edges)), (9, vec![1, 1, 1, 3]));
    }

    #[test]
    fn a_self_time_that_was_negative_before_stays_so() {
        let edges = [((0, 0), (1, 0), 5_000)];
        assert_eq!(walls(&table(2_000, &edges)), (2, vec![5]));
    }

    #[test]
    fn cycles_among_callees_end() {
        // a and b call each other; b calls c; neither has a self time.
        let edges = [
            ((1, 0), (2, 0), 1_200),
            ((2, 0), (1, 0), 600),
            ((2, 0), (3, 0), 600),
            ((0, 0), (1, 0), 600),
        ];
        assert_eq!(walls(&table(600, &edges)), (1, vec![2, 1, 1, 1]));
    }

    #[test]
    fn a_level_of_four_thousand_million_costs_no_memory() {
        let edges = [((0, 0), (1, u32::MAX), 700), ((1, u32::MAX), (2, 0), 700)];
        assert_eq!(walls(&table(700, &edges)), (1, vec![1, 1]));
    }

    #[test]
    fn half_a_microsecond_is_rounded_up() {
        assert_eq!(
            walls(&table(1_500, &[((0, 0), (1, 0), 1_499)])),
            (2, vec![1])
        );
    }
}
