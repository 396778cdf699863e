//! Filters by function: removes functions, or keeps only paths through them.
//!
//! The front end decides which functions match: by a pattern, a file or a
//! class.

use super::own_tree::{OwnTree, mapped, with_own};
use crate::{NodeId, SelfCost, SymbolId, Tree};

impl Tree {
    /// The tree without those functions, as if the recorder had ignored them:
    /// their self costs and their callees move to their callers. The root
    /// stays, with its cost.
    #[must_use]
    pub fn hiding(&self, is_hidden: impl Fn(SymbolId) -> bool) -> Self {
        let mut tree = OwnTree::default();
        let mut map = vec![NodeId::ROOT; self.nodes.len()];
        for (number, node, own) in with_own(self) {
            let parent = mapped(&map, node.parent);
            let is_kept = number == NodeId::ROOT || !is_hidden(node.symbol);
            let place = match number {
                NodeId::ROOT => NodeId::ROOT,
                _ if is_kept => tree.child(parent, node.symbol),
                _ => parent,
            };
            if let Some(mapped) = map.get_mut(number.index()) {
                *mapped = place;
            }
            tree.add(place, if is_kept { node.cost.calls } else { 0 }, own);
        }
        tree.finish()
    }

    /// Only the paths that contain such a function: the paths to it, and all
    /// below it. The root's cost is the sum of these.
    #[must_use]
    pub fn focused(&self, is_wanted: impl Fn(SymbolId) -> bool) -> Self {
        // Below a wanted function, or one itself.
        let mut is_inside = vec![false; self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            let inside = is_wanted(node.symbol)
                || index > 0 && is_inside.get(node.parent.index()) == Some(&true);
            if let Some(place) = is_inside.get_mut(index) {
                *place = inside;
            }
        }
        let mut is_kept = is_inside.clone();
        for (index, node) in self.nodes.iter().enumerate().rev() {
            if is_kept.get(index) == Some(&true)
                && let Some(parent) = is_kept.get_mut(node.parent.index())
            {
                *parent = true;
            }
        }
        let mut tree = OwnTree::default();
        let mut map = vec![NodeId::ROOT; self.nodes.len()];
        for (number, node, own) in with_own(self) {
            if number != NodeId::ROOT && is_kept.get(number.index()) != Some(&true) {
                continue;
            }
            let place = if number == NodeId::ROOT {
                NodeId::ROOT
            } else {
                tree.child(mapped(&map, node.parent), node.symbol)
            };
            if let Some(mapped) = map.get_mut(number.index()) {
                *mapped = place;
            }
            let is_inside = is_inside.get(number.index()) == Some(&true);
            let own = if is_inside { own } else { SelfCost::default() };
            tree.add(place, node.cost.calls, own);
        }
        tree.finish()
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
    fn a_hidden_functions_costs_and_callees_are_its_callers() {
        let hidden = tree().hiding(|symbol| symbol.0 == 2);
        assert_eq!(
            nodes(&hidden),
            [(0, 1, 63), (1, 1, 46), (3, 2, 40), (3, 1, 16)]
        );
        let all = tree().hiding(|_| true);
        assert_eq!(nodes(&all), [(0, 1, 63)]);
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
