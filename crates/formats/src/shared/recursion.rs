//! Adds recursion levels to edges that were read without them.
//!
//! A format with functions but without levels writes recursion as an edge back
//! to a caller. Such an edge's cost is part of the outer call's. At level 1 it
//! is not counted twice, and a file can hold `f==>f@1` where it cannot hold
//! `f==>f`.

use profile::EdgeTable;

/// Sets level 1 for the callee of each edge that leads back to one of its own
/// callers, on the path from the root.
pub(crate) fn mark(symbols: usize, table: &mut EdgeTable) {
    let mut by_caller: Vec<usize> = (0..table.edges.len()).collect();
    by_caller.sort_by_key(|&place| table.edges[place].caller);
    let mut state = vec![State::New; symbols];
    let root = EdgeTable::ROOT.symbol.index();
    for start in std::iter::once(root).chain(0..symbols) {
        visit(start, &by_caller, &mut state, table);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// Walks over everything called from `start`, without recursion.
fn visit(start: usize, by_caller: &[usize], state: &mut [State], table: &mut EdgeTable) {
    let first_of = |symbol: usize, table: &EdgeTable| {
        by_caller.partition_point(|&place| table.edges[place].caller.symbol.index() < symbol)
    };
    if state[start] != State::New {
        return;
    }
    state[start] = State::Open;
    let mut walk = vec![(start, first_of(start, table))];
    while let Some((symbol, next)) = walk.pop() {
        let edge = by_caller.get(next).map(|&place| &mut table.edges[place]);
        let Some(edge) = edge.filter(|edge| edge.caller.symbol.index() == symbol) else {
            state[symbol] = State::Done;
            continue;
        };
        walk.push((symbol, next + 1));
        let callee = edge.callee.symbol.index();
        match state[callee] {
            State::New => {
                state[callee] = State::Open;
                walk.push((callee, first_of(callee, table)));
            }
            State::Open => edge.callee.level = 1,
            State::Done => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::{Activation, Cost, Edge, SymbolId};

    fn levels(symbols: usize, edges: &[(u32, u32)]) -> Vec<u32> {
        let activation = |symbol| Activation {
            symbol: SymbolId(symbol),
            level: 0,
        };
        let edge = |&(caller, callee): &(u32, u32)| Edge {
            caller: activation(caller),
            callee: activation(callee),
            cost: Cost::default(),
        };
        let mut table = EdgeTable {
            edges: edges.iter().map(edge).collect(),
            ..EdgeTable::default()
        };
        mark(symbols, &mut table);
        table.edges.iter().map(|edge| edge.callee.level).collect()
    }

    #[test]
    fn edges_that_lead_back_are_marked_and_no_others() {
        assert_eq!(levels(2, &[(1, 1), (0, 1)]), [1, 0]);
        assert_eq!(levels(3, &[(2, 1), (1, 2), (0, 1)]), [1, 0, 0]);
        assert_eq!(
            levels(4, &[(0, 1), (0, 2), (1, 3), (2, 3), (2, 1)]),
            [0, 0, 0, 0, 0]
        );
    }

    #[test]
    fn a_cycle_without_a_caller_ends() {
        assert_eq!(levels(3, &[(1, 2), (2, 1)]), [0, 1]);
    }

    #[test]
    fn a_chain_of_any_length_does_not_overflow_the_stack() {
        let edges: Vec<_> = (0..200_000).map(|caller| (caller, caller + 1)).collect();
        assert!(levels(200_001, &edges).iter().all(|&level| level == 0));
    }
}
