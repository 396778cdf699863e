//! The call tree of groups of functions: packages instead of their functions.
//!
//! **Invariant:** the self costs of a group's functions are the self cost of the
//! group. A call within a group is no call of it.

use super::own_tree::{Outcome, reduced};
use crate::{NodeId, SymbolId, Tree};

impl Tree {
    /// The tree in which each function is its group. `group` must give the root for the
    /// root.
    #[must_use]
    pub fn grouped(&self, group: impl Fn(SymbolId) -> SymbolId) -> Self {
        reduced(self, |number, node| {
            let (symbol, parent) = (group(node.symbol), group(self[node.parent].symbol));
            if symbol == parent && number != NodeId::ROOT {
                Outcome::Joined
            } else {
                Outcome::Stays {
                    symbol,
                    with_own: true,
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{Cost, NodeId, SymbolId, TreeBuilder};

    #[test]
    fn calls_within_a_group_are_one_call_of_it() {
        // main() → a → b → c, and main() → b; a and b are one group.
        let mut builder = TreeBuilder::new();
        let mut add = |parent, symbol, wall| {
            let node = builder.child(parent, SymbolId(symbol));
            *builder.cost(node) += Cost {
                calls: 2,
                wall,
                ..Cost::default()
            };
            node
        };
        let a = add(NodeId::ROOT, 1, 1);
        let b = add(a, 2, 2);
        add(b, 3, 4);
        add(NodeId::ROOT, 2, 8);
        builder.cost(NodeId::ROOT).calls = 1;
        let tree = builder.finish_self_costs();
        let grouped = tree.grouped(|symbol| SymbolId([0, 1, 1, 2][symbol.index()]));
        let nodes = grouped.nodes.iter();
        let nodes = nodes.map(|node| (node.symbol.0, node.cost.calls, node.cost.wall));
        assert_eq!(
            nodes.collect::<Vec<_>>(),
            [(0, 1, 15), (1, 4, 15), (2, 2, 4)]
        );
    }
}
