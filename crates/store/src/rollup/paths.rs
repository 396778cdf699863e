//! The sums of a cell's call paths, or of its edges if its runs have only
//! edges.
//!
//! A row of a tree has its parent's number and its function. A row of edges has
//! its caller and its callee, each with its level of recursion. Row 0 is the
//! root.

use profile::{
    Activation, Body, Cost, Edge, EdgeTable, Metrics, NodeId, NumberMap, Profile, SelfCost, Symbol,
    SymbolId, TreeBuilder, WallUnit,
};
use serde::{Deserialize, Serialize};

use super::columns::sparse;
use super::{LOG_STEPS, Sign, log_own};

/// The most rows of a cell. Costs of paths beyond it belong to the nearest path
/// that has a row.
const MOST: usize = 100_000;

/// How many bits of a row's end are the level of recursion, for edges.
const LEVEL_BITS: u32 = 12;

/// What kind of calls the runs of a cell have. Runs of different kinds are kept
/// in different cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Shape {
    /// Whole paths, every call measured.
    Tree,
    /// Callers and callees.
    Edges,
    /// Whole paths, without calls.
    Samples,
}

impl Shape {
    /// The shape of a profile's sums.
    pub(crate) fn of(profile: &Profile) -> Self {
        match profile.body {
            Body::Tree(_) | Body::Events(_) if !profile.metrics.calls => Self::Samples,
            Body::Tree(_) | Body::Events(_) => Self::Tree,
            Body::Edges(_) => Self::Edges,
            Body::Samples(_) => Self::Samples,
        }
    }

    /// Its number in the database.
    pub(crate) fn number(self) -> i64 {
        match self {
            Self::Tree => 0,
            Self::Edges => 1,
            Self::Samples => 2,
        }
    }

    /// The shape with that number.
    pub(crate) fn from_number(number: i64) -> Self {
        match number {
            1 => Self::Edges,
            2 => Self::Samples,
            _ => Self::Tree,
        }
    }
}

/// The sums of one path.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PathSums {
    /// The number of the caller's path; none for the root.
    pub parent: Option<u32>,
    /// The number of the function's name.
    pub name: u32,
    /// The runs that called it.
    pub runs: u64,
    /// The calls.
    pub calls: u64,
    /// Self wall time, in nanoseconds.
    pub own_wall: i64,
    /// Self CPU time, in nanoseconds.
    pub own_cpu: i64,
    /// Self change of memory, in bytes.
    pub own_memory: i64,
    /// The sum, over the runs that called it, of ln(1 + microseconds) of the
    /// self wall time.
    pub ln_own: f64,
}

/// The sums of one function, over all of its paths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct FunctionSums {
    pub(crate) calls: u64,
    pub(crate) wall: u64,
    pub(crate) cpu: u64,
    pub(crate) memory: i64,
    pub(crate) own_wall: i64,
    pub(crate) own_cpu: i64,
    pub(crate) own_memory: i64,
}

