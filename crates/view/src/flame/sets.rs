//! Arrangements in which a box is several nodes of one function: callers of a
//! function, what a function calls from everywhere, and the inverted graph.
//!
//! A box is opened by grouping its nodes by their callers, or their callees.
//! Only boxes that are wide enough are opened, so no whole tree is inverted.

use std::cmp::Reverse;
use std::collections::hash_map::Entry;

use profile::{NumberMap, SymbolId};

use super::layout::{Arranged, Opened};
use crate::tree::OrderedTree;
use crate::weights::Weights;

/// A node that was reached from another, which brought its value with it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reached {
    node: u32,
    width: i64,
    value: i64,
    base: Option<i64>,
    calls: u64,
}

/// The callers of one function or of all, going up.
pub(super) struct Callers<'a> {
    tree: &'a OrderedTree,
    weights: &'a Weights,
    /// None for all functions, by their own cost.
    symbol: Option<SymbolId>,
}

impl<'a> Callers<'a> {
    /// The inverted graph.
    pub(super) fn of_all(tree: &'a OrderedTree, weights: &'a Weights) -> Self {
        Self {
            tree,
            weights,
            symbol: None,
        }
    }

    /// The callers of one function; recursion counts once.
    pub(super) fn of(tree: &'a OrderedTree, weights: &'a Weights, symbol: SymbolId) -> Self {
        Self {
            tree,
            weights,
            symbol: Some(symbol),
        }
    }
}

/// In the inverted graph the root is not a function: it stands for all.
#[derive(Debug)]
pub(super) enum Upwards {
    All,
    /// All nodes of a function, by their own cost.
    Function(SymbolId),
    Nodes(Vec<Reached>),
}

impl Arranged for Callers<'_> {
    type Place = Upwards;

    fn root(&self) -> Opened<Upwards> {
        let Some(symbol) = self.symbol else {
            return Opened {
                place: Upwards::All,
                symbol: SymbolId::ROOT,
                width: self.weights.of(self.tree, 0),
                value: self.weights.value(self.tree, 0),
                base: self.tree.base_value(0, self.weights.metric),
                own: 0,
                calls: 0,
            };
        };
        let nodes = self.tree.outermost_nodes_of(symbol).into_iter();
        let reached: Vec<_> = nodes
            .map(|node| Reached {
                node,
                width: self.weights.of(self.tree, node),
                value: self.weights.value(self.tree, node),
                base: self.tree.base_value(node, self.weights.metric),
                calls: self.tree.calls(node),
            })
            .collect();
        opened(symbol, reached, 0)
    }

    fn below(&self, place: &Upwards) -> Vec<Opened<Upwards>> {
        let mut groups = Groups::default();
        let add = |reached: Reached| {
            if let Some(node) = self.tree.parent(reached.node) {
                groups.add(self.tree.symbol(node), Reached { node, ..reached });
            }
        };
        match place {
            Upwards::All => return self.functions(),
            Upwards::Function(symbol) => {
                self.own_costs(self.tree.nodes_of(*symbol)).for_each(add);
            }
            Upwards::Nodes(nodes) => nodes.iter().copied().for_each(add),
        }
        groups.costliest_first(|symbol, nodes| opened(symbol, nodes, 0))
    }
}

impl Callers<'_> {
    /// The nodes that cost something without their callees.
    fn own_costs(&self, nodes: &[u32]) -> impl Iterator<Item = Reached> {
        nodes.iter().filter_map(|&node| {
            let width = self.weights.own(self.tree, node);
            (width > 0).then(|| Reached {
                node,
                width,
                value: self.weights.own_value(self.tree, node),
                base: self.tree.base_own_value(node, self.weights.metric),
                calls: self.tree.calls(node),
            })
        })
    }

    /// All functions by their own cost: the row below the root of the inverted
    /// graph. Only their sums: their nodes are looked for when they are opened.
    fn functions(&self) -> Vec<Opened<Upwards>> {
        let symbols = (0..self.tree.symbols()).map(SymbolId);
        let mut functions: Vec<_> = symbols
            .filter_map(|symbol| {
                let mut sum: Option<Opened<Upwards>> = None;
                for reached in self.own_costs(self.tree.nodes_of(symbol)) {
                    let sum = sum.get_or_insert(Opened {
                        place: Upwards::Function(symbol),
                        symbol,
                        width: 0,
                        value: 0,
                        base: None,
                        own: 0,
                        calls: 0,
                    });
                    sum.width = sum.width.saturating_add(reached.width);
                    sum.value = sum.value.saturating_add(reached.value);
                    sum.base = plus(sum.base, reached.base);
                    sum.calls = sum.calls.saturating_add(reached.calls);
                }
                let mut sum = sum?;
                sum.own = sum.value;
                Some(sum)
            })
            .collect();
        functions.sort_by_key(|function| Reverse(function.width));
        functions
    }
}

