//! Stacks guessed from edges: each caller's costs are shared out among its own
//! callers, in proportion to what they paid for it.
//!
//! **Invariant:** the root's cost is the profile's, and the result says of
//! itself that it is a guess.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use profile::{Activation, Body, Cost, Edge, EdgeTable, NodeId, Profile, TreeBuilder};

/// The most nodes; the costliest are made first.
const MOST_NODES: usize = 100_000;

/// The profile with stacks, if it has only edges.
pub(crate) fn estimated(profile: &Profile) -> Option<Profile> {
    let Body::Edges(table) = &profile.body else {
        return None;
    };
    let mut callees: HashMap<Activation, Vec<&Edge>> = HashMap::new();
    let mut totals: HashMap<Activation, Cost> = HashMap::from([(EdgeTable::ROOT, table.root)]);
    for edge in &table.edges {
        callees.entry(edge.caller).or_default().push(edge);
        *totals.entry(edge.callee).or_default() += edge.cost;
    }
    let mut builder = TreeBuilder::new();
    *builder.cost(NodeId::ROOT) = table.root;
    let mut next = BinaryHeap::from([(table.root.wall, Reverse(NodeId::ROOT), EdgeTable::ROOT)]);
    while let Some((_, Reverse(node), activation)) = next.pop() {
        let paid = *builder.cost(node);
        let total = totals.get(&activation).copied().unwrap_or_default();
        for edge in callees.get(&activation).into_iter().flatten() {
            let cost = share(edge.cost, paid, total);
            if cost.wall == 0 && cost.calls == 0 {
                continue;
            }
            if builder.len() >= MOST_NODES {
                break;
            }
            let child = builder.child(node, edge.callee.symbol);
            *builder.cost(child) += cost;
            next.push((cost.wall, Reverse(child), edge.callee));
        }
    }
    let mut estimated = Profile {
        body: Body::Tree(builder.finish()),
        ..profile.clone()
    };
    estimated.meta.is_estimated = true;
    Some(estimated)
}

/// That part of `cost` that falls to one who paid `paid` of `total`.
fn share(cost: Cost, paid: Cost, total: Cost) -> Cost {
    let (part, whole) = if total.wall > 0 {
        (paid.wall, total.wall)
    } else {
        (paid.calls, total.calls)
    };
    let (part, whole) = (u128::from(part.min(whole)), u128::from(whole.max(1)));
    let of = |value: u64| {
        let shared = u128::from(value) * part / whole;
        u64::try_from(shared).unwrap_or(u64::MAX)
    };
    let of_signed = |value: i64| {
        let shared = i64::try_from(of(value.unsigned_abs())).unwrap_or(i64::MAX);
        if value < 0 { -shared } else { shared }
    };
    Cost {
        // Somebody called, if it took time.
        calls: of(cost.calls).max(u64::from(cost.calls > 0 && of(cost.wall) > 0)),
        wall: of(cost.wall),
        cpu: of(cost.cpu),
        memory: of_signed(cost.memory),
        peak: of_signed(cost.peak),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::{Metric, Symbol, SymbolId};

    fn edge(caller: u32, callee: u32, calls: u64, wall: u64) -> Edge {
        let activation = |symbol| Activation {
            symbol: SymbolId(symbol),
            level: 0,
        };
        Edge {
            caller: activation(caller),
            callee: activation(callee),
            cost: Cost {
                calls,
                wall,
                ..Cost::default()
            },
        }
    }

    fn profile(edges: Vec<Edge>) -> Profile {
        Profile {
            symbols: [&b"main()"[..], b"a", b"b", b"c"].map(Symbol::new).into(),
            body: Body::Edges(EdgeTable {
                root: Cost {
                    calls: 1,
                    wall: 100,
                    ..Cost::default()
                },
                edges,
            }),
            ..Profile::empty()
        }
    }

    #[test]
    fn costs_are_shared_in_proportion() {
        // main() → a, b; both → c.
        let edges = vec![
            edge(0, 1, 1, 60),
            edge(0, 2, 1, 30),
            edge(1, 3, 2, 40),
            edge(2, 3, 1, 20),
        ];
        let estimated = estimated(&profile(edges)).unwrap();
        assert!(estimated.meta.is_estimated);
        let tree = estimated.tree().unwrap();
        let costs: Vec<_> = tree
            .nodes
            .iter()
            .map(|node| (node.symbol.0, Metric::Wall.of(&node.cost)))
            .collect();
        assert_eq!(costs, [(0, 100), (1, 60), (2, 30), (3, 40), (3, 20)]);
    }

    #[test]
    fn a_cycle_ends() {
        let edges = vec![edge(0, 1, 1, 60), edge(1, 2, 1, 60), edge(2, 1, 1, 60)];
        let estimated = estimated(&profile(edges)).unwrap();
        assert!(estimated.tree().unwrap().nodes.len() <= MOST_NODES);
    }
}
