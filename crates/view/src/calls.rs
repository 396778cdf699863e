//! Who calls whom, from a call tree or, where there is none, from edges.
//!
//! A tree is not folded into edges for that: one pass over its nodes finds what
//! a question needs.

use std::collections::HashMap;

use profile::{
    Cost, EdgeTable, Metric, Neighbour, Neighbours, NumberMap, Pair, Step, SymbolId, critical_path,
};

use crate::Document;
use crate::tree::OrderedTree;

/// One function among others.
pub(crate) struct Neighbourhood {
    pub(crate) neighbours: Neighbours,
    /// How deep the function calls itself; zero if it does not.
    pub(crate) recursion: u32,
}

/// The callers and callees of a function.
pub(crate) fn neighbourhood(document: &Document, symbol: SymbolId) -> Neighbourhood {
    let Ok(tree) = document.tree() else {
        let edges = document.profile().edges();
        let levels = edges.edges.iter().map(|edge| edge.callee);
        let levels = levels.filter(|callee| callee.symbol == symbol);
        return Neighbourhood {
            neighbours: Neighbours::new(&edges, symbol),
            recursion: levels.map(|callee| callee.level).max().unwrap_or(0),
        };
    };
    let mut callers: HashMap<SymbolId, Cost> = HashMap::new();
    let mut callees = Pairs::default();
    let mut recursion = 0;
    tree.walk(|node, level| {
        let Some(parent) = tree.parent(node) else {
            return;
        };
        let (caller, callee) = (tree.symbol(parent), tree.symbol(node));
        if callee == symbol {
            recursion = recursion.max(level);
            *callers.entry(caller).or_default() += counted(tree.cost(node), level == 0);
        }
        if caller == symbol {
            callees.add(caller, callee, level, tree.cost(node));
        }
    });
    let neighbour = |(symbol, cost)| Neighbour { symbol, cost };
    let callees = callees.list.into_iter();
    Neighbourhood {
        neighbours: Neighbours {
            callers: callers.into_iter().map(neighbour).collect(),
            callees: callees
                .map(|(pair, _)| neighbour((pair.callee, pair.cost)))
                .collect(),
        },
        recursion,
    }
}

/// The calls between functions that are wanted.
pub(crate) fn pairs(document: &Document, is_wanted: impl Fn(SymbolId) -> bool) -> Vec<Pair> {
    let Ok(tree) = document.tree() else {
        let mut pairs = profile::pairs(&document.profile().edges());
        pairs.retain(|pair| is_wanted(pair.caller) && is_wanted(pair.callee));
        return pairs;
    };
    let mut pairs = Pairs::default();
    tree.walk(|node, level| {
        let callee = tree.symbol(node);
        if is_wanted(callee)
            && let Some(parent) = tree.parent(node)
        {
            let caller = tree.symbol(parent);
            if is_wanted(caller) {
                pairs.add(caller, callee, level, tree.cost(node));
            }
        }
    });
    pairs.list.into_iter().map(|(pair, _)| pair).collect()
}

/// The path that always follows the costliest callee.
pub(crate) fn critical_steps(document: &Document, metric: Metric) -> Vec<Step> {
    let Ok(tree) = document.tree() else {
        return critical_path(document.profile(), metric);
    };
    let mut steps = Vec::new();
    let mut at = Some(0);
    while let Some(node) = at {
        steps.push(Step {
            symbol: tree.symbol(node),
            cost: tree.cost(node),
        });
        let mut costliest = (0, None);
        for child in tree.children(node) {
            let value = tree.value(child, metric);
            if value > costliest.0 {
                costliest = (value, Some(child));
            }
        }
        at = costliest.1;
    }
    steps
}

/// How often each function calls one of those.
pub(crate) enum CallCounts<'a> {
    Tree(&'a OrderedTree),
    Edges(&'a EdgeTable),
}

impl CallCounts<'_> {
    pub(crate) fn of(&self, callees: &[SymbolId]) -> HashMap<SymbolId, u64> {
        let mut counts: HashMap<SymbolId, u64> = HashMap::new();
        let mut add = |caller: SymbolId, calls: u64| {
            let sum = counts.entry(caller).or_default();
            *sum = sum.saturating_add(calls);
        };
        match self {
            Self::Tree(tree) => {
                let nodes = callees.iter().flat_map(|callee| tree.nodes_of(*callee));
                for &node in nodes {
                    if let Some(parent) = tree.parent(node) {
                        add(tree.symbol(parent), tree.calls(node));
                    }
                }
            }
            Self::Edges(table) => {
                for edge in &table.edges {
                    if callees.contains(&edge.callee.symbol) {
                        add(edge.caller.symbol, edge.cost.calls);
                    }
                }
            }
        }
        counts
    }
}

/// Callers and callees, each with the callee's lowest level.
#[derive(Default)]
struct Pairs {
    list: Vec<(Pair, u32)>,
    places: NumberMap<(SymbolId, SymbolId), usize>,
}

impl Pairs {
    /// Adds calls at a level of the callee, as [`profile::pairs`] does: calls
    /// that are inside of others between the same two have no cost.
    fn add(&mut self, caller: SymbolId, callee: SymbolId, level: u32, cost: Cost) {
        let next = self.list.len();
        let place = *self.places.entry((caller, callee)).or_insert(next);
        if place == next {
            let pair = Pair {
                caller,
                callee,
                cost: Cost::default(),
            };
            self.list.push((pair, level));
        }
        let (pair, lowest) = &mut self.list[place];
        if level < *lowest {
            *lowest = level;
            pair.cost = counted(pair.cost, false);
        }
        pair.cost += counted(cost, level == *lowest);
    }
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
