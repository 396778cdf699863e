//! The inverted tree: every function, with its callers below it.
//!
//! The tree contains each path of the call tree, read from its end. A node
//! stands for all paths with the same end. Self costs are added up; of
//! inclusive costs only outermost calls count, or a recursive function's time
//! would count once for each level.
//!
//! **Invariant:** the functions at the top have the costs of the flat table,
//! with any limits.

use crate::{Cost, Node, NodeId, SelfCost, SymbolId, Table, Tree, TreeBuilder};

/// The limits of the inversion: the full tree has a node for each frame of each
/// path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvertLimits {
    /// The maximum number of callers that are followed from each function.
    pub depth: usize,
    /// The maximum number of nodes; the functions are always there.
    pub nodes: usize,
}

impl Default for InvertLimits {
    /// 200 callers, a million nodes.
    fn default() -> Self {
        Self {
            depth: 200,
            nodes: 1_000_000,
        }
    }
}

/// All paths that end in the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvertedNode {
    /// The node's callee, with one frame less. For a function it is node 0.
    pub parent: NodeId,
    /// The function; below another node, its caller.
    pub symbol: SymbolId,
    /// The cost of the function at the top when called this way, callees
    /// included.
    pub inclusive: Cost,
    /// Its self cost.
    pub own: SelfCost,
}

/// An inverted tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvertedTree {
    /// First a node for the whole profile; then, parents before children,
    /// functions (whose parent is that) and callers.
    pub nodes: Vec<InvertedNode>,
}

impl Tree {
    /// Inverts the tree.
    #[must_use]
    pub fn inverted(&self, limits: InvertLimits) -> InvertedTree {
        let mut is_outermost = Table::new(false, self.nodes.len());
        self.walk(|node, outermost| is_outermost[node] = outermost.is_none());
        let mut builder = TreeBuilder::new();
        for node in &self.nodes {
            builder.child(NodeId::ROOT, node.symbol);
        }
        let mut own_costs: Table<NodeId, _> = Table::new(SelfCost::default(), builder.len());
        for ((number, node), &own) in self.numbered().zip(self.self_costs().iter()) {
            let calls = node.cost.calls;
            let inclusive = if is_outermost[number] {
                node.cost
            } else {
                Cost {
                    calls,
                    ..Cost::default()
                }
            };
            let mut at = NodeId::ROOT;
            let mut frame = Some((number, node));
            let mut depth = 0;
            while let Some((number, node)) = frame {
                let is_full = builder.len() >= limits.nodes || depth > limits.depth;
                let next = match builder.existing(at, node.symbol) {
                    Some(next) if depth <= limits.depth => next,
                    None if !is_full => builder.child(at, node.symbol),
                    _ => break,
                };
                at = next;
                *builder.cost(at) += inclusive;
                own_costs.grow(SelfCost::default(), builder.len());
                own_costs[at] += own;
                // The root is its own parent in the table.
                let has_caller = node.parent < number;
                frame = has_caller.then(|| (node.parent, &self[node.parent]));
                depth += 1;
            }
            own_costs[NodeId::ROOT] += own;
        }
        let nodes = builder
            .finish()
            .nodes
            .into_iter()
            .zip(own_costs.into_rows());
        let mut nodes: Vec<_> = nodes
            .map(|(node, own)| InvertedNode {
                parent: node.parent,
                symbol: node.symbol,
                inclusive: node.cost,
                own,
            })
            .collect();
        if let Some(total) = nodes.first_mut() {
            total.inclusive = self.root_cost();
        }
        InvertedTree { nodes }
    }
}

impl InvertedTree {
    /// A tree of the same nodes with self costs: the one that flame graphs
    /// draw. Negative times become zero.
    #[must_use]
    pub fn to_tree(&self) -> Tree {
        let time = |time: i64| time.max(0).cast_unsigned();
        let nodes = self.nodes.iter().map(|node| Node {
            parent: node.parent,
            symbol: node.symbol,
            cost: Cost {
                calls: node.inclusive.calls,
                wall: time(node.own.wall),
                cpu: time(node.own.cpu),
                memory: node.own.memory,
                peak: node.own.peak,
            },
        });
        Tree {
            nodes: nodes.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// f → g → f, and g
    fn tree() -> Tree {
        let mut builder = TreeBuilder::new();
        let mut at = NodeId::ROOT;
        for (symbol, wall) in [(1, 1), (2, 2), (1, 4)] {
            at = builder.child(at, SymbolId(symbol));
            *builder.cost(at) += Cost {
                calls: 1,
                wall,
                ..Cost::default()
            };
        }
        let g = builder.child(NodeId::ROOT, SymbolId(2));
        builder.cost(g).wall = 16;
        builder.cost(g).calls = 1;
        builder.finish_self_costs()
    }

    fn paths(inverted: &InvertedTree) -> Vec<(Vec<u32>, u64, u64, i64)> {
        let tree = inverted.to_tree();
        (0..)
            .zip(&inverted.nodes)
            .skip(1)
            .map(|(number, node)| {
                let path = tree.path(NodeId(number)).into_iter().skip(1);
                let path = path.map(|symbol| symbol.0).collect();
                let inclusive = node.inclusive;
                (path, inclusive.calls, inclusive.wall, node.own.wall)
            })
            .collect()
    }

    #[test]
    fn callers_stand_below_the_function_and_recursion_counts_once() {
        let mut found = paths(&tree().inverted(InvertLimits::default()));
        found.sort();
        assert_eq!(
            found,
            [
                (vec![0], 0, 23, 0),
                (vec![1], 2, 7, 5),
                (vec![1, 0], 1, 7, 1),
                (vec![1, 2], 1, 0, 4),
                (vec![1, 2, 1], 1, 0, 4),
                (vec![1, 2, 1, 0], 1, 0, 4),
                (vec![2], 2, 22, 18),
                (vec![2, 0], 1, 16, 16),
                (vec![2, 1], 1, 6, 2),
                (vec![2, 1, 0], 1, 6, 2),
            ]
        );
    }

    #[test]
    fn limits_cut_callers_and_leave_the_functions() {
        for limits in [
            InvertLimits {
                depth: 0,
                nodes: 99,
            },
            InvertLimits { depth: 9, nodes: 1 },
        ] {
            assert_eq!(
                paths(&tree().inverted(limits)),
                [
                    (vec![0], 0, 23, 0),
                    (vec![1], 2, 7, 5),
                    (vec![2], 2, 22, 18)
                ]
            );
        }
    }
}