impl FunctionSums {
    /// Adds others.
    pub(crate) fn add(&mut self, other: &Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.wall = self.wall.saturating_add(other.wall);
        self.cpu = self.cpu.saturating_add(other.cpu);
        self.memory = self.memory.saturating_add(other.memory);
        self.own_wall = self.own_wall.saturating_add(other.own_wall);
        self.own_cpu = self.own_cpu.saturating_add(other.own_cpu);
        self.own_memory = self.own_memory.saturating_add(other.own_memory);
    }
}

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
                        calls: node.cost.calls,
                        wall: own.wall,
                        cpu: own.cpu,
                        memory: own.memory,
                        peak: own.peak,
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
                        calls: edge.cost.calls,
                        wall: signed(edge.cost.wall),
                        cpu: signed(edge.cost.cpu),
                        memory: edge.cost.memory,
                        peak: edge.cost.peak,
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
                self.place(from, row.to).unwrap_or(parent)
            };
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
        if self.rows.len() >= MOST {
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

    /// The numbers of all functions that were called.
    pub(crate) fn distinct_names(&self) -> Vec<u32> {
        let names: std::collections::BTreeSet<u32> = self.names().collect();
        names.into_iter().collect()
    }

    /// The sums of one function; none if it was not called.
    pub(crate) fn function(&self, name: u32) -> Option<FunctionSums> {
        if self.is_edges() {
            return self.function_of_edges(name);
        }
        let is_it = |row: &Row| row.to == u64::from(name);
        if !self.rows.iter().any(is_it) {
            return None;
        }
        let mut sums = FunctionSums::default();
        // With callees, from the leaves up; callers precede their callees.
        let mut inclusive: Vec<(i64, i64, i64)> = self
            .rows
            .iter()
            .map(|row| (row.wall, row.cpu, row.memory))
            .collect();
        for (index, row) in self.rows.iter().enumerate().skip(1).rev() {
            let own = inclusive.get(index).copied().unwrap_or_default();
            let parent = usize::try_from(row.from).unwrap_or(usize::MAX);
            if let Some(sum) = inclusive.get_mut(parent) {
                sum.0 = sum.0.saturating_add(own.0);
                sum.1 = sum.1.saturating_add(own.1);
                sum.2 = sum.2.saturating_add(own.2);
            }
        }
        // Recursive calls are part of the outermost one.
        let mut is_inside = vec![false; self.rows.len()];
        for (index, row) in self.rows.iter().enumerate() {
            let parent = usize::try_from(row.from).unwrap_or(usize::MAX);
            let is_below = index > 0 && is_inside.get(parent).copied().unwrap_or(false);
            if is_it(row) {
                sums.calls = sums.calls.saturating_add(row.calls);
                sums.own_wall = sums.own_wall.saturating_add(row.wall);
                sums.own_cpu = sums.own_cpu.saturating_add(row.cpu);
                sums.own_memory = sums.own_memory.saturating_add(row.memory);
                if !is_below && let Some((wall, cpu, memory)) = inclusive.get(index) {
                    sums.wall = sums.wall.saturating_add(wall.max(&0).unsigned_abs());
                    sums.cpu = sums.cpu.saturating_add(cpu.max(&0).unsigned_abs());
                    sums.memory = sums.memory.saturating_add(*memory);
                }
            }
            if let Some(inside) = is_inside.get_mut(index) {
                *inside = is_below || is_it(row);
            }
        }
        Some(sums)
    }

    fn function_of_edges(&self, name: u32) -> Option<FunctionSums> {
        let name = u64::from(name);
        let mut sums = FunctionSums::default();
        let mut is_called = false;
        for (index, row) in self.rows.iter().enumerate() {
            let (caller, callee) = (row.from >> LEVEL_BITS, row.to >> LEVEL_BITS);
            if callee == name {
                is_called = true;
                sums.calls = sums.calls.saturating_add(row.calls);
                sums.own_wall = sums.own_wall.saturating_add(row.wall);
                sums.own_cpu = sums.own_cpu.saturating_add(row.cpu);
                sums.own_memory = sums.own_memory.saturating_add(row.memory);
                let is_outermost = row.to & ((1 << LEVEL_BITS) - 1) == 0;
                if index == 0 || is_outermost && caller != callee {
                    sums.wall = sums.wall.saturating_add(row.wall.max(0).unsigned_abs());
                    sums.cpu = sums.cpu.saturating_add(row.cpu.max(0).unsigned_abs());
                    sums.memory = sums.memory.saturating_add(row.memory);
                }
            }
            if index > 0 && caller == name {
                sums.own_wall = sums.own_wall.saturating_sub(row.wall);
                sums.own_cpu = sums.own_cpu.saturating_sub(row.cpu);
                sums.own_memory = sums.own_memory.saturating_sub(row.memory);
            }
        }
        is_called.then_some(sums)
    }

    /// The paths for the search of regressions; none for edges.
    pub(crate) fn sums(&self) -> Vec<PathSums> {
        if self.is_edges() {
            return Vec::new();
        }
        let rows = self.rows.iter().enumerate();
        rows.map(|(index, row)| PathSums {
            parent: (index > 0).then(|| u32::try_from(row.from).unwrap_or(0)),
            name: u32::try_from(row.to).unwrap_or(0),
            runs: row.runs,
            calls: row.calls,
            own_wall: row.wall,
            own_cpu: row.cpu,
            own_memory: row.memory,
            #[expect(clippy::cast_precision_loss, reason = "a sum of logarithms")]
            ln_own: row.ln as f64 / LOG_STEPS,
        })
        .collect()
    }

    /// As a profile, with these names.
    pub(crate) fn to_profile(&self, names: &[Symbol]) -> Profile {
        let mut symbols = vec![Symbol::new(Symbol::MAIN)];
        let mut numbers: NumberMap<u32, SymbolId> = NumberMap::default();
        // The root is symbol 0, whatever its name: an entry point of another tool.
        if let Some(root) = self.names().next() {
            numbers.insert(root, SymbolId::ROOT);
            if let Some(name) = names.get(root as usize) {
                symbols = vec![name.clone()];
            }
        }
        let mut number = |name: u32| {
            *numbers.entry(name).or_insert_with(|| {
                let next = SymbolId(u32::try_from(symbols.len()).unwrap_or(u32::MAX));
                let symbol = names.get(name as usize).cloned();
                symbols.push(symbol.unwrap_or_else(|| Symbol::new(*b"[unknown]")));
                next
            })
        };
        let body = if self.is_edges() {
            Body::Edges(self.to_edges(&mut number))
        } else {
            let mut builder = TreeBuilder::new();
            let mut places = Vec::with_capacity(self.rows.len());
            for (index, row) in self.rows.iter().enumerate() {
                let place = if index == 0 {
                    NodeId::ROOT
                } else {
                    let parent = usize::try_from(row.from)
                        .ok()
                        .and_then(|from| places.get(from))
                        .copied()
                        .unwrap_or(NodeId::ROOT);
                    builder.child(parent, number(u32::try_from(row.to).unwrap_or(0)))
                };
                let cost = builder.cost(place);
                cost.calls = cost.calls.saturating_add(row.calls);
                builder.add_self(
                    place,
                    SelfCost {
                        wall: row.wall,
                        cpu: row.cpu,
                        memory: row.memory,
                        peak: row.peak,
                    },
                );
                places.push(place);
            }
            Body::Tree(builder.finish_signed_self_costs())
        };
        Profile {
            symbols,
            body,
            metrics: Metrics {
                calls: self.rows.iter().any(|row| row.calls > 0),
                wall_unit: WallUnit::Nanoseconds,
                cpu: self.rows.iter().any(|row| row.cpu != 0),
                memory: self.rows.iter().any(|row| row.memory != 0 || row.peak != 0),
            },
            ..Profile::empty()
        }
    }

    fn to_edges(&self, number: &mut impl FnMut(u32) -> SymbolId) -> EdgeTable {
        let mut table = EdgeTable::default();
        for (index, row) in self.rows.iter().enumerate() {
            let cost = Cost {
                calls: row.calls,
                wall: row.wall.max(0).unsigned_abs(),
                cpu: row.cpu.max(0).unsigned_abs(),
                memory: row.memory,
                peak: row.peak,
            };
            if index == 0 {
                table.root = cost;
                continue;
            }
            let mut end = |packed: u64| Activation {
                symbol: number(u32::try_from(packed >> LEVEL_BITS).unwrap_or(0)),
                level: u32::try_from(packed & ((1 << LEVEL_BITS) - 1)).unwrap_or(0),
            };
            table.edges.push(Edge {
                caller: end(row.from),
                callee: end(row.to),
                cost,
            });
        }
        table
    }
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

/// The rows by column. A tree's parents are stored as distances.
#[derive(Serialize, Deserialize)]
struct Columns {
    shape: u8,
    from: Vec<u64>,
    to: Vec<u64>,
    runs: Vec<u64>,
    calls: Vec<u64>,
    wall: Vec<i64>,
    has_cpu: bool,
    /// Wall time less CPU time: zero for most functions.
    waited: Vec<i64>,
    memory: Vec<i64>,
    peak: Vec<i64>,
    ln: Vec<u64>,
}

impl Serialize for Paths {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rows = || self.rows.iter();
        let has_cpu = rows().any(|row| row.cpu != 0);
        Columns {
            shape: u8::try_from(self.shape.number()).unwrap_or(0),
            from: (0..)
                .zip(rows())
                .map(|(index, row): (u64, &Row)| {
                    if self.is_edges() {
                        row.from
                    } else {
                        index.saturating_sub(row.from)
                    }
                })
                .collect(),
            to: rows().map(|row| row.to).collect(),
            runs: sparse(rows().map(|row| row.runs).collect()),
            calls: sparse(rows().map(|row| row.calls).collect()),
            wall: sparse(rows().map(|row| row.wall).collect()),
            has_cpu,
            waited: if has_cpu {
                sparse(rows().map(|row| row.wall.wrapping_sub(row.cpu)).collect())
            } else {
                Vec::new()
            },
            memory: sparse(rows().map(|row| row.memory).collect()),
            peak: sparse(rows().map(|row| row.peak).collect()),
            ln: sparse(rows().map(|row| row.ln).collect()),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Paths {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let columns = Columns::deserialize(deserializer)?;
        let shape = Shape::from_number(i64::from(columns.shape));
        let mut rows = Vec::with_capacity(columns.to.len());
        for (index, &to) in columns.to.iter().enumerate() {
            fn at<T: Copy + Default>(column: &[T], index: usize) -> T {
                column.get(index).copied().unwrap_or_default()
            }
            let from = at(&columns.from, index);
            rows.push(Row {
                from: if shape == Shape::Edges {
                    from
                } else {
                    (index as u64).saturating_sub(from)
                },
                to,
                runs: at(&columns.runs, index),
                calls: at(&columns.calls, index),
                wall: at(&columns.wall, index),
                cpu: if columns.has_cpu {
                    at(&columns.wall, index).wrapping_sub(at(&columns.waited, index))
                } else {
                    0
                },
                memory: at(&columns.memory, index),
                peak: at(&columns.peak, index),
                ln: at(&columns.ln, index),
            });
        }
        Ok(Self {
            shape,
            rows,
            // Only a cell that is added to needs it: `indexed`.
            places: NumberMap::default(),
        })
    }
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

impl PartialEq for Paths {
    fn eq(&self, other: &Self) -> bool {
        self.shape == other.shape && self.canonical() == other.canonical()
    }
}

impl Paths {
    /// The rows without their numbers, which depend on the order of adding.
    fn canonical(&self) -> Vec<(Vec<u64>, Row)> {
        let mut paths: Vec<Vec<u64>> = Vec::with_capacity(self.rows.len());
        let mut rows = Vec::with_capacity(self.rows.len());
        for (index, row) in self.rows.iter().enumerate() {
            let mut path = if self.is_edges() || index == 0 {
                vec![row.from]
            } else {
                let parent = usize::try_from(row.from).ok();
                let parent = parent.and_then(|parent| paths.get(parent));
                parent.cloned().unwrap_or_default()
            };
            path.push(row.to);
            paths.push(path.clone());
            if row.runs > 0 {
                rows.push((path, Row { from: 0, ..*row }));
            }
        }
        rows.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        rows
    }
}
