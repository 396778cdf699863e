//! What paths say about one function, and about each path.

use profile::NumberMap;

use super::{LEVEL_BITS, Paths, Row, Shape, parent_of};
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

/// The most functions whose sums are computed in one pass: a path has a bit for each.
const AT_ONCE: usize = 64;

/// What paths say about one function.
#[derive(Debug, Clone)]
pub(crate) struct Around {
    /// The kind of calls.
    pub(crate) shape: Shape,
    pub(crate) sums: FunctionSums,
    /// Its calls, and those that it makes, by caller and callee, whatever kind of calls they are from.
    pub(crate) edges: Paths,
}

impl Paths {
    /// The sums of one function; none if it was not called.
    #[cfg(test)]
    pub(crate) fn function(&self, name: u32) -> Option<FunctionSums> {
        self.functions_named(&[Some(name)]).pop().flatten()
    }

    /// The sums of some functions; none of those that were not called.
    pub(crate) fn functions_named(&self, names: &[Option<u32>]) -> Vec<Option<FunctionSums>> {
        if self.is_edges() {
            let names = names.iter();
            return names.map(|name| self.function_of_edges((*name)?)).collect();
        }
        let inclusive = self.inclusive();
        let mut found = Vec::with_capacity(names.len());
        for names in names.chunks(AT_ONCE) {
            found.extend(self.named_in_tree(names, &inclusive));
        }
        found
    }

    /// Wall time, CPU time and memory of each path of a tree, with callees.
    pub(super) fn inclusive(&self) -> Vec<(i64, i64, i64)> {
        let costs = self.rows.iter().map(|row| (row.wall, row.cpu, row.memory));
        let mut inclusive: Vec<(i64, i64, i64)> = costs.collect();
        // From the leaves up; callers precede their callees.
        for (index, row) in self.rows.iter().enumerate().skip(1).rev() {
            let of_row = inclusive.get(index).copied().unwrap_or_default();
            if let Some(sum) = inclusive.get_mut(parent_of(row)) {
                sum.0 = sum.0.saturating_add(of_row.0);
                sum.1 = sum.1.saturating_add(of_row.1);
                sum.2 = sum.2.saturating_add(of_row.2);
            }
        }
        inclusive
    }

    /// The same for a tree, whose [`inclusive`](Self::inclusive) costs are given, and for at most
    /// [`AT_ONCE`] functions.
    fn named_in_tree(
        &self,
        names: &[Option<u32>],
        inclusive: &[(i64, i64, i64)],
    ) -> Vec<Option<FunctionSums>> {
        let wanted = (0..).zip(names);
        let wanted = wanted.filter_map(|(bit, name)| Some((u64::from((*name)?), bit)));
        let bits: NumberMap<u64, u32> = wanted.collect();
        let mut sums: Vec<Option<FunctionSums>> = vec![None; names.len()];
        // Recursive calls are part of the outermost one.
        let mut inside: Vec<u64> = Vec::with_capacity(self.rows.len());
        for (row, &(wall, cpu, memory)) in self.rows.iter().zip(inclusive) {
            let above = inside.get(parent_of(row)).copied().unwrap_or(0);
            let Some(&bit) = bits.get(&row.to) else {
                inside.push(above);
                continue;
            };
            inside.push(above | 1 << bit);
            if let Some(sums) = sums.get_mut(bit as usize) {
                let sums = sums.get_or_insert_default();
                sums.calls = sums.calls.saturating_add(row.calls);
                sums.add_own(row);
                if above & 1 << bit == 0 {
                    sums.add_inclusive(wall, cpu, memory);
                }
            }
        }
        let of = |name: &Option<u32>| *sums.get(*bits.get(&u64::from((*name)?))? as usize)?;
        names.iter().map(of).collect()
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

    /// The sums of a function with its callers and callees; none if it was not called.
    pub(crate) fn around(&self, name: u32) -> Option<Around> {
        let inclusive = match self.shape {
            Shape::Edges => Vec::new(),
            _ => self.inclusive(),
        };
        let sums = match self.shape {
            Shape::Edges => self.function_of_edges(name)?,
            _ => {
                let found = self.named_in_tree(&[Some(name)], &inclusive);
                found.into_iter().next().flatten()?
            }
        };
        let name = u64::from(name);
        let mut edges = Self::new(Shape::Edges);
        if self.is_edges() {
            let is_near =
                |row: &Row| row.from >> LEVEL_BITS == name || row.to >> LEVEL_BITS == name;
            let rows = self.rows.iter().enumerate();
            let rows = rows.filter(|(index, row)| *index == 0 || is_near(row));
            edges.rows = rows.map(|(_, row)| *row).collect();
        } else {
            edges.rows = self.edges_around(name, &inclusive);
        }
        Some(Around {
            shape: self.shape,
            sums,
            edges,
        })
    }

    /// The calls of a function in a tree, and those that it makes. Callers are without levels of
    /// recursion.
    fn edges_around(&self, name: u64, inclusive: &[(i64, i64, i64)]) -> Vec<Row> {
        let mut edges = Vec::new();
        for ((index, row), level) in self.rows.iter().enumerate().zip(self.levels()) {
            let caller = self.rows.get(parent_of(row)).map_or(0, |caller| caller.to);
            if index > 0 && row.to != name && caller != name {
                continue;
            }
            let &(wall, cpu, memory) = inclusive.get(index).unwrap_or(&(0, 0, 0));
            edges.push(Row {
                from: if index == 0 { row.to } else { caller } << LEVEL_BITS,
                to: row.to << LEVEL_BITS | level.min((1 << LEVEL_BITS) - 1),
                wall: wall.max(0),
                cpu: cpu.max(0),
                memory,
                peak: 0,
                ln: 0,
                ..*row
            });
        }
        edges
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
    use crate::rollup::Sign;

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

    #[test]
    fn callers_are_whole_where_the_trees_of_routes_are_cut() {
        // The function 1, called by 2, as the last path of 60,000 that no other route has.
        let route = |of: u64| {
            let mut paths = Paths::new(Shape::Tree);
            let row = |from, to| Row {
                from,
                to,
                calls: 1,
                ..Row::default()
            };
            paths.rows.push(row(0, 0));
            let own = (0..60_000).map(|n| row(0, 10 + of * 60_000 + n));
            paths.rows.extend(own);
            paths.rows.extend([row(60_000, 2), row(60_001, 1)]);
            paths
        };
        let calls = |edges: &Paths| {
            let rows = edges.rows.iter();
            let called = rows.filter(|row| row.from >> LEVEL_BITS == 2);
            called.map(|row| row.calls).sum::<u64>()
        };
        let (mut whole, mut edges) = (Paths::new(Shape::Tree), Paths::new(Shape::Edges));
        for of in 0..2 {
            whole.merge(&route(of), Sign::Plus);
            edges.merge(&route(of).around(1).unwrap().edges, Sign::Plus);
        }
        assert_eq!(calls(&whole.around(1).unwrap().edges), 1, "the tree is cut");
        assert_eq!(calls(&edges), 2);
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
                prop_assert_eq!(around.as_ref().map(|of| of.sums), paths.function(number));
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
                if let Some(around) = around {
                    prop_assert_eq!(around.shape, shape);
                    let mut merged = Paths::new(Shape::Edges);
                    merged.merge(&around.edges, Sign::Plus);
                    prop_assert_eq!(neighbours(&merged), neighbours(&paths));
                }
            }
        }
    }
}
