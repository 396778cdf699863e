//! Arrangements in which a box is several nodes of one function: callers of a
//! function, what a function calls from everywhere, and the inverted graph.
//!
//! A box is opened by grouping its nodes by their callers, or their callees.
//! Only boxes that are wide enough are opened, so no whole tree is inverted.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use profile::SymbolId;

use super::layout::{Arranged, Opened};
use super::weights::Weights;
use crate::index::OrderedTree;

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
    Nodes(Vec<Reached>),
}

impl Arranged for Callers<'_> {
    type Place = Upwards;

    fn root(&self) -> Opened<Upwards> {
        let Some(symbol) = self.symbol else {
            return Opened {
                place: Upwards::All,
                symbol: SymbolId::ROOT,
                width: self.weights.of(0),
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
                width: self.weights.of(node),
                value: self.weights.value(self.tree, node),
                base: self.tree.base_value(node, self.weights.metric),
                calls: self.tree.node(node).cost.calls,
            })
            .collect();
        opened(symbol, reached, 0)
    }

    fn below(&self, place: &Upwards) -> Vec<Opened<Upwards>> {
        let mut groups = Groups::default();
        match place {
            Upwards::All => {
                let nodes = u32::try_from(self.tree.len()).unwrap_or(u32::MAX);
                for node in 0..nodes {
                    let width = self.weights.own(self.tree, node);
                    if width > 0 {
                        let reached = Reached {
                            node,
                            width,
                            value: self.weights.own_value(self.tree, node),
                            base: self.tree.base_own_value(node, self.weights.metric),
                            calls: self.tree.node(node).cost.calls,
                        };
                        groups.add(self.tree.symbol(node), reached);
                    }
                }
            }
            Upwards::Nodes(nodes) => {
                for reached in nodes {
                    if let Some(parent) = self.tree.parent(reached.node) {
                        let symbol = self.tree.symbol(parent);
                        groups.add(
                            symbol,
                            Reached {
                                node: parent,
                                ..*reached
                            },
                        );
                    }
                }
            }
        }
        let is_top = matches!(place, Upwards::All);
        groups.costliest_first(|symbol, nodes| {
            let own = if is_top { value_of(&nodes) } else { 0 };
            opened(symbol, nodes, own)
        })
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
            width: sum(&|node| self.weights.of(node)),
            value: sum(&|node| self.weights.value(self.tree, node)),
            base: nodes.iter().fold(None, |sum, &node| {
                plus(sum, self.tree.base_value(node, self.weights.metric))
            }),
            own: sum(&|node| self.weights.own_value(self.tree, node)),
            calls: nodes.iter().fold(0, |calls: u64, &node| {
                calls.saturating_add(self.tree.node(node).cost.calls)
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
    places: HashMap<SymbolId, usize>,
    list: Vec<(SymbolId, Vec<N>)>,
}

impl<N> Default for Groups<N> {
    fn default() -> Self {
        Self {
            places: HashMap::new(),
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
