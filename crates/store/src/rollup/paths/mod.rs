//! The sums of a cell's call paths, or of its edges if its runs have only
//! edges.
//!
//! A row of a tree has its parent's number and its function. A row of edges has
//! its caller and its callee, each with its level of recursion. Row 0 is the
//! root.

mod all_functions;
mod columns;
mod compared;
mod functions;
mod shape;
mod to_profile;

use profile::{Activation, Edge, EdgeTable, NumberMap, Profile};

use super::{MAX_COST, Sign, bounded, log_own};

pub use functions::PathSums;
pub(crate) use functions::{Around, FunctionSums};
pub(crate) use shape::Shape;

/// The most rows of a cell. Costs of paths beyond it belong to the nearest path
/// that has a row.
const MAX_PATHS: usize = 100_000;

/// How many bits of a row's end are the level of recursion, for edges.
const LEVEL_BITS: u32 = 12;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Row {
    /// The parent's number, or the caller.
    from: u64,
    /// The function, or the callee.
    to: u64,
    runs: u64,
    calls: u64,
    /// Of a tree self costs; of edges inclusive ones.
    wall: i64,
    cpu: i64,
    memory: i64,
    peak: i64,
    ln: u64,
}

/// The sums of all paths of a cell.
#[derive(Debug, Clone)]
pub(crate) struct Paths {
    shape: Shape,
    rows: Vec<Row>,
    places: NumberMap<(u64, u64), u32>,
}

impl Paths {
    /// No calls.
    pub(crate) fn new(shape: Shape) -> Self {
        Self {
            shape,
            rows: Vec::new(),
            places: NumberMap::default(),
        }
    }

    /// Those of one run. Functions are the numbers of its symbols, until
    /// [`renamed`](Self::renamed).
    pub(crate) fn of(profile: &Profile) -> Self {
        let mut paths = Self::new(Shape::of(profile));
        match profile.tree() {
            Some(tree) => {
                for (node, own) in tree.nodes.iter().zip(tree.self_costs()) {
                    paths.rows.push(Row {
                        from: u64::from(node.parent.0),
                        to: u64::from(node.symbol.0),
                        runs: 1,
                        calls: node.cost.calls.min(MAX_COST),
                        wall: bounded(own.wall),
                        cpu: bounded(own.cpu),
                        memory: bounded(own.memory),
                        peak: bounded(own.peak),
                        ln: log_own(own.wall),
                    });
                }
            }
            None => {
                let edges = profile.edges();
                let root = Edge {
                    caller: EdgeTable::ROOT,
                    callee: EdgeTable::ROOT,
                    cost: edges.root,
                };
                for edge in std::iter::once(&root).chain(&edges.edges) {
                    paths.rows.push(Row {
                        from: packed(edge.caller),
                        to: packed(edge.callee),
                        runs: 1,
                        calls: edge.cost.calls.min(MAX_COST),
                        wall: bounded(signed(edge.cost.wall)),
                        cpu: bounded(signed(edge.cost.cpu)),
                        memory: bounded(edge.cost.memory),
                        peak: bounded(edge.cost.peak),
                        ln: log_own(signed(edge.cost.wall)),
                    });
                }
            }
        }
        paths
    }

