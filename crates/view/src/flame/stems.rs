//! Callees below callers: a box is a node of the call tree.

use std::cmp::Reverse;

use super::layout::{Arranged, Opened};
use crate::tree::OrderedTree;
use crate::weights::Weights;

/// The call tree as it is.
pub(super) struct Calls<'a> {
    tree: &'a OrderedTree,
    weights: &'a Weights,
    costliest_first: bool,
}

impl<'a> Calls<'a> {
    /// Callees in the order of their first call.
    pub(super) fn in_order(tree: &'a OrderedTree, weights: &'a Weights) -> Self {
        Self {
            tree,
            weights,
            costliest_first: false,
        }
    }

    /// The costliest callee first.
    pub(super) fn costliest_first(tree: &'a OrderedTree, weights: &'a Weights) -> Self {
        Self {
            tree,
            weights,
            costliest_first: true,
        }
    }

    fn opened(&self, node: u32) -> Opened<u32> {
        Opened {
            place: node,
            symbol: self.tree.symbol(node),
            width: self.weights.of(self.tree, node),
            value: self.weights.value(self.tree, node),
            base: self.tree.base_value(node, self.weights.metric),
            own: self.weights.own_value(self.tree, node),
            calls: self.tree.calls(node),
        }
    }
}

impl Arranged for Calls<'_> {
    type Place = u32;

    fn root(&self) -> Opened<u32> {
        self.opened(0)
    }

    fn below(&self, node: &u32) -> Vec<Opened<u32>> {
        let children = self.tree.children(*node);
        let mut below: Vec<_> = children.map(|child| self.opened(child)).collect();
        if self.costliest_first {
            below.sort_by_key(|opened| Reverse(opened.width));
        }
        below
    }
}
