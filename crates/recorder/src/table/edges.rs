//! The finished table as edges, without a second table.
//!
//! A script waits for `xhprof_disable()`, and ten thousand edges are half a
//! megabyte: allocating that much more memory takes longer than computing the
//! edges. So ticks become time in place, in memory that the rows had, and each
//! edge is computed when it is read.

use profile::{Activation, Cost, Edge, EdgeTable, Edges, SymbolId};

use super::callees::Callees;
use super::rows::{CallTable, ROOT, Row};
use super::tree::unsigned_ns;
use crate::TickRate;

/// All edges of a finished recorder, in the order in which they first completed
/// a call.
#[derive(Debug)]
pub struct RecordedEdges {
    rows: Vec<Timed>,
    /// The rows that are edges.
    completed: Vec<u32>,
    callees: Callees,
}

/// A row whose ticks have become nanoseconds. It has the size and the alignment of a
/// [`Row`], so that `collect` keeps the memory.
#[derive(Debug)]
#[repr(align(64))]
struct Timed {
    parent: u32,
    callee: u32,
    cost: Cost,
}

const _: () =
    assert!(size_of::<Timed>() == size_of::<Row>() && align_of::<Timed>() == align_of::<Row>());

impl Timed {
    fn of(row: &Row, wall: TickRate, cpu: TickRate) -> Self {
        Self {
            parent: row.parent(),
            callee: row.callee(),
            cost: Cost {
                calls: row.calls,
                wall: unsigned_ns(wall.signed_nanoseconds(row.cost.wall.0.cast_signed())),
                cpu: unsigned_ns(cpu.signed_nanoseconds(row.cost.cpu.0.cast_signed())),
                memory: row.cost.memory,
                peak: row.cost.peak,
            },
        }
    }
}

impl RecordedEdges {
    /// The edges of a table whose callees these are.
    pub(crate) fn of(table: CallTable, callees: Callees, wall: TickRate, cpu: TickRate) -> Self {
        let (rows, mut completed) = table.into_rows();
        let timed = rows.into_iter().map(|row| Timed::of(&row, wall, cpu));
        let rows: Vec<Timed> = timed.collect();
        let count = rows.len();
        completed.retain(|&number| number > ROOT && (number as usize) < count);
        Self {
            rows,
            completed,
            callees,
        }
    }

    /// The same as a table.
    #[must_use]
    pub fn to_table(&self) -> EdgeTable {
        EdgeTable {
            root: self.root(),
            edges: self.iter().collect(),
        }
    }

    fn activation(&self, activation: u32) -> Activation {
        let (symbol, level) = self.callees.symbol_and_level(activation);
        Activation {
            symbol: SymbolId(symbol),
            level,
        }
    }
}

impl Edges for RecordedEdges {
    fn root(&self) -> Cost {
        let root = self.rows.get(ROOT as usize);
        root.map_or_else(Cost::default, |row| row.cost)
    }

    fn len(&self) -> usize {
        self.completed.len()
    }

    fn iter(&self) -> impl Iterator<Item = Edge> {
        let rows = self.completed.iter();
        let rows = rows.filter_map(|&number| self.rows.get(number as usize));
        rows.map(|row| Edge {
            caller: self.activation(row.parent),
            callee: self.activation(row.callee),
            cost: row.cost,
        })
    }
}
