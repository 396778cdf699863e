//! Sums of many runs, made comparable.
//!
//! The viewer compares what it is given. So sums of different numbers of runs
//! become sums of a thousand runs each: counts below one call a run stay visible.

use profile::{Body, Cost, EdgeTable, Profile, SelfCost, Tree};

use crate::Aggregate;

/// The runs that each side stands for.
const RUNS: i128 = 1000;

impl Aggregate {
    /// The costs of a thousand runs.
    #[must_use]
    pub fn per_thousand_runs(self) -> Profile {
        // Runs of a lower rate count more than once.
        let weighted = self.profile.meta.tag("runs");
        let weighted = weighted.and_then(|runs| runs.parse().ok());
        per_thousand(self.profile, weighted.unwrap_or(self.runs))
    }
}

fn per_thousand(mut profile: Profile, runs: u64) -> Profile {
    if runs == 0 {
        return profile;
    }
    profile.body = match profile.body {
        Body::Tree(tree) => Body::Tree(scaled_tree(tree, runs)),
        Body::Edges(edges) => Body::Edges(scaled_edges(edges, runs)),
        other => other,
    };
    profile.meta.set_tag("runs", RUNS.to_string());
    profile
}

fn scaled(value: i64, runs: u64) -> i64 {
    let scaled = i128::from(value) * RUNS / i128::from(runs);
    i64::try_from(scaled).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX })
}

fn scaled_count(value: u64, runs: u64) -> u64 {
    let scaled = u128::from(value) * RUNS.unsigned_abs() / u128::from(runs);
    u64::try_from(scaled).unwrap_or(u64::MAX)
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
            calls: scaled_count(node.cost.calls, runs),
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
        calls: scaled_count(cost.calls, runs),
        wall: scaled_count(cost.wall, runs),
        cpu: scaled_count(cost.cpu, runs),
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
        let scaled = per_thousand(profile, 3);
        let Body::Tree(tree) = &scaled.body else {
            panic!("a tree stays one")
        };
        let costs: Vec<_> = tree
            .nodes
            .iter()
            .map(|node| (node.cost.calls, node.cost.wall, node.cost.memory))
            .collect();
        assert_eq!(costs, [(1000, 999_999, 0), (333, 333_333, -2333)]);
        assert_eq!(scaled.meta.tag("runs"), Some("1000"));
    }
}
