//! Folds a call tree into edges: recursion levels are counted along each path.
//!
//! **Invariant:** the edges' costs add up to the tree's. The edges are in the order in
//! which they first complete a call, if the tree's order shows that.

use crate::edges::EdgeSum;
use crate::{Activation, EdgeTable, NodeId, NumberMap, Tree};

impl Tree {
    /// The same calls, by caller and callee only.
    #[must_use]
    pub fn to_edges(&self) -> EdgeTable {
        let children = self.children();
        let mut sum = EdgeSum::default();
        sum.add_root(self.root_cost());
        let mut open: NumberMap<u32, u32> = NumberMap::default();
        // Depth first, so that a path costs its length once. A node is visited
        // again after all its descendants.
        let mut walk = vec![(NodeId::ROOT, EdgeTable::ROOT, None)];
        while let Some((id, caller, entered)) = walk.pop() {
            let node = &self[id];
            let level = open.entry(node.symbol.0).or_insert(0);
            let Some(callee) = entered else {
                let callee = Activation {
                    symbol: node.symbol,
                    level: *level,
                };
                *level += 1;
                walk.push((id, caller, Some(callee)));
                let inner = children.of(id).iter().rev();
                walk.extend(inner.map(|&child| (child, callee, None)));
                continue;
            };
            *level -= 1;
            if id == NodeId::ROOT {
                continue;
            }
            sum.add(caller, callee, node.cost);
        }
        sum.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cost, SymbolId, TreeBuilder};

    #[test]
    fn levels_are_counted_along_the_path_and_paths_are_summed() {
        let mut builder = TreeBuilder::new();
        let mut path = |symbols: &[u32], wall| {
            let mut at = NodeId::ROOT;
            for &symbol in symbols {
                at = builder.child(at, SymbolId(symbol));
            }
            *builder.cost(at) += Cost {
                calls: 1,
                wall,
                ..Cost::default()
            };
        };
        path(&[], 100);
        path(&[1], 60);
        path(&[1, 2], 20);
        path(&[1, 2, 1], 5);
        path(&[2], 30);
        path(&[2, 1], 7);
        let table = builder.finish().to_edges();
        let edges: Vec<_> = table
            .edges
            .iter()
            .map(|edge| {
                let ends = (edge.caller, edge.callee);
                let end = |activation: Activation| (activation.symbol.0, activation.level);
                (end(ends.0), end(ends.1), edge.cost.wall)
            })
            .collect();
        assert_eq!(
            edges,
            [
                ((2, 0), (1, 1), 5),
                ((1, 0), (2, 0), 20),
                ((0, 0), (1, 0), 60),
                ((2, 0), (1, 0), 7),
                ((0, 0), (2, 0), 30),
            ]
        );
        assert_eq!(table.root.wall, 100);
    }
}
