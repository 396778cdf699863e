//! How sure the costs of a tree's nodes are, self costs included.
//!
//! **Invariant:** an error of a self cost is never stated too small: rows that
//! are independent add up to it.

use crate::{FlatEstimate, NodeId, NumberMap, Tree, Variance};

impl Tree {
    /// The variance of each node's self cost, of those that have one.
    #[must_use]
    pub fn self_variances(&self) -> NumberMap<u32, Variance> {
        let mut own: NumberMap<u32, Variance> = NumberMap::default();
        for (number, estimate) in self.estimates.iter() {
            let node = NodeId(number);
            let parent = self[node].parent;
            *own.entry(number).or_default() += estimate.variance;
            if parent < node {
                *own.entry(parent.0).or_default() += estimate.variance;
            }
        }
        own
    }

    /// How sure the costs of each node are, of those that are not exact.
    #[must_use]
    pub fn node_estimates(&self) -> NumberMap<u32, FlatEstimate> {
        let mut nodes: NumberMap<u32, FlatEstimate> = NumberMap::default();
        for (number, own) in self.self_variances() {
            nodes.entry(number).or_default().own = own;
        }
        for (number, estimate) in self.estimates.iter() {
            let node = nodes.entry(number).or_default();
            node.untimed = estimate.untimed;
            node.inclusive = estimate.variance;
        }
        nodes
    }
}
