//! The callers and callees of a function.
//!
//! Recursion is folded: a neighbour occurs once for all levels, and time that
//! is part of an outer call is not counted again.

use std::collections::hash_map::Entry;

use crate::table::known_mut;
use crate::{Cost, EdgeTable, NumberMap, SymbolId};

/// A caller or a callee, with the cost of those calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Neighbour {
    /// The other function.
    pub symbol: SymbolId,
    /// The calls between the two, and their inclusive cost.
    pub cost: Cost,
}

/// The callers and callees of a function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// The callers, whose costs add up to the function's inclusive cost: the
    /// function's calls of itself have no time here.
    pub callers: Vec<Neighbour>,
    /// The callees, with the function's time in each. Their sum may exceed the
    /// function's inclusive cost, if they call each other through it.
    pub callees: Vec<Neighbour>,
}

impl Neighbours {
    /// The neighbours of `symbol`, in the order of the edges.
    #[must_use]
    pub fn new(edges: &EdgeTable, symbol: SymbolId) -> Self {
        let calls_of_it = || {
            let edges = edges.edges.iter();
            edges.filter(|edge| edge.callee.symbol == symbol)
        };
        let outermost = calls_of_it().map(|edge| edge.callee.level).min();
        let mut callers = Sums::default();
        for edge in calls_of_it() {
            let is_outermost = Some(edge.callee.level) == outermost && edge.caller.symbol != symbol;
            callers.of(edge.caller.symbol).cost += counted(edge.cost, is_outermost);
        }
        let callees = pairs(edges).into_iter();
        let callees = callees.filter(|pair| pair.caller == symbol);
        Self {
            callers: callers.list,
            callees: callees
                .map(|pair| Neighbour {
                    symbol: pair.callee,
                    cost: pair.cost,
                })
                .collect(),
        }
    }
}

/// A caller and a callee, for all levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// The caller.
    pub caller: SymbolId,
    /// The callee.
    pub callee: SymbolId,
    /// All calls, and the time of those that are not inside of another call
    /// between the same two: those at the callee's lowest level.
    pub cost: Cost,
}

/// The edges without their levels, in the order of each pair's first edge.
#[must_use]
pub fn pairs(edges: &EdgeTable) -> Vec<Pair> {
    let mut places = NumberMap::default();
    let mut pairs: Vec<(Pair, u32)> = Vec::new();
    for edge in &edges.edges {
        let (caller, callee) = (edge.caller.symbol, edge.callee.symbol);
        let level = edge.callee.level;
        let place = *places.entry((caller, callee)).or_insert(pairs.len());
        let Some((pair, lowest)) = pairs.get_mut(place) else {
            let cost = edge.cost;
            let pair = Pair {
                caller,
                callee,
                cost,
            };
            pairs.push((pair, level));
            continue;
        };
        if level < *lowest {
            *lowest = level;
            pair.cost = counted(pair.cost, false);
        }
        pair.cost += counted(edge.cost, level == *lowest);
    }
    pairs.into_iter().map(|(pair, _)| pair).collect()
}

/// The calls, with their cost if they are not inside of another call.
fn counted(cost: Cost, with_costs: bool) -> Cost {
    if with_costs {
        return cost;
    }
    Cost {
        calls: cost.calls,
        ..Cost::default()
    }
}

#[derive(Debug, Default)]
struct Sums {
    list: Vec<Neighbour>,
    places: NumberMap<SymbolId, usize>,
    others: Neighbour,
}

impl Sums {
    fn of(&mut self, symbol: SymbolId) -> &mut Neighbour {
        let place = match self.places.entry(symbol) {
            Entry::Occupied(place) => *place.get(),
            Entry::Vacant(place) => {
                self.list.push(Neighbour {
                    symbol,
                    ..Neighbour::default()
                });
                *place.insert(self.list.len() - 1)
            }
        };
        let neighbour = known_mut(&mut self.list, place);
        neighbour.unwrap_or(&mut self.others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Activation, Edge};

    type Row = ((u32, u32), (u32, u32), u64, u64);

    fn table(edges: &[Row]) -> EdgeTable {
        let end = |(symbol, level)| Activation {
            symbol: SymbolId(symbol),
            level,
        };
        EdgeTable {
            root: Cost::default(),
            edges: edges
                .iter()
                .map(|&(caller, callee, calls, wall)| Edge {
                    caller: end(caller),
                    callee: end(callee),
                    cost: Cost {
                        calls,
                        wall,
                        ..Cost::default()
                    },
                })
                .collect(),
        }
    }

    fn list(neighbours: &[Neighbour]) -> Vec<(u32, u64, u64)> {
        let one = |neighbour: &Neighbour| {
            (
                neighbour.symbol.0,
                neighbour.cost.calls,
                neighbour.cost.wall,
            )
        };
        neighbours.iter().map(one).collect()
    }

    #[test]
    fn neighbours_of_a_recursive_function_are_folded() {
        // main() → f → g → f → g, and main() → g
        let table = table(&[
            ((1, 1), (2, 1), 1, 10),
            ((2, 0), (1, 1), 1, 20),
            ((1, 0), (2, 0), 2, 30),
            ((0, 0), (1, 0), 1, 40),
            ((0, 0), (2, 0), 1, 5),
        ]);
        let f = Neighbours::new(&table, SymbolId(1));
        assert_eq!(list(&f.callers), [(2, 1, 0), (0, 1, 40)]);
        assert_eq!(list(&f.callees), [(2, 3, 30)]);
        let g = Neighbours::new(&table, SymbolId(2));
        assert_eq!(list(&g.callers), [(1, 3, 30), (0, 1, 5)]);
        assert_eq!(list(&g.callees), [(1, 1, 20)]);
        let main = Neighbours::new(&table, SymbolId::ROOT);
        assert_eq!(list(&main.callers), []);
        assert_eq!(list(&main.callees), [(1, 1, 40), (2, 1, 5)]);
    }

    #[test]
    fn a_call_of_itself_has_no_time_of_its_own_as_a_caller() {
        let table = table(&[
            ((1, 1), (1, 2), 1, 10),
            ((1, 0), (1, 1), 1, 30),
            ((0, 0), (1, 0), 1, 60),
        ]);
        let f = Neighbours::new(&table, SymbolId(1));
        assert_eq!(list(&f.callers), [(1, 2, 0), (0, 1, 60)]);
        assert_eq!(list(&f.callees), [(1, 2, 30)]);
    }
}
