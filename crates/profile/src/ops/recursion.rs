//! Folds recursion: a tree in which no path has a function twice.
//!
//! A call of an open function counts as part of the outermost open call of it,
//! which gets its self cost and its callees. So `f → g → f → h` becomes `f → g`
//! and `f → h`.
//!
//! **Invariant:** every function's calls and self costs stay the same. The
//! inclusive cost of a function that called back into its caller (`g` above)
//! becomes smaller: that time belongs to the caller now.

use super::own_tree::OwnTree;
use crate::{NodeId, SymbolId, Table, Tree};

impl Tree {
    /// The tree without recursion, direct or indirect.
    #[must_use]
    pub fn with_recursion_folded(&self) -> Self {
        let own = self.self_costs();
        let mut folded = OwnTree::new();
        let mut map = Table::new(NodeId::ROOT, self.nodes.len());
        self.walk(|id, outermost| {
            let node = &self[id];
            let place = match outermost {
                Some(outermost) => map[outermost],
                None if id == NodeId::ROOT => NodeId::ROOT,
                None => folded.child(map[node.parent], node.symbol),
            };
            map[id] = place;
            folded.add(place, node.cost.calls, own[id]);
        });
        folded.finish()
    }

    /// Visits every node, depth first, parents before children, with the
    /// outermost open call of the same function, if there is one.
    pub(crate) fn walk(&self, mut visit: impl FnMut(NodeId, Option<NodeId>)) {
        let children = self.children();
        let symbols = self.nodes.iter().map(|node| node.symbol.index() + 1).max();
        let mut open: Table<SymbolId, Option<NodeId>> = Table::new(None, symbols.unwrap_or(0));
        let mut walk = vec![(NodeId::ROOT, false)];
        while let Some((id, is_done)) = walk.pop() {
            let outermost = &mut open[self[id].symbol];
            if is_done {
                if *outermost == Some(id) {
                    *outermost = None;
                }
                continue;
            }
            visit(id, *outermost);
            outermost.get_or_insert(id);
            walk.push((id, true));
            walk.extend(children.of(id).iter().rev().map(|&child| (child, false)));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Cost, NodeId, SymbolId, TreeBuilder};

    #[test]
    fn an_inner_call_is_the_outermost_one_going_on() {
        // main() → f → g → f → h, and main() → g
        let mut builder = TreeBuilder::new();
        let mut at = NodeId::ROOT;
        for (symbol, wall) in [(1, 1), (2, 2), (1, 4), (3, 8)] {
            at = builder.child(at, SymbolId(symbol));
            *builder.cost(at) += Cost {
                calls: 1,
                wall,
                ..Cost::default()
            };
        }
        let g = builder.child(NodeId::ROOT, SymbolId(2));
        builder.cost(g).wall = 16;
        let folded = builder.finish_self_costs().with_recursion_folded();
        let nodes: Vec<_> = (0..)
            .zip(&folded.nodes)
            .map(|(number, node)| {
                let path = folded
                    .path(NodeId(number))
                    .into_iter()
                    .map(|symbol| symbol.0);
                let path: Vec<_> = path.collect();
                (path, node.cost.calls, node.cost.wall)
            })
            .collect();
        assert_eq!(
            nodes,
            [
                (vec![0], 0, 31),
                (vec![0, 1], 2, 15),
                (vec![0, 1, 2], 1, 2),
                (vec![0, 1, 3], 1, 8),
                (vec![0, 2], 0, 16),
            ]
        );
    }
}
