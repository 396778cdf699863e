//! The finished table as data: ticks become time, rows become edges.

use std::collections::HashMap;

use profile::{Activation, Cost, Edge};

use crate::call_table::{NONE, ROOT, Row, Shape};
use crate::{Reading, Recorder, SymbolId, TickRate};

impl Recorder {
    /// The cost of the whole profile; zero before [`finish`](Self::finish).
    #[must_use]
    pub fn root_cost(&self, wall: TickRate, cpu: TickRate) -> Cost {
        let root = self.table.rows.get(ROOT as usize);
        root.map_or_else(Cost::default, |row| cost(row.calls, row.cost, wall, cpu))
    }

    /// All edges, in the order in which they first completed a call.
    #[must_use]
    pub fn edges(&self, wall: TickRate, cpu: TickRate) -> Vec<Edge> {
        match self.shape {
            Shape::Edges => self
                .completed_rows()
                .map(|(_, row)| Edge {
                    caller: self.activation(row.parent),
                    callee: self.activation(row.callee),
                    cost: cost(row.calls, row.cost, wall, cpu),
                })
                .collect(),
            Shape::Tree => self.folded_edges(wall, cpu),
        }
    }

    /// Folds paths into edges: the levels are counted along each path.
    fn folded_edges(&self, wall: TickRate, cpu: TickRate) -> Vec<Edge> {
        // Parents are made before their children, so one pass in row order
        // knows each row's level when its children ask.
        let levels = self.tree_levels();
        let activation = |row: u32| Activation {
            symbol: SymbolId(
                self.table
                    .rows
                    .get(row as usize)
                    .map_or(0, |row| row.callee),
            ),
            level: levels.get(row as usize).copied().unwrap_or(0),
        };
        let mut places: HashMap<(Activation, Activation), usize> = HashMap::new();
        let mut sums: Vec<(Activation, Activation, u64, Reading)> = Vec::new();
        for (number, row) in self.completed_rows() {
            let (caller, callee) = (activation(row.parent), activation(number));
            let place = *places.entry((caller, callee)).or_insert(sums.len());
            match sums.get_mut(place) {
                Some((_, _, calls, sum)) => {
                    *calls += row.calls;
                    *sum = sum.delayed_by(row.cost);
                }
                None => sums.push((caller, callee, row.calls, row.cost)),
            }
        }
        sums.into_iter()
            .map(|(caller, callee, calls, sum)| Edge {
                caller,
                callee,
                cost: cost(calls, sum, wall, cpu),
            })
            .collect()
    }

    /// For each row of a tree, how often its symbol is on the path above it.
    fn tree_levels(&self) -> Vec<u32> {
        let rows = &self.table.rows;
        let mut levels = vec![0; rows.len()];
        // Depth first, with the open symbols counted, so that a path of any
        // depth costs its length once and not once per node.
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); rows.len()];
        for (number, row) in rows.iter().enumerate().skip(2) {
            if let Some(siblings) = children.get_mut(row.parent as usize) {
                siblings.push(u32::try_from(number).unwrap_or(NONE));
            }
        }
        let mut open: HashMap<u32, u32> = HashMap::new();
        let mut walk = vec![(ROOT, false)];
        while let Some((number, is_done)) = walk.pop() {
            let Some(row) = rows.get(number as usize) else {
                continue;
            };
            let count = open.entry(row.callee).or_insert(0);
            if is_done {
                *count -= 1;
                continue;
            }
            if let Some(level) = levels.get_mut(number as usize) {
                *level = *count;
            }
            *count += 1;
            walk.push((number, true));
            if let Some(children) = children.get(number as usize) {
                walk.extend(children.iter().map(|&child| (child, false)));
            }
        }
        levels
    }

    fn completed_rows(&self) -> impl Iterator<Item = (u32, &Row)> {
        let rows = &self.table.rows;
        let numbers = self.table.completed.iter().filter(|&&number| number > ROOT);
        numbers.filter_map(|&number| rows.get(number as usize).map(|row| (number, row)))
    }

    fn activation(&self, activation: u32) -> Activation {
        let level = self.levels.get(activation);
        Activation {
            symbol: SymbolId(level.map_or(0, |it| it.symbol)),
            level: level.map_or(0, |it| it.level),
        }
    }
}

fn cost(calls: u64, sum: Reading, wall: TickRate, cpu: TickRate) -> Cost {
    Cost {
        calls,
        wall: wall.nanoseconds(sum.wall),
        cpu: cpu.nanoseconds(sum.cpu),
        memory: sum.memory,
        peak: sum.peak,
    }
}
