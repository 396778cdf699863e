//! The critical path: from `main()`, always the costliest callee.

use crate::{
    Activation, Cost, Edge, EdgeTable, Metric, Node, NodeId, NumberMap, NumberSet, Profile,
    SymbolId, Tree,
};

/// One function on the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The function.
    pub symbol: SymbolId,
    /// Its cost on this path, callees included. For edges: the cost of all
    /// calls from the previous function, on any path.
    pub cost: Cost,
}

/// The costliest path from `main()` down in `metric`, `main()` included.
///
/// The first of equal ones. The path ends where no callee has a cost.
#[must_use]
pub fn critical_path(profile: &Profile, metric: Metric) -> Vec<Step> {
    match profile.tree() {
        Some(tree) => in_tree(&tree, metric),
        None => in_edges(&profile.edges(), metric),
    }
}

fn in_tree(tree: &Tree, metric: Metric) -> Vec<Step> {
    let children = tree.children();
    let mut steps = Vec::new();
    let mut next = Some(NodeId::ROOT);
    while let Some(at) = next {
        let Node { symbol, cost, .. } = tree[at];
        steps.push(Step { symbol, cost });
        let below = children.of(at).iter();
        next = largest(below.map(|&child| (child, metric.of(&tree[child].cost))));
    }
    steps
}

fn in_edges(table: &EdgeTable, metric: Metric) -> Vec<Step> {
    let mut callees: NumberMap<Activation, Vec<&Edge>> = NumberMap::default();
    for edge in &table.edges {
        callees.entry(edge.caller).or_default().push(edge);
    }
    let mut steps = vec![Step {
        symbol: SymbolId::ROOT,
        cost: table.root,
    }];
    let mut at = EdgeTable::ROOT;
    let mut seen = NumberSet::default();
    seen.insert(at);
    loop {
        let below = callees.get(&at).into_iter().flatten();
        let below = below.filter_map(|&edge| {
            // Edges of many paths may lead back to an earlier function.
            let is_new = !seen.contains(&edge.callee);
            is_new.then(|| (edge, metric.of(&edge.cost)))
        });
        let Some(edge) = largest(below) else {
            return steps;
        };
        steps.push(Step {
            symbol: edge.callee.symbol,
            cost: edge.cost,
        });
        at = edge.callee;
        seen.insert(at);
    }
}

/// The first of the costliest, if it has a cost.
fn largest<T>(all: impl Iterator<Item = (T, i64)>) -> Option<T> {
    let mut best: Option<(T, i64)> = None;
    for (it, cost) in all {
        if cost > best.as_ref().map_or(0, |best| best.1) {
            best = Some((it, cost));
        }
    }
    best.map(|best| best.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, TreeBuilder};

    #[test]
    fn the_way_is_the_same_in_a_tree_and_in_its_edges() {
        let mut builder = TreeBuilder::new();
        let a = builder.child(NodeId::ROOT, SymbolId(1));
        let b = builder.child(a, SymbolId(2));
        let again = builder.child(b, SymbolId(1));
        let other = builder.child(NodeId::ROOT, SymbolId(3));
        for (node, own) in [(a, 10), (b, 40), (again, 7), (other, 50)] {
            builder.cost(node).wall = own;
            builder.cost(node).calls = 1;
        }
        let mut profile = Profile {
            body: Body::Tree(builder.finish_self_costs()),
            ..Profile::empty()
        };
        let way = |profile: &Profile, metric| -> Vec<_> {
            let steps = critical_path(profile, metric).into_iter();
            steps.map(|step| (step.symbol.0, step.cost.wall)).collect()
        };
        let expected = [(0, 107), (1, 57), (2, 47), (1, 7)];
        assert_eq!(way(&profile, Metric::Wall), expected);
        assert_eq!(way(&profile, Metric::Cpu), expected[..1]);
        profile.body = Body::Edges(profile.edges().into_owned());
        assert_eq!(way(&profile, Metric::Wall), expected);
    }
}
