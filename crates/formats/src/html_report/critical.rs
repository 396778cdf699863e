//! The critical path: from `main()` on, always the callee that costs most.

use std::collections::HashSet;

use profile::{Body, Edge, EdgeTable, Metric, NodeId, Profile, SymbolId};

/// The longest path that is shown.
const MOST_STEPS: usize = 200;

/// One function on the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub symbol: SymbolId,
    /// What its calls cost there, callees included.
    pub inclusive: i64,
    pub calls: u64,
}

/// The path, from the root.
///
/// Where only edges are known, a step is what all calls between the two cost,
/// whatever led to them: no more than the step before it.
pub(super) fn path(profile: &Profile, metric: Metric) -> Vec<Step> {
    match &profile.body {
        Body::Edges(table) => of_edges(table, metric),
        Body::Tree(_) | Body::Samples(_) | Body::Events(_) => of_stacks(profile, metric),
    }
}

fn of_stacks(profile: &Profile, metric: Metric) -> Vec<Step> {
    let Some(tree) = profile.tree() else {
        return Vec::new();
    };
    let children = tree.children();
    let mut path = Vec::new();
    let mut at = Some(NodeId::ROOT);
    while let Some(node) = at
        && path.len() < MOST_STEPS
    {
        let cost = |node: NodeId| tree.nodes.get(node.index()).map(|node| node.cost);
        let Some(place) = tree.nodes.get(node.index()) else {
            break;
        };
        path.push(Step {
            symbol: place.symbol,
            inclusive: metric.of(&place.cost),
            calls: place.cost.calls,
        });
        // The first of equals: siblings are in the order of their first calls.
        at = children.of(node).iter().copied().rev().max_by_key(|child| {
            let cost = cost(*child);
            cost.map(|cost| metric.of(&cost))
        });
        let is_worth_it = at.and_then(cost).is_some_and(|cost| metric.of(&cost) > 0);
        at = at.filter(|_| is_worth_it);
    }
    path
}

fn of_edges(table: &EdgeTable, metric: Metric) -> Vec<Step> {
    let mut path = vec![Step {
        symbol: SymbolId::ROOT,
        inclusive: metric.of(&table.root),
        calls: table.root.calls,
    }];
    let mut at = EdgeTable::ROOT;
    let mut limit = metric.of(&table.root);
    let mut seen = HashSet::from([at]);
    while path.len() < MOST_STEPS {
        let callees = table.edges.iter().filter(|edge| edge.caller == at);
        let costliest = callees
            .rev()
            .max_by_key(|edge: &&Edge| metric.of(&edge.cost));
        let Some(edge) = costliest.filter(|edge| metric.of(&edge.cost) > 0) else {
            break;
        };
        if !seen.insert(edge.callee) {
            break;
        }
        at = edge.callee;
        limit = limit.min(metric.of(&edge.cost));
        path.push(Step {
            symbol: at.symbol,
            inclusive: limit,
            calls: edge.cost.calls,
        });
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_of_edges_ends_the_path() {
        let profile = crate::read(
            &br#"{"main()==>a":{"ct":1,"wt":5},"a==>b":{"ct":2,"wt":9},"b==>a":{"ct":1,"wt":3},"main()":{"ct":1,"wt":6}}"#[..],
        )
        .unwrap();
        let path = path(&profile, Metric::Wall);
        let path: Vec<_> = path
            .iter()
            .map(|step| (step.symbol.0, step.inclusive))
            .collect();
        assert_eq!(path, [(0, 6000), (1, 5000), (2, 5000)]);
    }
}
