//! The function table: the cost of each function, for any caller.
//!
//! Recursion is folded: a function has one row for all levels. A recursive
//! call's time is part of the outer call's and not counted again.
//!
//! **Invariant:** the self costs of all rows add up to the root's cost.

use crate::{Cost, EdgeTable, Profile, SelfCost, SymbolId, Table, Tree};

/// One function's costs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FlatRow {
    /// The function.
    pub symbol: SymbolId,
    /// All its calls, and their cost with callees.
    pub inclusive: Cost,
    /// Its self cost.
    pub own: SelfCost,
}

/// The costs of each function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlatTable {
    /// One row for each function that was called, in the order of the symbols.
    pub rows: Vec<FlatRow>,
    /// The cost of the whole profile, for percentages.
    pub total: Cost,
}

impl FlatTable {
    /// Sums up a profile by function.
    #[must_use]
    pub fn new(profile: &Profile) -> Self {
        match profile.tree() {
            Some(tree) => Self::of_tree(&tree, profile.symbols.len()),
            None => Self::of_edges(&profile.edges(), profile.symbols.len()),
        }
    }

    fn of_edges(table: &EdgeTable, symbols: usize) -> Self {
        let outermost = table.outermost_levels(symbols);
        let mut rows = empty_rows(symbols);
        let root = &mut rows[SymbolId::ROOT];
        root.inclusive = table.root;
        root.own.add(table.root);
        for edge in &table.edges {
            let (caller, callee) = (edge.caller, edge.callee);
            let row = &mut rows[callee.symbol];
            row.own.add(edge.cost);
            let is_outermost =
                outermost[callee.symbol] == callee.level && caller.symbol != callee.symbol;
            row.inclusive += if is_outermost {
                edge.cost
            } else {
                Cost {
                    calls: edge.cost.calls,
                    ..Cost::default()
                }
            };
            rows[caller.symbol].own.subtract(edge.cost);
        }
        Self::of_rows(rows.into_rows(), table.root)
    }

    /// Sums up a call tree by function, for a profile of so many symbols.
    #[must_use]
    pub fn of_tree(tree: &Tree, symbols: usize) -> Self {
        let own = tree.self_costs();
        let mut rows = empty_rows(symbols);
        tree.walk(|id, outermost| {
            let node = &tree[id];
            let row = &mut rows[node.symbol];
            row.own += own[id];
            row.inclusive += match outermost {
                None => node.cost,
                Some(_) => Cost {
                    calls: node.cost.calls,
                    ..Cost::default()
                },
            };
        });
        Self::of_rows(rows.into_rows(), tree.root_cost())
    }

    /// The table of these rows, of which those without any cost are left out.
    #[must_use]
    pub fn of_rows(mut rows: Vec<FlatRow>, total: Cost) -> Self {
        // A symbol without calls gets no row: the symbol table may be shared.
        rows.retain(|row| row.inclusive != Cost::default() || row.own != SelfCost::default());
        Self { rows, total }
    }

    /// `part` in percent of `whole`; zero if `whole` is zero.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "a percentage is read, not summed"
    )]
    pub fn percent(part: i64, whole: i64) -> f64 {
        if whole == 0 {
            return 0.0;
        }
        part as f64 * 100.0 / whole as f64
    }
}

fn empty_rows(symbols: usize) -> Table<SymbolId, FlatRow> {
    let rows = (0..).take(symbols).map(|number| FlatRow {
        symbol: SymbolId(number),
        inclusive: Cost::default(),
        own: SelfCost::default(),
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Activation, Body, Edge, Symbol};

    fn edge(caller: (u32, u32), callee: (u32, u32), calls: u64, wall: u64) -> Edge {
        let activation = |(symbol, level)| Activation {
            symbol: SymbolId(symbol),
            level,
        };
        Edge {
            caller: activation(caller),
            callee: activation(callee),
            cost: Cost {
                calls,
                wall,
                memory: -8,
                ..Cost::default()
            },
        }
    }

    fn profile(names: &[&str], edges: Vec<Edge>, wall: u64) -> Profile {
        Profile {
            symbols: names
                .iter()
                .map(|name| Symbol::new(name.as_bytes()))
                .collect(),
            body: Body::Edges(EdgeTable {
                edges,
                root: Cost {
                    calls: 1,
                    wall,
                    ..Cost::default()
                },
            }),
            ..Profile::empty()
        }
    }

    fn times(table: &FlatTable) -> Vec<(u64, u64, i64)> {
        let row = |row: &FlatRow| (row.inclusive.calls, row.inclusive.wall, row.own.wall);
        table.rows.iter().map(row).collect()
    }

    #[test]
    fn direct_recursion_is_not_counted_twice() {
        // main() → f → f → f
        let edges = vec![
            edge((1, 1), (1, 2), 1, 10),
            edge((1, 0), (1, 1), 1, 30),
            edge((0, 0), (1, 0), 1, 60),
        ];
        let table = FlatTable::new(&profile(&["main()", "f"], edges, 100));
        assert_eq!(times(&table), [(1, 100, 40), (3, 60, 60)]);
    }

    #[test]
    fn indirect_recursion_is_not_counted_twice() {
        // main() → f → g → f
        let edges = vec![
            edge((2, 0), (1, 1), 1, 10),
            edge((1, 0), (2, 0), 1, 30),
            edge((0, 0), (1, 0), 1, 60),
        ];
        let table = FlatTable::new(&profile(&["main()", "f", "g"], edges, 100));
        assert_eq!(times(&table), [(1, 100, 40), (2, 60, 40), (1, 30, 20)]);
    }

    #[test]
    fn memory_given_back_makes_a_negative_self_cost() {
        let table = FlatTable::new(&profile(
            &["main()", "f"],
            vec![edge((0, 0), (1, 0), 1, 5)],
            9,
        ));
        let memory: Vec<_> = table.rows.iter().map(|row| row.own.memory).collect();
        assert_eq!(memory, [8, -8]);
    }

    #[test]
    fn symbols_without_calls_have_no_row() {
        let table = FlatTable::new(&profile(&["main()", "f"], Vec::new(), 9));
        assert_eq!(times(&table), [(1, 9, 9)]);
    }

    #[test]
    fn an_edge_to_itself_counts_calls_but_no_time() {
        let edges = vec![edge((1, 0), (1, 0), 4, 20), edge((0, 0), (1, 0), 1, 60)];
        let table = FlatTable::new(&profile(&["main()", "f"], edges, 60));
        assert_eq!(times(&table), [(1, 60, 0), (5, 60, 60)]);
    }
}
