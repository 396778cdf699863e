//! The finished table as a tree: ticks become time, rows become nodes.

use profile::{CallLine, CalledTree, Cost, Node, NodeId, SymbolId, Table, Tree};

use super::rows::{CallTable, NONE, ROOT, Row};
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
        let parent = |row: &Row| row.parent().saturating_sub(ROOT);
        Tree {
            nodes: nodes(rows.iter(), parent, wall, cpu),
        }
    }

    /// The same of a table with rows for lines.
    pub(crate) fn called_tree(&self, wall: TickRate, cpu: TickRate) -> CalledTree {
        let mut lines: Vec<CallLine> = Vec::new();
        // The node of each row, or the nearest one above it, with the line below that.
        let mut places = Table::new((0_u32, CallLine::UNKNOWN), self.rows.len());
        for (number, row) in (0..).zip(&self.rows).skip(ROOT as usize) {
            let (node, at) = match number {
                ROOT => (0, CallLine::UNKNOWN),
                _ => places[row.parent()],
            };
            places[number] = if row.is_line() {
                (node, row.add_to(at))
            } else {
                lines.push(at);
                (index_32(lines.len() - 1), CallLine::UNKNOWN)
            };
        }
        let rows = self.rows.iter().skip(ROOT as usize);
        let rows = rows.filter(|row| !row.is_line());
        let parent = |row: &Row| match row.parent() {
            NONE => 0,
            parent => places[parent].0,
        };
        CalledTree {
            nodes: nodes(rows, parent, wall, cpu),
            lines,
        }
    }
}

fn index_32(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// The nodes of rows that begin with the root; `parent` returns the number of a row's parent.
fn nodes<'r>(
    rows: impl Iterator<Item = &'r Row> + Clone,
    parent: impl Fn(&Row) -> u32,
    wall: TickRate,
    cpu: TickRate,
) -> Vec<Node> {
    let mut own: Table<u32, Own> = rows.clone().map(Own::of).collect();
    for row in rows.clone().skip(1) {
        own[parent(row)].subtract(row);
    }
    let own = own.iter().map(|own| {
        (
            wall.signed_nanoseconds(own.wall),
            cpu.signed_nanoseconds(own.cpu),
        )
    });
    let mut times: Table<usize, (i128, i128)> = own.collect();
    let mut nodes: Vec<Node> = rows
        .map(|row| Node {
            parent: NodeId(parent(row)),
            symbol: SymbolId(row.callee()),
            cost: Cost {
                calls: row.calls,
                memory: row.cost.memory,
                peak: row.cost.peak,
                ..Cost::default()
            },
        })
        .collect();
    for (number, node) in nodes.iter_mut().enumerate().rev() {
        let (wall, cpu) = times[number];
        node.cost.wall = unsigned_ns(wall);
        node.cost.cpu = unsigned_ns(cpu);
        if number > 0 {
            let parent = &mut times[node.parent.index()];
            *parent = (parent.0 + wall, parent.1 + cpu);
        }
    }
    if let Some(root) = nodes.first_mut() {
        root.parent = NodeId::ROOT;
    }
    nodes
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
