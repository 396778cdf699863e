//! The finished table as edges, without a second table.
//!
//! A script waits for `xhprof_disable()`, and ten thousand edges are half a
//! megabyte: allocating that much more memory takes longer than computing the
//! edges. So ticks become time in place, and each edge is computed when it is
//! read.

use profile::{Activation, Cost, Edge, EdgeTable, Edges, SymbolId};

use crate::call_table::{ROOT, Row, Shape};
use crate::callees::Callees;
use crate::finish::{signed_ns, unsigned_ns};
use crate::{Recorder, TickRate};

/// All edges of a finished recorder, in the order in which they first completed
/// a call.
#[derive(Debug)]
pub struct RecordedEdges {
    /// Times are in nanoseconds.
    rows: Vec<Row>,
    /// The rows that are edges.
    completed: Vec<u32>,
    callees: Callees,
}

impl Recorder {
    /// All edges; none if the recorder recorded a tree, which can be folded
    /// into edges, or events.
    #[must_use]
    pub fn into_edges(self, wall: TickRate, cpu: TickRate) -> Option<RecordedEdges> {
        if self.shape != Shape::Edges {
            return None;
        }
        let (mut rows, mut completed) = self.table.into_rows();
        for row in &mut rows {
            let cost = &mut row.cost;
            cost.wall = unsigned_ns(signed_ns(wall, cost.wall.cast_signed()));
            cost.cpu = unsigned_ns(signed_ns(cpu, cost.cpu.cast_signed()));
        }
        let count = rows.len();
        completed.retain(|&number| number > ROOT && (number as usize) < count);
        Some(RecordedEdges {
            rows,
            completed,
            callees: self.callees,
        })
    }
}

impl RecordedEdges {
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
        root.map_or_else(Cost::default, cost)
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
            cost: cost(row),
        })
    }
}

fn cost(row: &Row) -> Cost {
    Cost {
        calls: row.calls,
        wall: row.cost.wall,
        cpu: row.cost.cpu,
        memory: row.cost.memory,
        peak: row.cost.peak,
    }
}
