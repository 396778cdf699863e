//! The finished table as a tree: ticks become time, rows become nodes.

use profile::{Cost, Node, NodeId, SymbolId, Table, Tree};

use super::rows::{CallTable, ROOT, Row};
use crate::TickRate;

impl CallTable {
    /// All paths, parents before children.
    ///
    /// Each node's self cost is converted to nanoseconds separately, and
    /// inclusive costs are their sums. So rounding never makes a self cost
    /// negative.
    pub(crate) fn tree(&self, wall: TickRate, cpu: TickRate) -> Tree {
        // Row 0 is the sink; every other row is the node before it.
        let rows = self.rows.get(ROOT as usize..).unwrap_or_default();
        let node_of = |row: u32| row.saturating_sub(ROOT);
        let mut own: Table<u32, Own> = rows.iter().map(Own::of).collect();
        for row in rows.iter().skip(1) {
            own[node_of(row.parent())].subtract(row);
        }
        let mut times: Table<usize, (i128, i128)> = own
            .iter()
            .map(|own| {
                (
                    wall.signed_nanoseconds(own.wall),
                    cpu.signed_nanoseconds(own.cpu),
                )
            })
            .collect();
        for (index, row) in rows.iter().enumerate().skip(1).rev() {
            let (wall, cpu) = times[index];
            let parent = &mut times[node_of(row.parent()) as usize];
            *parent = (parent.0 + wall, parent.1 + cpu);
        }
        let nodes = rows.iter().zip(&times).map(|(row, &(wall, cpu))| Node {
            parent: NodeId(node_of(row.parent())),
            symbol: SymbolId(row.callee()),
            cost: Cost {
                calls: row.calls,
                wall: unsigned_ns(wall),
                cpu: unsigned_ns(cpu),
                memory: row.cost.memory,
                peak: row.cost.peak,
            },
        });
        let mut nodes: Vec<Node> = nodes.collect();
        if let Some(root) = nodes.first_mut() {
            root.parent = NodeId::ROOT;
        }
        Tree { nodes }
    }
}

/// The self cost of a row, in ticks.
#[derive(Debug, Clone, Copy, Default)]
struct Own {
    wall: i64,
    cpu: i64,
}

impl Own {
    fn of(row: &Row) -> Self {
        Self {
            wall: row.cost.wall.0.cast_signed(),
            cpu: row.cost.cpu.0.cast_signed(),
        }
    }

    fn subtract(&mut self, row: &Row) {
        self.wall = self.wall.wrapping_sub_unsigned(row.cost.wall.0);
        self.cpu = self.cpu.wrapping_sub_unsigned(row.cost.cpu.0);
    }
}

pub(super) fn unsigned_ns(time: i128) -> u64 {
    u64::try_from(time.max(0)).unwrap_or(u64::MAX)
}
