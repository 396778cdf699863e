//! The width of each node: its own cost and that of all below it, with negative
//! own costs counted as zero.
//!
//! For times of a profile that was recorded this is the inclusive cost. Memory
//! can be given back, and a foreign file may charge callees more than their
//! caller: then inclusive costs do not fit into each other, and weights do. In a
//! comparison a node is as wide as its larger side, so that what is gone can be
//! seen.

use profile::Metric;

use crate::index::OrderedTree;

/// The weights of one metric.
#[derive(Debug)]
pub(crate) struct Weights {
    pub(crate) metric: Metric,
    of: Vec<i64>,
}

impl Weights {
    pub(crate) fn new(tree: &OrderedTree, metric: Metric) -> Self {
        let nodes = u32::try_from(tree.len()).unwrap_or(u32::MAX);
        let mut of = vec![0_i64; tree.len()];
        // Starts with the inclusive costs, and takes each from its caller.
        for node in (0..nodes).rev() {
            let base = tree.base_own_value(node, metric).unwrap_or(0);
            let own = tree.own_value(node, metric).max(base).max(0);
            let weight = &mut of[node as usize];
            *weight = weight.saturating_add(own);
            let weight = *weight;
            if let Some(parent) = tree.parent(node) {
                let parent = &mut of[parent as usize];
                *parent = parent.saturating_add(weight);
            }
        }
        Self { metric, of }
    }

    /// With everything below the node.
    pub(crate) fn of(&self, node: u32) -> i64 {
        self.of[node as usize]
    }

    /// Without what is below the node.
    pub(crate) fn own(&self, tree: &OrderedTree, node: u32) -> i64 {
        tree.children(node).fold(self.of(node), |rest, child| {
            rest.saturating_sub(self.of(child))
        })
    }

    /// What is shown as the node's value: its width, or in a comparison the cost
    /// of the new side.
    pub(crate) fn value(&self, tree: &OrderedTree, node: u32) -> i64 {
        match tree.base_value(node, self.metric) {
            Some(_) => tree.value(node, self.metric),
            None => self.of(node),
        }
    }

    /// The same without what is below the node.
    pub(crate) fn own_value(&self, tree: &OrderedTree, node: u32) -> i64 {
        match tree.base_value(node, self.metric) {
            Some(_) => tree.own_value(node, self.metric),
            None => self.own(tree, node),
        }
    }
}
