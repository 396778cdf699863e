//! Edges in a native file: the root's cost first, then each edge.

use super::costs::Columns;
use super::output::Output;
use super::section::{SectionWriter, kind};
use super::varint::{Cursor, put};
use super::{Error, symbols};
use crate::{Activation, Budget, Edge, EdgeTable, NumberSet, SymbolId};

/// The number of edges in a section.
const A_SECTION: usize = 4096;

/// Writes all edges.
pub(super) fn write(table: &EdgeTable, output: &mut Output<'_>) -> std::io::Result<()> {
    let root = Edge {
        caller: EdgeTable::ROOT,
        callee: EdgeTable::ROOT,
        cost: table.root,
    };
    let costs = table.edges.iter().map(|edge| edge.cost);
    let columns = Columns::of(costs.chain([table.root]));
    let first = std::slice::from_ref(&root);
    for edges in std::iter::once(first).chain(table.edges.chunks(A_SECTION)) {
        output.section(|writer, out| put_section(writer, out, edges, columns))?;
    }
    Ok(())
}

fn put_section(writer: &mut SectionWriter, out: &mut Vec<u8>, edges: &[Edge], columns: Columns) {
    writer.section(out, kind::EDGES, |out| {
        out.push(columns.0);
        put(out, edges.len() as u64);
        for edge in edges {
            put_activation(out, edge.caller);
            put_activation(out, edge.callee);
            columns.put(out, &edge.cost);
        }
    });
}

/// Levels above zero are rare: a bit marks those that follow.
fn put_activation(out: &mut Vec<u8>, it: Activation) {
    put(out, u64::from(it.symbol.0) << 1 | u64::from(it.level > 0));
    if it.level > 0 {
        put(out, u64::from(it.level));
    }
}

/// The noun in the budget's error message.
const EDGES: &str = "edges";

/// Reads edges from any number of sections.
#[derive(Debug, Default)]
pub(super) struct EdgeReader {
    table: Option<EdgeTable>,
    seen: NumberSet<(Activation, Activation)>,
}

impl EdgeReader {
    /// Reads the payload of a section.
    pub(super) fn take(
        &mut self,
        mut cursor: Cursor<'_>,
        symbols: usize,
        budget: &Budget,
    ) -> Result<(), Error> {
        let columns = Columns::take(&mut cursor)?;
        for _ in 0..cursor.count()? {
            let edge = Edge {
                caller: activation(&mut cursor, symbols)?,
                callee: activation(&mut cursor, symbols)?,
                cost: columns.cost(&mut cursor)?,
            };
            let Some(table) = &mut self.table else {
                if (edge.caller, edge.callee) != (EdgeTable::ROOT, EdgeTable::ROOT) {
                    return Err(cursor.broken("the root's cost has to be the first"));
                }
                self.table = Some(EdgeTable {
                    root: edge.cost,
                    edges: Vec::new(),
                });
                continue;
            };
            budget.room_in_set(&mut self.seen, EDGES)?;
            budget.room(&mut table.edges, EDGES)?;
            if edge.callee == EdgeTable::ROOT || !self.seen.insert((edge.caller, edge.callee)) {
                return Err(cursor.broken("an edge that may not be, or is there already"));
            }
            table.edges.push(edge);
        }
        cursor.finish()
    }

    /// All edges.
    pub(super) fn finish(self) -> Option<EdgeTable> {
        self.table
    }
}

fn activation(cursor: &mut Cursor<'_>, symbols: usize) -> Result<Activation, Error> {
    let head = cursor.number()?;
    let symbol = symbols::number(cursor, head >> 1, symbols)?;
    let level = if head & 1 == 1 {
        cursor.number_32()?
    } else {
        0
    };
    Ok(Activation {
        symbol: SymbolId(symbol),
        level,
    })
}
