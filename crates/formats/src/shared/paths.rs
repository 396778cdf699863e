//! Finds the nodes of many stacks, root first.
//!
//! Successive stacks share most of their frames, and shared frames are not
//! looked up again: the cost of a stack is that of its new frames.

use profile::{Budget, NodeId, SymbolId};

/// The stack found last.
#[derive(Debug)]
pub(crate) struct Paths {
    open: Vec<(SymbolId, NodeId)>,
    budget: Budget,
}

impl Paths {
    /// No stack yet. If the budget has no memory for a stack, the result is the
    /// node of its lower part.
    pub(crate) fn within(budget: &Budget) -> Self {
        Self {
            open: Vec::new(),
            budget: budget.clone(),
        }
    }

    /// The node of a stack. Calls `child` for each frame that differs from the
    /// previous stack. A stack may begin with the root or without.
    pub(crate) fn node(
        &mut self,
        stack: impl Iterator<Item = SymbolId>,
        mut child: impl FnMut(NodeId, SymbolId) -> NodeId,
    ) -> NodeId {
        let mut depth = 0;
        let mut node = NodeId::ROOT;
        let mut is_first = true;
        for symbol in stack {
            // The root exists already.
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
        // The rest of a deeper stack may match the next stack.
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
