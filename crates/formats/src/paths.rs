//! Finds the node of one stack after the other, root first.
//!
//! Stacks that follow each other have most of their frames in common, and
//! what is common is not looked up again: a deep stack costs what is new of it.

use profile::{Budget, NodeId, SymbolId};

/// The stack found last.
#[derive(Debug)]
pub(crate) struct Paths {
    open: Vec<(SymbolId, NodeId)>,
    budget: Budget,
}

impl Paths {
    /// No stack yet. Of a stack that the budget has no room for, the node is
    /// that of its lower part.
    pub(crate) fn within(budget: &Budget) -> Self {
        Self {
            open: Vec::new(),
            budget: budget.clone(),
        }
    }

    /// The node of a stack, with `child` for each step that is not in the stack
    /// before. A stack need not begin with the root.
    pub(crate) fn node(
        &mut self,
        stack: impl Iterator<Item = SymbolId>,
        mut child: impl FnMut(NodeId, SymbolId) -> NodeId,
    ) -> NodeId {
        let mut depth = 0;
        let mut node = NodeId::ROOT;
        let mut is_first = true;
        for symbol in stack {
            // The root is there already.
            if std::mem::take(&mut is_first) && symbol == SymbolId::ROOT {
                continue;
            }
            node = match self.open.get(depth) {
                Some(&(same, node)) if same == symbol => node,
                _ => {
                    self.open.truncate(depth);
                    let child = child(node, symbol);
                    if self.budget.room(&mut self.open, "call paths").is_err() {
                        return node;
                    }
                    self.open.push((symbol, child));
                    child
                }
            };
            depth += 1;
        }
        // What is left of a deeper stack may be of use to the next one.
        node
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::TreeBuilder;

    #[test]
    fn only_what_is_new_is_looked_up() {
        let mut builder = TreeBuilder::new();
        let mut paths = Paths::within(&Budget::unlimited());
        let mut lookups = 0;
        let mut nodes = Vec::new();
        let stacks: [&[u32]; 6] = [&[0, 1, 2], &[0, 1], &[0, 1, 2, 3], &[1, 2], &[0], &[2, 0]];
        for stack in stacks {
            let stack = stack.iter().map(|&symbol| SymbolId(symbol));
            nodes.push(paths.node(stack, |node, symbol| {
                lookups += 1;
                builder.child(node, symbol)
            }));
        }
        let tree = builder.finish();
        let found: Vec<_> = nodes
            .iter()
            .map(|&node| {
                tree.path(node)
                    .iter()
                    .map(|symbol| symbol.0)
                    .collect::<Vec<_>>()
            })
            .collect();
        let expected: [&[u32]; 6] = [
            &[0, 1, 2],
            &[0, 1],
            &[0, 1, 2, 3],
            &[0, 1, 2],
            &[0],
            &[0, 2, 0],
        ];
        assert_eq!(found, expected);
        assert_eq!(lookups, 5);
    }
}
