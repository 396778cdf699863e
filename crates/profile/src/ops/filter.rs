//! Filters by function: keeps only the paths through them.
//!
//! The front end decides which functions match: by a pattern, a file or a
//! class.

use super::own_tree::{Outcome, reduced, with_parents};
use crate::{NodeId, SymbolId, Table, Tree};

impl Tree {
    /// Only the paths that contain such a function: the paths to it, and all
    /// below it. The root's cost is the sum of these.
    #[must_use]
    pub fn focused(&self, is_wanted: impl Fn(SymbolId) -> bool) -> Self {
        // Below a wanted function, or one itself.
        let mut is_inside = Table::new(false, self.nodes.len());
        for (number, node) in self.numbered() {
            is_inside[number] =
                is_wanted(node.symbol) || number != NodeId::ROOT && is_inside[node.parent];
        }
        let is_kept = with_parents(self, is_inside.clone());
        reduced(self, |number, node| {
            if number == NodeId::ROOT || is_kept[number] {
                Outcome::Stays {
                    symbol: node.symbol,
                    with_own: is_inside[number],
                }
            } else {
                Outcome::Removed
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cost, TreeBuilder};

    /// a → b → c, c, a → c
    fn tree() -> Tree {
        let mut builder = TreeBuilder::new();
        let mut node = |path: &[u32], wall| {
            let root = NodeId::ROOT;
            let at = path
                .iter()
                .fold(root, |at, &symbol| builder.child(at, SymbolId(symbol)));
            *builder.cost(at) += Cost {
                calls: 1,
                wall,
                ..Cost::default()
            };
        };
        node(&[], 1);
        node(&[1], 2);
        node(&[1, 2], 4);
        node(&[1, 2, 3], 8);
        node(&[3], 16);
        node(&[1, 3], 32);
        builder.finish_self_costs()
    }

    fn nodes(tree: &Tree) -> Vec<(u32, u64, u64)> {
        let one = |node: &crate::Node| (node.symbol.0, node.cost.calls, node.cost.wall);
        tree.nodes.iter().map(one).collect()
    }

    #[test]
    fn a_focus_keeps_the_ways_to_a_function_and_all_below_it() {
        let focused = tree().focused(|symbol| symbol.0 == 2);
        assert_eq!(
            nodes(&focused),
            [(0, 1, 12), (1, 1, 12), (2, 1, 12), (3, 1, 8)]
        );
        assert_eq!(nodes(&tree().focused(|_| false)), [(0, 1, 0)]);
        assert_eq!(tree().focused(|_| true), tree());
    }
}