fn opened(symbol: SymbolId, nodes: Vec<Reached>, own: i64) -> Opened<Upwards> {
    Opened {
        symbol,
        width: nodes
            .iter()
            .fold(0, |sum, one| sum.saturating_add(one.width)),
        value: value_of(&nodes),
        base: nodes.iter().fold(None, |sum, one| plus(sum, one.base)),
        own,
        calls: nodes
            .iter()
            .fold(0, |sum, one| sum.saturating_add(one.calls)),
        place: Upwards::Nodes(nodes),
    }
}

fn plus(sum: Option<i64>, base: Option<i64>) -> Option<i64> {
    base.map(|base| sum.unwrap_or(0).saturating_add(base))
}

fn value_of(nodes: &[Reached]) -> i64 {
    nodes
        .iter()
        .fold(0, |sum, one| sum.saturating_add(one.value))
}

/// What one function calls, from everywhere, going down.
pub(super) struct Callees<'a> {
    tree: &'a OrderedTree,
    weights: &'a Weights,
    symbol: SymbolId,
}

impl<'a> Callees<'a> {
    /// What `symbol` calls; recursion counts once.
    pub(super) fn of(tree: &'a OrderedTree, weights: &'a Weights, symbol: SymbolId) -> Self {
        Self {
            tree,
            weights,
            symbol,
        }
    }

    fn opened(&self, symbol: SymbolId, nodes: Vec<u32>) -> Opened<Vec<u32>> {
        let sum = |of: &dyn Fn(u32) -> i64| {
            nodes
                .iter()
                .fold(0_i64, |sum, &node| sum.saturating_add(of(node)))
        };
        Opened {
            symbol,
            width: sum(&|node| self.weights.of(self.tree, node)),
            value: sum(&|node| self.weights.value(self.tree, node)),
            base: nodes.iter().fold(None, |sum, &node| {
                plus(sum, self.tree.base_value(node, self.weights.metric))
            }),
            own: sum(&|node| self.weights.own_value(self.tree, node)),
            calls: nodes.iter().fold(0, |calls: u64, &node| {
                calls.saturating_add(self.tree.calls(node))
            }),
            place: nodes,
        }
    }
}

impl Arranged for Callees<'_> {
    type Place = Vec<u32>;

    fn root(&self) -> Opened<Vec<u32>> {
        self.opened(self.symbol, self.tree.outermost_nodes_of(self.symbol))
    }

    fn below(&self, nodes: &Vec<u32>) -> Vec<Opened<Vec<u32>>> {
        let mut groups = Groups::default();
        for &node in nodes {
            for child in self.tree.children(node) {
                groups.add(self.tree.symbol(child), child);
            }
        }
        groups.costliest_first(|symbol, nodes| self.opened(symbol, nodes))
    }
}

/// Nodes by function, in the order in which each function came first.
struct Groups<N> {
    places: NumberMap<SymbolId, usize>,
    list: Vec<(SymbolId, Vec<N>)>,
}

impl<N> Default for Groups<N> {
    fn default() -> Self {
        Self {
            places: NumberMap::default(),
            list: Vec::new(),
        }
    }
}

impl<N> Groups<N> {
    fn add(&mut self, symbol: SymbolId, node: N) {
        let place = match self.places.entry(symbol) {
            Entry::Occupied(place) => *place.get(),
            Entry::Vacant(place) => {
                self.list.push((symbol, Vec::new()));
                *place.insert(self.list.len() - 1)
            }
        };
        self.list[place].1.push(node);
    }

    fn costliest_first<P>(self, open: impl Fn(SymbolId, Vec<N>) -> Opened<P>) -> Vec<Opened<P>> {
        let groups = self.list.into_iter();
        let mut opened: Vec<_> = groups.map(|(symbol, nodes)| open(symbol, nodes)).collect();
        opened.sort_by_key(|opened| Reverse(opened.width));
        opened
    }
}
