//! Makes a route of its hours: the windows, and the series of each family.
//!
//! What only the series need is here and not in [`Route`]: the hours, and how each
//! path varied in each window. It is gone when the route is made.

use std::collections::BTreeMap;

use crate::Options;
use crate::input::{Block, RouteHours};
use crate::plan::Plan;
use crate::series::{Family, Reason, Route, Rows, Series, self_ns};
use crate::window::{Details, Window};

/// The fewest runs that call a path in each window, for a mean of logarithms.
const MIN_PATH_RUNS: f64 = 8.0;

/// A path of a function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WeightedPath {
    pub(crate) path: usize,
    /// Its share of the function's time.
    pub(crate) weight: f64,
    /// By how much it changes, if the functions of its route change by one.
    pub(crate) response: f64,
}

/// A route that is being made.
#[derive(Debug)]
pub(crate) struct Making<'h> {
    pub(crate) route: Route,
    /// The blocks of each window.
    pub(crate) blocks: Vec<Vec<&'h Block>>,
    /// How the paths of each window varied.
    pub(crate) details: Vec<Details>,
    /// The paths of each series of a function's time; those are the first series.
    pub(crate) parts: Vec<Vec<WeightedPath>>,
}

impl<'h> Making<'h> {
    /// The route's windows and series. Windows with too few runs are left out.
    ///
    /// The numbers in `hours` are checked here, and trusted from here on.
    pub(crate) fn route(
        hours: RouteHours<'h>,
        plan: &Plan,
        number: u32,
        options: &Options,
    ) -> Result<Route, Reason> {
        let mut making = Self::new(hours, plan, number, options)?;
        making.times();
        making.calls(options);
        making.memories();
        making.totals();
        let rows = making.rows();
        Ok(Route {
            rows,
            ..making.route
        })
    }

    fn new(
        hours: RouteHours<'h>,
        plan: &Plan,
        number: u32,
        options: &Options,
    ) -> Result<Self, Reason> {
        if !hours.is_consistent() {
            return Err(Reason::Numbers);
        }
        let before = plan.before.len();
        let mut blocks: Vec<Vec<&'h Block>> = vec![Vec::new(); before + plan.after.len()];
        for block in hours.blocks {
            let is_released = block.release == number;
            if let Some(place) = plan.window(block.hour, is_released)
                && let Some(blocks) = blocks.get_mut(place)
            {
                blocks.push(block);
            }
        }
        let runs = |blocks: &[&Block]| blocks.iter().map(|block| block.runs).sum::<u64>();
        let first = blocks.get(before).map_or(&[][..], Vec::as_slice);
        if runs(first) < options.least_runs {
            return Err(Reason::Runs {
                runs: runs(first),
                needed: options.least_runs,
            });
        }
        if first.len() < options.least_blocks {
            return Err(Reason::Hours {
                blocks: first.len(),
                needed: options.least_blocks,
            });
        }
        let is_full = |(_, (blocks, _)): &(usize, (Vec<&Block>, &i64))| {
            runs(blocks) >= options.least_runs && blocks.len() >= options.least_blocks
        };
        let starts = plan.before.iter().chain(&plan.after);
        let windows = blocks.into_iter().zip(starts).enumerate();
        // A later look needs each window after the release.
        let windows = windows.take_while(|window| window.0 < before || is_full(window));
        let windows: Vec<_> = windows.filter(is_full).collect();
        let history = windows.iter().filter(|window| window.0 < before).count();
        if history < options.least_history {
            return Err(Reason::History {
                windows: history,
                needed: options.least_history,
            });
        }
        let (starts, blocks): (Vec<i64>, Vec<_>) = windows
            .into_iter()
            .map(|(_, (blocks, start))| (*start, blocks))
            .unzip();
        let windows = blocks.iter().map(|blocks| Window::of(hours.paths, blocks));
        let (windows, details) = windows.unzip();
        Ok(Self {
            route: Route {
                name: hours.route.to_owned(),
                functions: hours.functions.to_vec(),
                paths: hours.paths.to_vec(),
                windows,
                starts,
                history,
                series: Vec::new(),
                exact: Vec::new(),
                rows: Rows::default(),
            },
            blocks,
            details,
            parts: Vec::new(),
        })
    }

