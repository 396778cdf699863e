//! What paths say about one function, and about each path.

use super::{LEVEL_BITS, Paths, Row};
use crate::rollup::LOG_STEPS;

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

impl Paths {
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
}
