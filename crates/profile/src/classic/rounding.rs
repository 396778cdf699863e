//! Rounds nanoseconds to XHProf's microseconds, and settles them: see
//! [`settlement`]. A node there is an activation here.

use crate::settlement::{self, Balance, Units};
use crate::{Activation, Cost, Edge, EdgeTable, Edges, NumberMap, SymbolId, Table};

/// The unit of XHProf's times, in nanoseconds.
const UNIT_NS: u64 = 1_000;

/// The additions to the nearest microsecond. Most rows have none, so only those
/// with an addition are stored.
pub(super) struct Settlement {
    root: Units,
    /// Edges by their number, in order.
    edges: Vec<(u32, Units)>,
}

impl Settlement {
    /// The rounded times of the root.
    pub(super) fn root(&self, root: &Cost) -> Units {
        nearest(root).plus(self.root)
    }

    /// Each edge, and its rounded times.
    pub(super) fn edges(&self, edges: &impl Edges) -> impl Iterator<Item = (Edge, Units)> {
        let mut settled = self.edges.iter().peekable();
        (0..).zip(edges.iter()).map(move |(number, edge)| {
            let nearest = nearest(&edge.cost);
            match settled.next_if(|(settled, _)| *settled == number) {
                Some(&(_, missing)) => (edge, nearest.plus(missing)),
                None => (edge, nearest),
            }
        })
    }
}

fn nearest(cost: &Cost) -> Units {
    Units::nearest(cost, UNIT_NS)
}

/// The additions for a profile with this many symbols.
pub(super) fn settle(symbols: usize, edges: &impl Edges) -> Settlement {
    let numbers = Numbers::new(symbols, edges);
    let root_number = numbers.of(EdgeTable::ROOT);
    let mut balances: Table<u32, Balance> = Table::new(Balance::default(), numbers.count);
    let root = edges.root();
    balances[root_number].enter(&root, nearest(&root));
    for edge in edges.iter() {
        let rounded = nearest(&edge.cost);
        balances[numbers.of(edge.callee)].enter(&edge.cost, rounded);
        balances[numbers.of(edge.caller)].leave(&edge.cost, rounded);
    }
    let additions = settlement::settle(balances, root_number, UNIT_NS, || {
        let edges = edges.iter();
        let ends = edges.map(|edge| (numbers.of(edge.caller), numbers.of(edge.callee)));
        ends.collect()
    });
    let mut settlement = Settlement {
        root: Units::default(),
        edges: Vec::new(),
    };
    for addition in additions {
        match addition.edge {
            Some(edge) => settlement.edges.push((edge, addition.units)),
            None => settlement.root = addition.units,
        }
    }
    settlement.edges.sort_unstable_by_key(|&(edge, _)| edge);
    settlement
}

/// Consecutive numbers for the activations of a profile.
struct Numbers {
    count: usize,
    kind: NumbersKind,
}

enum NumbersKind {
    /// The index of each symbol's first level. Real profiles have every level
    /// up to the deepest, so no index is wasted and no hash is needed.
    Dense(Table<SymbolId, u32>),
    /// A file may contain only level four thousand million.
    Sparse(NumberMap<Activation, u32>),
}

impl Numbers {
    fn new(symbols: usize, edges: &impl Edges) -> Self {
        let mut levels = Table::new(1_u64, symbols);
        for activation in activations(edges) {
            let levels = &mut levels[activation.symbol];
            *levels = (*levels).max(u64::from(activation.level) + 1);
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
                let kind = NumbersKind::Dense(levels.iter().copied().map(start).collect());
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

    /// The number of an activation.
    fn of(&self, activation: Activation) -> u32 {
        match &self.kind {
            NumbersKind::Dense(starts) => {
                starts[activation.symbol].saturating_add(activation.level)
            }
            NumbersKind::Sparse(numbers) => {
                let number = numbers.get(&activation);
                debug_assert!(number.is_some(), "no number for {activation:?}");
                number.copied().unwrap_or(u32::MAX)
            }
        }
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
            settlement.root(&table.root).wall,
            settlement
                .edges(table)
                .map(|(_, rounded)| rounded.wall)
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