    /// The kind of calls.
    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// The number of paths.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    fn is_edges(&self) -> bool {
        self.shape == Shape::Edges
    }

    /// With each function's number replaced.
    pub(crate) fn renamed(mut self, names: &[u32]) -> Self {
        let name = |symbol: u64| -> u64 {
            let index = usize::try_from(symbol).unwrap_or(usize::MAX);
            names.get(index).copied().map_or(0, u64::from)
        };
        let is_edges = self.is_edges();
        for row in &mut self.rows {
            if is_edges {
                row.from = renamed_end(row.from, name);
                row.to = renamed_end(row.to, name);
            } else {
                row.to = name(row.to);
            }
        }
        self
    }

    /// Adds or subtracts others of the same shape.
    pub(crate) fn merge(&mut self, other: &Self, sign: Sign) {
        let mut places: Vec<u32> = Vec::with_capacity(other.rows.len());
        let mut last = 0;
        for (index, row) in other.rows.iter().enumerate() {
            let parent = usize::try_from(row.from)
                .ok()
                .and_then(|from| places.get(from))
                .copied()
                .unwrap_or(0);
            // The root has one row, whatever it is called.
            let place = if index == 0 {
                self.root(row)
            } else {
                let from = if self.is_edges() {
                    row.from
                } else {
                    u64::from(parent)
                };
                // Cells of a route have most of their paths in the same order.
                let next: u32 = last + 1;
                let expected = self.rows.get(next as usize);
                match expected.is_some_and(|sum| (sum.from, sum.to) == (from, row.to)) {
                    true => next,
                    false => self.place(from, row.to).unwrap_or(parent),
                }
            };
            last = place;
            if let Some(sum) = self.rows.get_mut(place as usize) {
                sum.runs = sign.count(sum.runs, row.runs);
                sum.calls = sign.count(sum.calls, row.calls);
                sum.wall = sign.signed(sum.wall, row.wall);
                sum.cpu = sign.signed(sum.cpu, row.cpu);
                sum.memory = sign.signed(sum.memory, row.memory);
                sum.peak = sign.signed(sum.peak, row.peak);
                sum.ln = sign.count(sum.ln, row.ln);
            }
            places.push(place);
        }
    }

    /// All sums that many times.
    pub(crate) fn times(mut self, weight: u64) -> Self {
        if weight == 1 {
            return self;
        }
        for row in &mut self.rows {
            let signed = |sum: i64| sum.saturating_mul(i64::try_from(weight).unwrap_or(i64::MAX));
            row.runs = row.runs.saturating_mul(weight);
            row.calls = row.calls.saturating_mul(weight);
            row.wall = signed(row.wall);
            row.cpu = signed(row.cpu);
            row.memory = signed(row.memory);
            row.peak = signed(row.peak);
            row.ln = row.ln.saturating_mul(weight);
        }
        self
    }

    fn root(&mut self, row: &Row) -> u32 {
        if self.rows.is_empty() {
            self.rows.push(Row {
                from: row.from,
                to: row.to,
                ..Row::default()
            });
        }
        0
    }

    /// The row of a path, which is added if it is new; none if there are too
    /// many.
    fn place(&mut self, from: u64, to: u64) -> Option<u32> {
        let next = u32::try_from(self.rows.len()).ok()?;
        if self.rows.len() >= MAX_PATHS {
            return self.places.get(&(from, to)).copied();
        }
        let place = *self.places.entry((from, to)).or_insert(next);
        if place == next {
            self.rows.push(Row {
                from,
                to,
                ..Row::default()
            });
        }
        Some(place)
    }

    /// All numbers of names in it, some of them repeatedly.
    pub(crate) fn names(&self) -> impl Iterator<Item = u32> + '_ {
        let name = |end: u64| {
            let name = if self.is_edges() {
                end >> LEVEL_BITS
            } else {
                end
            };
            u32::try_from(name).unwrap_or(0)
        };
        let callers = self.rows.iter().map(|row| row.from);
        let callees = self.rows.iter().map(|row| row.to);
        let callers = callers.take(if self.is_edges() { usize::MAX } else { 0 });
        callers.chain(callees).map(name)
    }
}

/// The number of the parent of a tree's row.
fn parent_of(row: &Row) -> usize {
    usize::try_from(row.from).unwrap_or(usize::MAX)
}

fn signed(cost: u64) -> i64 {
    i64::try_from(cost).unwrap_or(i64::MAX)
}

fn packed(end: Activation) -> u64 {
    let level = u64::from(end.level).min((1 << LEVEL_BITS) - 1);
    u64::from(end.symbol.0) << LEVEL_BITS | level
}

fn renamed_end(end: u64, name: impl Fn(u64) -> u64) -> u64 {
    name(end >> LEVEL_BITS) << LEVEL_BITS | end & ((1 << LEVEL_BITS) - 1)
}

impl Paths {
    /// Ready for [`merge`](Self::merge), after it was read.
    pub(crate) fn indexed(mut self) -> Self {
        let rows = (0_u32..).zip(&self.rows).skip(1);
        self.places = rows
            .map(|(number, row)| ((row.from, row.to), number))
            .collect();
        self
    }
}
