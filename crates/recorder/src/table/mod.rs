//! Costs keyed by calling context: rows, the callees that key them, and the finished
//! table as edges or as a tree.

mod callees;
mod edges;
mod freed;
mod growth;
mod lines;
mod rows;
mod tree;

use profile::SymbolId;

pub(crate) use callees::{Callees, outermost_of_early};
pub use edges::RecordedEdges;
pub(crate) use freed::FreedAtEnd;
pub(crate) use rows::{CallTable, NONE, Place, ROOT, Row, SINK};

/// The symbol for calls beyond a limit.
pub(crate) const TRUNCATED: SymbolId = SymbolId(1);

/// The meaning of a row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Caller and callee, each with its recursion level.
    Edges,
    /// The whole path from the root.
    Tree,
    /// No table: each entry and exit is an event.
    Events,
}
