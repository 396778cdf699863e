//! Removes cheap functions, so that a picture shows the important ones.
//!
//! Removed functions become calls of [`OTHER`], one node for each caller (or
//! one function, with edges): adding them to their callers would change the
//! callers' self costs.
//!
//! **Invariant:** the self costs of the remaining functions do not change, and
//! all self costs still add up to the root's.

use super::own_tree::{Outcome, reduced, with_parents};
use crate::edges::EdgeSum;
use crate::{
    Activation, Body, Cost, EdgeTable, FlatTable, Metric, NodeId, Profile, Symbol, SymbolId, Table,
    Tree,
};

/// The function that replaces the removed ones.
pub const OTHER: &[u8] = b"[other]";

impl Profile {
    /// The profile without costs below `percent` of the total in `metric`. With
    /// stacks, every path is judged separately, and stays if one of its
    /// descendants does; with edges, every function, by its inclusive cost.
    /// Samples and events become a tree.
    #[must_use]
    pub fn without_small(&self, metric: Metric, percent: f64) -> Self {
        let mut profile = self.clone();
        let place = self
            .symbols
            .iter()
            .position(|symbol| &*symbol.name == OTHER);
        let place = place.unwrap_or(self.symbols.len());
        let other = SymbolId(u32::try_from(place).unwrap_or(u32::MAX));
        if place == self.symbols.len() {
            profile.symbols.push(Symbol::new(OTHER));
        }
        profile.body = match self.tree() {
            Some(tree) => {
                let limit = limit(metric, &tree.root_cost(), percent);
                Body::Tree(small_nodes_out(&tree, metric, limit, other))
            }
            None => {
                let table = FlatTable::new(self);
                let limit = limit(metric, &table.total, percent);
                let mut is_small = Table::new(true, self.symbols.len());
                for row in &table.rows {
                    is_small[row.symbol] = metric.of(&row.inclusive).unsigned_abs() < limit;
                }
                let is_small = |symbol| symbol != SymbolId::ROOT && is_small[symbol];
                Body::Edges(small_functions_out(&self.edges(), is_small, other))
            }
        };
        profile
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a threshold is a share, not a sum"
)]
fn limit(metric: Metric, total: &Cost, percent: f64) -> u64 {
    (metric.of(total).unsigned_abs() as f64 * percent / 100.0).ceil() as u64
}

fn small_nodes_out(tree: &Tree, metric: Metric, limit: u64, other: SymbolId) -> Tree {
    let large = |cost: &Cost| metric.of(cost).unsigned_abs() >= limit;
    let is_large = tree.nodes.iter().map(|node| large(&node.cost)).collect();
    let is_kept = with_parents(tree, is_large);
    let stays = |number: NodeId| number == NodeId::ROOT || is_kept[number];
    reduced(tree, |number, node| {
        let symbol = if stays(number) {
            node.symbol
        } else if stays(node.parent) {
            other
        } else {
            // Below a removed node: it is not another call.
            return Outcome::Joined;
        };
        Outcome::Stays {
            symbol,
            with_own: true,
        }
    })
}

fn small_functions_out(
    table: &EdgeTable,
    is_small: impl Fn(SymbolId) -> bool,
    other: SymbolId,
) -> EdgeTable {
    let renamed = |activation: Activation| {
        if is_small(activation.symbol) {
            Activation {
                symbol: other,
                level: 0,
            }
        } else {
            activation
        }
    };
    let mut sum = EdgeSum::default();
    sum.add_root(table.root);
    for edge in &table.edges {
        let (caller, callee) = (renamed(edge.caller), renamed(edge.callee));
        if caller.symbol != other || callee.symbol != other {
            sum.add(caller, callee, edge.cost);
        }
    }
    sum.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TreeBuilder;

    /// a → b → c, d, c
    fn profile() -> Profile {
        let mut builder = TreeBuilder::new();
        let mut node = |path: &[u32], wall| {
            let root = NodeId::ROOT;
            let at = path
                .iter()
                .fold(root, |at, &symbol| builder.child(at, SymbolId(symbol)));
            *builder.cost(at) += Cost {
                calls: 3,
                wall,
                ..Cost::default()
            };
        };
        node(&[1], 70);
        node(&[1, 2], 4);
        node(&[1, 2, 3], 2);
        node(&[4], 3);
        node(&[3], 21);
        Profile {
            symbols: [&b"main()"[..], b"a", b"b", b"c", b"d"]
                .map(Symbol::new)
                .to_vec(),
            body: Body::Tree(builder.finish_self_costs()),
            ..Profile::empty()
        }
    }

    #[test]
    fn small_paths_become_calls_of_other() {
        let profile = profile().without_small(Metric::Wall, 10.0);
        let tree = profile.tree().unwrap();
        let nodes = tree.nodes.iter();
        let nodes: Vec<_> = nodes
            .map(|node| (profile.name(node.symbol), node.cost.calls, node.cost.wall))
            .collect();
        assert_eq!(
            nodes,
            [
                (&b"main()"[..], 0, 100),
                (b"a", 3, 76),
                (OTHER, 3, 6),
                (OTHER, 3, 3),
                (b"c", 3, 21),
            ]
        );
    }

    #[test]
    fn small_functions_become_one_among_edges() {
        let mut profile = profile();
        profile.body = Body::Edges(profile.edges().into_owned());
        let small = profile.without_small(Metric::Wall, 10.0);
        let edges = small.edges();
        let name =
            |activation: Activation| small.name(activation.symbol).escape_ascii().to_string();
        let edges: Vec<_> = edges
            .edges
            .iter()
            .map(|edge| (name(edge.caller), name(edge.callee), edge.cost.wall))
            .collect();
        let edge = |caller: &str, callee: &str, wall| (caller.to_owned(), callee.to_owned(), wall);
        assert_eq!(
            edges,
            [
                edge("[other]", "c", 2),
                edge("a", "[other]", 6),
                edge("main()", "a", 76),
                edge("main()", "[other]", 3),
                edge("main()", "c", 21),
            ]
        );
    }
}
