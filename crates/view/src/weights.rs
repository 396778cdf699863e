//! The width of each node: its own cost and that of all below it, with negative
//! own costs counted as zero.
//!
//! For times of a profile that was recorded this is the inclusive cost. Memory
//! can be given back, and a foreign file may charge callees more than their
//! caller: then inclusive costs do not fit into each other, and weights do. In a
//! comparison a node is as wide as its larger side, so that what is gone can be
//! seen.

use profile::Metric;

use crate::tree::OrderedTree;

/// The weights of one metric.
#[derive(Debug)]
pub(crate) struct Weights {
    pub(crate) metric: Metric,
    /// None if they are the inclusive costs.
    of: Option<Vec<i64>>,
}

impl Weights {
    pub(crate) fn new(tree: &OrderedTree, metric: Metric) -> Self {
        let is_inclusive = metric != Metric::Calls
            && !tree.has_base()
            && (0..tree.count()).all(|node| tree.own_value(node, metric) >= 0);
        let of = (!is_inclusive).then(|| summed(tree, metric));
        Self { metric, of }
    }

    /// With everything below the node.
    pub(crate) fn of(&self, tree: &OrderedTree, node: u32) -> i64 {
        match &self.of {
            Some(of) => of[node as usize],
            None => tree.value(node, self.metric),
        }
    }

    /// Without what is below the node.
    pub(crate) fn own(&self, tree: &OrderedTree, node: u32) -> i64 {
        let whole = self.of(tree, node);
        tree.children(node).fold(whole, |rest, child| {
            rest.saturating_sub(self.of(tree, child))
        })
    }

    /// What is shown as the node's value: its width, or in a comparison the cost
    /// of the new side.
    pub(crate) fn value(&self, tree: &OrderedTree, node: u32) -> i64 {
        match tree.base_value(node, self.metric) {
            Some(_) => tree.value(node, self.metric),
            None => self.of(tree, node),
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

/// The sums of own costs.
fn summed(tree: &OrderedTree, metric: Metric) -> Vec<i64> {
    let mut of = vec![0_i64; tree.len()];
    // Callees stand behind their caller, so their sums are complete before it.
    for node in (0..tree.count()).rev() {
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
    of
}
