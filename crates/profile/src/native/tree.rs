//! A call tree in a native file: each node's distance to its parent, its
//! function, and its self cost, which is shorter than the inclusive cost.

use super::costs::{Columns, with, without};
use super::output::Output;
use super::section::kind;
use super::varint::{Cursor, put};
use super::{Error, symbols};
use crate::table::{known, known_mut};
use crate::{Budget, Children, Cost, Node, NodeId, SymbolId, Table, Tree};

/// The number of nodes in a section.
const A_SECTION: usize = 8192;

/// Writes all nodes.
pub(super) fn write(tree: &Tree, output: &mut Output<'_>) -> std::io::Result<()> {
    let own = own_costs(&tree.nodes);
    let columns = Columns::of(own.iter().copied());
    let mut number = 0_usize;
    for (nodes, own) in tree.nodes.chunks(A_SECTION).zip(own.chunks(A_SECTION)) {
        output.section(|writer, out| {
            writer.section(out, kind::TREE, |out| {
                out.push(columns.0);
                put(out, nodes.len() as u64);
                for (node, own) in nodes.iter().zip(own) {
                    put(out, number.wrapping_sub(node.parent.index()) as u64);
                    put(out, u64::from(node.symbol.0));
                    columns.put(out, own);
                    number += 1;
                }
            });
        })?;
    }
    Ok(())
}

fn own_costs(nodes: &[Node]) -> Vec<Cost> {
    let costs = nodes.iter().map(|node| node.cost);
    let mut own: Table<NodeId, Cost> = costs.collect();
    for node in nodes.iter().skip(1) {
        own[node.parent] = without(own[node.parent], node.cost);
    }
    own.into_rows()
}

/// Reads nodes from any number of sections.
#[derive(Debug, Default)]
pub(super) struct TreeReader {
    nodes: Vec<Node>,
}

impl TreeReader {
    /// Reads the payload of a section.
    pub(super) fn take(
        &mut self,
        mut cursor: Cursor<'_>,
        symbols: usize,
        limit: usize,
        budget: &Budget,
    ) -> Result<(), Error> {
        let columns = Columns::take(&mut cursor)?;
        let count = cursor.count()?;
        if count > limit.saturating_sub(self.nodes.len()) {
            return Err(Error::TooLarge {
                offset: cursor.offset(),
                what: "nodes",
            });
        }
        for _ in 0..count {
            let (parent, symbol) = place(&mut cursor, self.nodes.len(), symbols)?;
            let cost = columns.cost(&mut cursor)?;
            budget.room(&mut self.nodes, "call paths")?;
            self.nodes.push(Node {
                parent,
                symbol,
                cost,
            });
        }
        cursor.finish()
    }

    /// The whole tree, if it is valid.
    pub(super) fn finish(mut self, symbols: usize, budget: &Budget) -> Result<Option<Tree>, Error> {
        for index in (1..self.nodes.len()).rev() {
            let Some(&Node { parent, cost, .. }) = known(&self.nodes, index) else {
                continue;
            };
            if let Some(parent) = known_mut(&mut self.nodes, parent) {
                parent.cost = with(parent.cost, cost);
            }
        }
        let tree = Tree { nodes: self.nodes };
        let place = |node: &Node| (node.parent, node.symbol);
        let is_one = !tree.nodes.is_empty() && are_paths(&tree.nodes, place, symbols, budget)?;
        Ok(is_one.then_some(tree))
    }
}

/// The parent and the symbol of a node or a stack.
pub(super) fn place(
    cursor: &mut Cursor<'_>,
    number: usize,
    symbols: usize,
) -> Result<(NodeId, SymbolId), Error> {
    let up = cursor.number()?;
    let symbol = cursor.number()?;
    let symbol = symbols::number(cursor, symbol, symbols)?;
    let up = usize::try_from(up).unwrap_or(usize::MAX);
    let is_right = if number == 0 {
        up == 0 && symbol == 0
    } else {
        up > 0
    };
    let parent = number.checked_sub(up).filter(|_| is_right);
    let parent = parent.and_then(|parent| u32::try_from(parent).ok());
    let parent = parent.ok_or_else(|| cursor.broken("a parent has to come before its children"))?;
    Ok((NodeId(parent), SymbolId(symbol)))
}

/// Whether no two children of one parent have the same symbol; `place` returns
/// a node's parent and its symbol.
pub(super) fn are_paths<N>(
    nodes: &[N],
    place: impl Fn(&N) -> (NodeId, SymbolId),
    symbols: usize,
    budget: &Budget,
) -> Result<bool, Error> {
    // Three numbers for each node, and the symbol's last parent.
    let bytes = nodes.len().saturating_mul(12) + symbols.saturating_mul(8);
    budget.take(bytes, "call paths")?;
    let children = Children::of_parents(nodes.iter().map(|node| place(node).0));
    // The last parent with this symbol as a child; no node is its own child.
    let mut last: Table<SymbolId, Option<NodeId>> = Table::new(None, symbols);
    let are_paths = (0..).zip(nodes).all(|(number, _)| {
        let parent = NodeId(number);
        children.of(parent).iter().all(|&child| {
            let symbol = known(nodes, child).map_or(SymbolId::ROOT, |node| place(node).1);
            last[symbol].replace(parent) != Some(parent)
        })
    });
    budget.give_back(bytes);
    Ok(are_paths)
}