    fn times(&mut self) {
        let total: f64 = (0..self.route.paths.len())
            .map(|path| self.route.before(path, self_ns))
            .sum();
        let mut paths_of: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (place, path) in self.route.paths.iter().enumerate() {
            paths_of.entry(path.function).or_default().push(place);
        }
        let responses = self.responses();
        for (function, paths) in paths_of {
            let is_dense = |path: &&usize| {
                let is_dense = |of: &Details| of.paths[**path].runs >= MIN_PATH_RUNS;
                self.details.iter().all(is_dense)
            };
            let paths: Vec<(usize, f64)> = paths
                .iter()
                .filter(is_dense)
                .map(|&path| (path, self.route.before(path, self_ns)))
                .collect();
            let sum: f64 = paths.iter().map(|path| path.1).sum();
            if sum <= 0.0 {
                continue;
            }
            let parts: Vec<WeightedPath> = paths
                .iter()
                .map(|&(path, weight)| WeightedPath {
                    path,
                    weight: weight / sum,
                    response: responses[path],
                })
                .collect();
            let mean = |details: &Details| {
                let (mut mean, mut deviation) = (0.0, 0.0);
                for part in &parts {
                    let of = &details.paths[part.path];
                    mean += part.weight * (of.ln_self - part.response * of.deviations.common());
                    // As if the paths of a function varied together.
                    deviation += part.weight * of.deviations.within(part.response).sqrt();
                }
                (mean, deviation * deviation)
            };
            let (values, within) = self.details.iter().map(mean).unzip();
            self.route.series.push(Series {
                family: Family::Time,
                number: function,
                weight: sum / total.max(1.0),
                values,
                within,
                response: parts.iter().map(|part| part.weight * part.response).sum(),
                rest: None,
            });
            self.parts.push(parts);
        }
    }

    fn memories(&mut self) {
        let mut of: BTreeMap<u32, (Vec<f64>, Vec<f64>)> = BTreeMap::new();
        for (place, path) in self.route.paths.iter().enumerate() {
            if self
                .route
                .windows
                .iter()
                .all(|of| of.paths[place].memory == 0.0)
            {
                continue;
            }
            let empty = || {
                (
                    vec![0.0; self.route.windows.len()],
                    vec![0.0; self.route.windows.len()],
                )
            };
            let (values, deviations) = of.entry(path.function).or_insert_with(empty);
            for (value, window) in values.iter_mut().zip(&self.route.windows) {
                *value += window.paths[place].memory / window.runs.max(1.0) / 1024.0;
            }
            for (deviation, details) in deviations.iter_mut().zip(&self.details) {
                *deviation += details.paths[place].memory_within.sqrt() / 1024.0;
            }
        }
        for (function, (values, deviations)) in of {
            let before = values.iter().take(self.route.history);
            let weight = before.map(|value| value.abs()).sum::<f64>();
            let within = deviations.iter().map(|deviation| deviation * deviation);
            self.route.series.push(Series {
                family: Family::Memory,
                number: function,
                weight,
                within: within.collect(),
                values,
                response: 0.0,
                rest: None,
            });
        }
    }

    fn totals(&mut self) {
        self.route.series.push(Series {
            family: Family::Route,
            number: 0,
            weight: 1.0,
            values: self
                .route
                .windows
                .iter()
                .map(|window| window.ln_wall)
                .collect(),
            within: self
                .route
                .windows
                .iter()
                .map(|window| window.ln_wall_within)
                .collect(),
            response: 1.0,
            rest: None,
        });
    }
}
