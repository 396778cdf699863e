//! The sums of all functions of a cell, in one pass.

use std::collections::BTreeMap;

use profile::NumberMap;

use super::{FunctionSums, LEVEL_BITS, Paths, Row, parent_of};

/// A function's number.
fn number(of_row: u64) -> u32 {
    u32::try_from(of_row).unwrap_or(u32::MAX)
}

impl FunctionSums {
    pub(super) fn add_own(&mut self, row: &Row) {
        self.own_wall = self.own_wall.saturating_add(row.wall);
        self.own_cpu = self.own_cpu.saturating_add(row.cpu);
        self.own_memory = self.own_memory.saturating_add(row.memory);
    }

    fn subtract_own(&mut self, row: &Row) {
        self.own_wall = self.own_wall.saturating_sub(row.wall);
        self.own_cpu = self.own_cpu.saturating_sub(row.cpu);
        self.own_memory = self.own_memory.saturating_sub(row.memory);
    }

    pub(super) fn add_inclusive(&mut self, wall: i64, cpu: i64, memory: i64) {
        self.wall = self.wall.saturating_add(wall.max(0).unsigned_abs());
        self.cpu = self.cpu.saturating_add(cpu.max(0).unsigned_abs());
        self.memory = self.memory.saturating_add(memory);
    }
}

impl Paths {
    /// The sums of each function that was called, as [`functions_named`](Self::functions_named)
    /// has those of some.
    pub(crate) fn functions(&self) -> BTreeMap<u32, FunctionSums> {
        if self.is_edges() {
            self.functions_of_edges()
        } else {
            self.functions_of_tree()
        }
    }

    fn functions_of_edges(&self) -> BTreeMap<u32, FunctionSums> {
        let mut functions: BTreeMap<u32, FunctionSums> = BTreeMap::new();
        for (index, row) in self.rows.iter().enumerate() {
            let (caller, callee) = (row.from >> LEVEL_BITS, row.to >> LEVEL_BITS);
            let sums = functions.entry(number(callee)).or_default();
            sums.calls = sums.calls.saturating_add(row.calls);
            sums.add_own(row);
            let is_outermost = row.to & ((1 << LEVEL_BITS) - 1) == 0;
            if index == 0 || is_outermost && caller != callee {
                sums.add_inclusive(row.wall, row.cpu, row.memory);
            }
        }
        for row in self.rows.iter().skip(1) {
            if let Some(sums) = functions.get_mut(&number(row.from >> LEVEL_BITS)) {
                sums.subtract_own(row);
            }
        }
        functions
    }

    fn functions_of_tree(&self) -> BTreeMap<u32, FunctionSums> {
        let mut functions: BTreeMap<u32, FunctionSums> = BTreeMap::new();
        let costs = self.levels().into_iter().zip(self.inclusive());
        for (row, (level, (wall, cpu, memory))) in self.rows.iter().zip(costs) {
            let sums = functions.entry(number(row.to)).or_default();
            sums.calls = sums.calls.saturating_add(row.calls);
            sums.add_own(row);
            // Recursive calls are part of the outermost one.
            if level == 0 {
                sums.add_inclusive(wall, cpu, memory);
            }
        }
        functions
    }

    /// How many calls of the same function are open around each path of a tree.
    pub(super) fn levels(&self) -> Vec<u64> {
        let mut callees: Vec<Vec<usize>> = vec![Vec::new(); self.rows.len()];
        // Callers precede their callees.
        for (index, row) in self.rows.iter().enumerate().skip(1) {
            if let Some(callees) = callees.get_mut(parent_of(row)) {
                callees.push(index);
            }
        }
        let mut levels = vec![0; self.rows.len()];
        let mut open: NumberMap<u64, u64> = NumberMap::default();
        // A row is met once before its callees, and once after them.
        let mut steps: Vec<(usize, bool)> = vec![(0, true)];
        while let Some((index, is_begin)) = steps.pop() {
            let (Some(row), Some(level)) = (self.rows.get(index), levels.get_mut(index)) else {
                continue;
            };
            let open = open.entry(row.to).or_default();
            if !is_begin {
                *open = open.saturating_sub(1);
                continue;
            }
            *level = *open;
            *open += 1;
            steps.push((index, false));
            let callees = callees.get(index).into_iter().flatten();
            steps.extend(callees.map(|callee| (*callee, true)));
        }
        levels
    }
}
