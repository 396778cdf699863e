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

    /// That many times.
    pub(crate) fn times(self, weight: u64) -> Self {
        let signed = i64::try_from(weight).unwrap_or(i64::MAX);
        Self {
            calls: self.calls.saturating_mul(weight),
            wall: self.wall.saturating_mul(weight),
            cpu: self.cpu.saturating_mul(weight),
            memory: self.memory.saturating_mul(signed),
            own_wall: self.own_wall.saturating_mul(signed),
            own_cpu: self.own_cpu.saturating_mul(signed),
            own_memory: self.own_memory.saturating_mul(signed),
        }
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

    /// Only the paths to a function and to its callees. The costs of the others
    /// belong to the nearest path that stays: costs with callees are as before.
    pub(crate) fn around(&self, name: u32) -> Self {
        let name = u64::from(name);
        let mut reduced = Self::new(self.shape);
        if self.is_edges() {
            let is_near =
                |row: &Row| row.from >> LEVEL_BITS == name || row.to >> LEVEL_BITS == name;
            let rows = self.rows.iter().enumerate();
            let rows = rows.filter(|(index, row)| *index == 0 || is_near(row));
            reduced.rows = rows.map(|(_, row)| *row).collect();
            return reduced;
        }
        let parent_of = |row: &Row| usize::try_from(row.from).unwrap_or(usize::MAX);
        let is_callee = |row: &Row| {
            let caller = self.rows.get(parent_of(row));
            row.to == name || caller.is_some_and(|caller| caller.to == name)
        };
        let mut stays: Vec<bool> = self.rows.iter().map(is_callee).collect();
        // The callers, from the leaves up.
        for (index, row) in self.rows.iter().enumerate().skip(1).rev() {
            if stays.get(index) == Some(&true)
                && let Some(caller) = stays.get_mut(parent_of(row))
            {
                *caller = true;
            }
        }
        let mut places: Vec<usize> = Vec::with_capacity(self.rows.len());
        for (index, row) in self.rows.iter().enumerate() {
            let parent = places.get(parent_of(row)).copied().unwrap_or(0);
            if index == 0 || stays.get(index) == Some(&true) {
                places.push(reduced.rows.len());
                let from = if index == 0 { row.from } else { parent as u64 };
                reduced.rows.push(Row { from, ..*row });
                continue;
            }
            places.push(parent);
            if let Some(sum) = reduced.rows.get_mut(parent) {
                sum.wall = sum.wall.saturating_add(row.wall);
                sum.cpu = sum.cpu.saturating_add(row.cpu);
                sum.memory = sum.memory.saturating_add(row.memory);
                sum.peak = sum.peak.saturating_add(row.peak);
            }
        }
        reduced
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use profile::{Neighbours, Symbol, SymbolId};
    use proptest::prelude::*;

    use super::*;
    use crate::rollup::Shape;

    /// Paths of six functions, which call each other and themselves.
    fn paths(shape: Shape, rows: &[(usize, u64, u64)]) -> Paths {
        let mut paths = Paths::new(shape);
        paths.rows.push(Row {
            calls: 1,
            wall: 5,
            ..Row::default()
        });
        for &(from, to, cost) in rows {
            let (from, to) = if shape == Shape::Edges {
                let level = cost % 2;
                ((from as u64 % 6) << LEVEL_BITS, to << LEVEL_BITS | level)
            } else {
                ((from % paths.rows.len()) as u64, to)
            };
            // As in a cell, each path is there once.
            if paths
                .rows
                .iter()
                .any(|row| (row.from, row.to) == (from, to))
            {
                continue;
            }
            let own = i64::try_from(cost).unwrap();
            paths.rows.push(Row {
                from,
                to,
                runs: 1,
                calls: cost,
                wall: 3 * own,
                cpu: 2 * own,
                memory: own - 50,
                ..Row::default()
            });
        }
        paths
    }

    proptest! {
        #[test]
        fn all_functions_have_the_sums_of_each(
            rows in prop::collection::vec((0..100_usize, 0..6_u64, 1..100_u64), 0..60),
            is_edges: bool,
            weight in 1..5_u64,
        ) {
            let shape = if is_edges { Shape::Edges } else { Shape::Tree };
            let paths = paths(shape, &rows);
            let all = paths.functions();
            let weighted = paths.clone().times(weight);
            for number in 0..6_u32 {
                let sums = all.get(&number).copied();
                prop_assert_eq!(sums, paths.function(number));
                let times = sums.map(|sums| sums.times(weight));
                prop_assert_eq!(times, weighted.function(number));
            }
        }

        #[test]
        fn the_paths_around_a_function_say_the_same_of_it(
            rows in prop::collection::vec((0..100_usize, 0..6_u64, 1..100_u64), 0..60),
            is_edges: bool,
        ) {
            let shape = if is_edges { Shape::Edges } else { Shape::Tree };
            let paths = paths(shape, &rows);
            let names: Vec<Symbol> = (0..6).map(|n| Symbol::new(vec![b'a' + n])).collect();
            for number in 0..6_u32 {
                let around = paths.around(number);
                prop_assert!(around.len() <= paths.len());
                prop_assert_eq!(around.function(number), paths.function(number));
                let neighbours = |paths: &Paths| {
                    let profile = paths.to_profile(&names);
                    let name = &names[number as usize].name;
                    let symbol = profile.symbols.iter().position(|one| one.name == *name)?;
                    let symbol = SymbolId(u32::try_from(symbol).unwrap());
                    let found = Neighbours::new(&profile.edges(), symbol);
                    let named = |rows: Vec<profile::Neighbour>| -> BTreeMap<Vec<u8>, profile::Cost> {
                        rows.iter()
                            .map(|row| (profile.name(row.symbol).to_vec(), row.cost))
                            .collect()
                    };
                    Some((named(found.callers), named(found.callees)))
                };
                if paths.function(number).is_some() {
                    prop_assert_eq!(neighbours(&around), neighbours(&paths));
                }
            }
        }
    }
}
