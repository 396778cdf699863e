//! Sums of many runs, made comparable.
//!
//! The viewer compares what it is given. So sums of different numbers of runs
//! become the costs of an average run each. A call that fewer runs make than one in two
//! stays there, as one call.

use profile::{Body, Cost, EdgeTable, Profile, SelfCost, Tree};

use crate::Aggregate;

impl Aggregate {
    /// The costs of an average run.
    #[must_use]
    pub fn per_run(self) -> Profile {
        // Runs of a lower rate count more than once.
        let weighted = self.profile.meta.tag("runs");
        let weighted = weighted.and_then(|runs| runs.parse().ok());
        of_one(self.profile, weighted.unwrap_or(self.runs))
    }
}

fn of_one(mut profile: Profile, runs: u64) -> Profile {
    if runs == 0 {
        return profile;
    }
    profile.body = match profile.body {
        Body::Tree(tree) => Body::Tree(scaled_tree(tree, runs)),
        Body::Edges(edges) => Body::Edges(scaled_edges(edges, runs)),
        other => other,
    };
    profile.meta.set_tag("runs", "1");
    profile
}

fn scaled(value: i64, runs: u64) -> i64 {
    let scaled = i128::from(value) / i128::from(runs);
    i64::try_from(scaled).unwrap_or(0)
}

/// The nearest number of calls; at least one if there was any.
fn scaled_calls(calls: u64, runs: u64) -> u64 {
    let rounded = (u128::from(calls) + u128::from(runs) / 2) / u128::from(runs);
    let rounded = u64::try_from(rounded).unwrap_or(u64::MAX);
    rounded.max(u64::from(calls > 0))
}

/// Self costs are scaled and added up again, so that no rounding makes callees
/// dearer than their caller.
fn scaled_tree(mut tree: Tree, runs: u64) -> Tree {
    let own: Vec<SelfCost> = {
        let costs = tree.self_costs();
        tree.numbered().map(|(number, _)| costs[number]).collect()
    };
    let mut sums: Vec<[i64; 4]> = own
        .iter()
        .map(|own| [own.wall, own.cpu, own.memory, own.peak].map(|value| scaled(value, runs)))
        .collect();
    // A parent precedes its children.
    for (index, node) in tree.nodes.iter().enumerate().skip(1).rev() {
        let own = sums.get(index).copied().unwrap_or_default();
        if let Some(parent) = sums.get_mut(node.parent.index()) {
            for (sum, value) in parent.iter_mut().zip(own) {
                *sum = sum.saturating_add(value);
            }
        }
    }
    for (node, [wall, cpu, memory, peak]) in tree.nodes.iter_mut().zip(sums) {
        node.cost = Cost {
            calls: scaled_calls(node.cost.calls, runs),
            wall: wall.max(0).unsigned_abs(),
            cpu: cpu.max(0).unsigned_abs(),
            memory,
            peak,
        };
    }
    tree
}

fn scaled_edges(mut edges: EdgeTable, runs: u64) -> EdgeTable {
    let scaled_cost = |cost: Cost| Cost {
        calls: scaled_calls(cost.calls, runs),
        wall: cost.wall / runs,
        cpu: cost.cpu / runs,
        memory: scaled(cost.memory, runs),
        peak: scaled(cost.peak, runs),
    };
    edges.root = scaled_cost(edges.root);
    for edge in &mut edges.edges {
        edge.cost = scaled_cost(edge.cost);
    }
    edges
}

#[cfg(test)]
mod tests {
    use profile::{NodeId, Symbol, SymbolId, TreeBuilder};

    use super::*;

    #[test]
    fn a_call_in_every_third_run_stays_visible() {
        let mut builder = TreeBuilder::new();
        let callee = builder.child(NodeId::ROOT, SymbolId(1));
        let mut tree = builder.finish();
        tree.nodes[0].cost = Cost {
            calls: 3,
            wall: 3000,
            ..Cost::default()
        };
        tree.nodes[callee.index()].cost = Cost {
            calls: 1,
            wall: 1000,
            memory: -7,
            ..Cost::default()
        };
        let mut profile = Profile::empty();
        profile.symbols.push(Symbol::new(*b"f"));
        profile.body = Body::Tree(tree);
        let scaled = of_one(profile, 3);
        let Body::Tree(tree) = &scaled.body else {
            panic!("a tree stays one")
        };
        let costs: Vec<_> = tree
            .nodes
            .iter()
            .map(|node| (node.cost.calls, node.cost.wall, node.cost.memory))
            .collect();
        assert_eq!(costs, [(1, 999, 0), (1, 333, -2)]);
        assert_eq!(scaled.meta.tag("runs"), Some("1"));
        assert_eq!(
            [0, 1, 4, 5, 30].map(|calls| scaled_calls(calls, 3)),
            [0, 1, 1, 2, 10]
        );
    }
}
