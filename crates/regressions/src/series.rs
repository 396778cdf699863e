//! What is tested on a route: one value a window for each function, call,
//! memory and the route itself.
//!
//! The value of a function is the mean of its paths' logarithms, weighted by
//! their share of its time in the history. To first order its change is the
//! change of the logarithm of the function's time.

use std::collections::BTreeMap;

use crate::input::{Path, RouteHours};
use crate::plan::Plan;
use crate::window::{Regression, Window, is_same, median};
use crate::{Block, Options};

/// The fewest runs that call a path in each window, for a mean of logarithms.
const LEAST_PATH_RUNS: f64 = 8.0;

/// The fewest functions that a shift common to a route can be taken from.
const LEAST_FUNCTIONS: usize = 8;

/// The variance of the responses of paths around 1, before anything is known.
const RESPONSE_PRIOR: f64 = 0.25;

/// Functions that respond less than this say little about what is common.
const LEAST_RESPONSE: f64 = 0.5;

/// The families of tests. Each has its share of the false alarms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Family {
    /// The self time of a function.
    Time,
    /// The calls of a path for each call of its caller.
    Calls,
    /// The memory that a function's own code adds.
    Memory,
    /// The time of the whole route.
    Route,
}

impl Family {
    pub(crate) const ALL: [Self; 4] = [Self::Time, Self::Calls, Self::Memory, Self::Route];

    /// Its share of the probability of a false alarm.
    pub(crate) fn budget(self) -> f64 {
        match self {
            Self::Time => 0.6,
            Self::Calls => 0.25,
            Self::Memory => 0.1,
            Self::Route => 0.05,
        }
    }

    /// The smallest weight of a test, in relation to the mean. A call may cost
    /// little before it is made a hundred times.
    pub(crate) fn least_weight(self) -> f64 {
        match self {
            Self::Time => 0.05,
            Self::Calls | Self::Memory => 0.25,
            Self::Route => 0.5,
        }
    }
}

/// One series: what is measured, and its value in each window.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    pub(crate) family: Family,
    /// The function, or the path of [`Family::Calls`]; 0 for the route.
    pub(crate) number: u32,
    /// Its importance: a share of the route's time, or for memory of its bytes.
    pub(crate) weight: f64,
    /// The windows of the history first.
    pub(crate) values: Vec<f64>,
    /// The variance of each value, from inside its window.
    pub(crate) within: Vec<f64>,
    /// By how much it changes, if the functions of its route change by one.
    pub(crate) response: f64,
}

/// A call whose ratio to its caller never varied, and now does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Exact {
    pub(crate) path: u32,
    /// Calls for each call of the caller before; zero for a new path.
    pub(crate) before: f64,
    pub(crate) after: f64,
}

/// One route around a release.
#[derive(Debug)]
pub(crate) struct Route<'a> {
    pub(crate) name: &'a str,
    pub(crate) functions: &'a [String],
    pub(crate) paths: &'a [Path],
    pub(crate) windows: Vec<Window>,
    /// The first hour of each window.
    pub(crate) starts: Vec<i64>,
    /// The number of windows before the release.
    pub(crate) history: usize,
    pub(crate) series: Vec<Series>,
    pub(crate) exact: Vec<Exact>,
}

/// Why a route was not examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It has too few windows with enough runs before the release.
    History {
        /// The windows that it has.
        windows: usize,
        /// The windows that it needs.
        needed: usize,
    },
    /// Its first window after the release has too few runs.
    Runs {
        /// The runs that it has.
        runs: u64,
        /// The runs that it needs.
        needed: u64,
    },
    /// The runs after the release are of too few hours.
    Hours {
        /// The blocks of different hours and hosts that it has.
        blocks: usize,
        /// The blocks that it needs.
        needed: usize,
    },
}

impl<'a> Route<'a> {
    /// The route's windows and series. Windows with too few runs are left out.
    pub(crate) fn new(
        hours: RouteHours<'a>,
        plan: &Plan,
        number: u32,
        options: &Options,
    ) -> Result<Self, Reason> {
        let before = plan.before.len();
        let mut blocks: Vec<Vec<&Block>> = vec![Vec::new(); before + plan.after.len()];
        for block in hours.blocks {
            let is_released = block.release == number;
            if let Some(place) = plan.window(block.hour, is_released)
                && let Some(blocks) = blocks.get_mut(place)
            {
                blocks.push(block);
            }
        }
        let runs = |blocks: &[&Block]| blocks.iter().map(|block| block.runs).sum::<u64>();
        let is_full = |blocks: &[&Block]| {
            runs(blocks) >= options.least_runs && blocks.len() >= options.least_blocks
        };
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
        let (mut windows, mut starts, mut history) = (Vec::new(), Vec::new(), 0);
        let all_starts = plan.before.iter().chain(&plan.after);
        for (place, (blocks, start)) in blocks.iter().zip(all_starts).enumerate() {
            if !is_full(blocks) {
                if place < before {
                    continue;
                }
                // A later look needs each window after the release.
                break;
            }
            windows.push(Window::of(hours.paths, blocks));
            starts.push(*start);
            history += usize::from(place < before);
        }
        if history < options.least_history {
            return Err(Reason::History {
                windows: history,
                needed: options.least_history,
            });
        }
        let mut route = Self {
            name: hours.route,
            functions: hours.functions,
            paths: hours.paths,
            windows,
            starts,
            history,
            series: Vec::new(),
            exact: Vec::new(),
        };
        route.times();
        route.calls(options);
        route.memories();
        route.totals();
        Ok(route)
    }

    /// The number of windows after the release.
    pub(crate) fn looks(&self) -> usize {
        self.windows.len() - self.history
    }

    /// The mean time of a run before the release, in nanoseconds.
    pub(crate) fn wall_before(&self) -> f64 {
        let windows = self.windows.iter().take(self.history);
        let (wall, runs) = windows.fold((0.0, 0.0), |(wall, runs), window| {
            (wall + window.wall_ns, runs + window.runs)
        });
        wall / f64::max(runs, 1.0)
    }

    /// Sums of one path over the windows before the release.
    pub(crate) fn before(&self, path: usize, of: impl Fn(&Window, usize) -> f64) -> f64 {
        let windows = self.windows.iter().take(self.history);
        windows.map(|window| of(window, path)).sum()
    }

    /// The same over `looks` windows after the release.
    pub(crate) fn after(
        &self,
        path: usize,
        looks: usize,
        of: impl Fn(&Window, usize) -> f64,
    ) -> f64 {
        let windows = self.windows.iter().skip(self.history).take(looks);
        windows.map(|window| of(window, path)).sum()
    }

    fn times(&mut self) {
        let total: f64 = (0..self.paths.len())
            .map(|path| self.before(path, self_ns))
            .sum();
        let mut paths_of: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (place, path) in self.paths.iter().enumerate() {
            paths_of.entry(path.function).or_default().push(place);
        }
        let responses = self.responses();
        for (function, paths) in paths_of {
            let is_dense = |path: &&usize| {
                let runs = |window: &Window| window.paths.get(**path).map_or(0.0, |sum| sum.runs);
                self.windows
                    .iter()
                    .all(|window| runs(window) >= LEAST_PATH_RUNS)
            };
            let paths: Vec<(usize, f64)> = paths
                .iter()
                .filter(is_dense)
                .map(|&path| (path, self.before(path, self_ns)))
                .collect();
            let sum: f64 = paths.iter().map(|path| path.1).sum();
            if sum <= 0.0 {
                continue;
            }
            let paths: Vec<(usize, f64, f64)> = paths
                .iter()
                .map(|&(path, weight)| {
                    (
                        path,
                        weight / sum,
                        responses.get(path).copied().unwrap_or(1.0),
                    )
                })
                .collect();
            let mean = |window: &Window| {
                let (mut mean, mut deviation) = (0.0, 0.0);
                for &(path, weight, response) in &paths {
                    if let Some(of) = window.paths.get(path) {
                        mean += weight * (of.ln_self - response * of.deviations.common());
                        // As if the paths of a function varied together.
                        deviation += weight * of.deviations.within(response).sqrt();
                    }
                }
                (mean, deviation * deviation)
            };
            let response = paths
                .iter()
                .map(|(_, weight, response)| weight * response)
                .sum();
            let (values, within) = self.windows.iter().map(mean).unzip();
            self.series.push(Series {
                family: Family::Time,
                number: function,
                weight: sum / total.max(1.0),
                values,
                within,
                response,
            });
        }
    }

    /// How each path follows the deviations that are common to the route's paths:
    /// its response.
    ///
    /// A function that depends on neither load nor input follows nothing, and
    /// sorting a long list more than all. The response is the regression of a
    /// path's blocks on the common deviation before the release, moved towards 1
    /// by as much as its error is likely to be: the posterior mean for a normal
    /// prior with mean 1 (A. Gelman et al., "Bayesian Data Analysis", section 2.5).
    fn responses(&self) -> Vec<f64> {
        let of: Vec<Regression> = (0..self.paths.len())
            .map(|path| self.regression(path))
            .collect();
        let most = of.iter().map(|of| of.blocks).fold(0.0, f64::max);
        let usual: Vec<&Regression> = of.iter().filter(|of| of.blocks >= 0.9 * most).collect();
        let middle = |value: fn(&Regression) -> f64| {
            median(&mut usual.iter().map(|of| value(of)).collect::<Vec<f64>>())
        };
        // The median of the paths has an error of its own: π/2 times the variance
        // of a mean. That part of it is not common, and every path seems to follow.
        let noise = std::f64::consts::FRAC_PI_2 * middle(|of| of.rest) / usual.len().max(1) as f64;
        let noise = noise / middle(|of| of.common).max(f64::MIN_POSITIVE);
        let response = |of: &Regression| {
            let signal = of.common * (1.0 - noise);
            if signal <= 0.0 || of.blocks < 1.0 || !noise.is_finite() {
                return 1.0;
            }
            let estimate = (of.both - noise * of.common) / signal;
            let error = of.rest / of.blocks * of.common / (signal * signal);
            let trust = RESPONSE_PRIOR / (RESPONSE_PRIOR + error);
            (1.0 + trust * (estimate - 1.0)).clamp(-0.5, 3.0)
        };
        of.iter().map(response).collect()
    }

    /// The sums of a path's regression over the windows before the release.
    fn regression(&self, path: usize) -> Regression {
        let mut sum = Regression::default();
        for window in self.windows.iter().take(self.history) {
            if let Some(of) = window.paths.get(path) {
                sum += of.deviations.regression();
            }
        }
        sum
    }

    fn calls(&mut self, options: &Options) {
        let inclusive = self.inclusive_before();
        let total = inclusive.first().copied().unwrap_or(0.0).max(1.0);
        for place in 0..self.paths.len() {
            let Ok(number) = u32::try_from(place) else {
                return;
            };
            let sums = || {
                self.windows
                    .iter()
                    .filter_map(|window| window.paths.get(place))
            };
            let few = options.least_runs as f64;
            if sums().any(|sum| sum.caller_calls < few) || self.is_root(place) {
                continue;
            }
            if let Some(exact) = self.exact(number, place) {
                self.exact.extend(exact);
                continue;
            }
            // A path that is still too rare has no ratio worth a test.
            if sums().take(self.history).map(|sum| sum.calls).sum::<f64>() < few {
                continue;
            }
            let ratio = |sum: &crate::window::PathWindow| {
                ((sum.calls + 0.5) / (sum.caller_calls + 0.5)).ln()
            };
            let share = inclusive.get(place).map_or(0.0, |time| time / total);
            self.series.push(Series {
                family: Family::Calls,
                number,
                weight: share,
                values: sums().map(ratio).collect(),
                within: sums().map(|sum| sum.ratio_within).collect(),
                response: 0.0,
            });
        }
    }

    /// Whether the ratio of a path never varied before the release: then what it
    /// is now, if that differs.
    #[expect(
        clippy::option_option,
        reason = "not constant, or constant and unchanged"
    )]
    fn exact(&self, number: u32, place: usize) -> Option<Option<Exact>> {
        let mut before = self.windows.iter().take(self.history);
        let of = |window: &Window| window.paths.get(place).copied().unwrap_or_default();
        let constant = |window: &Window| {
            let sum = of(window);
            if sum.calls > 0.0 {
                sum.constant
            } else {
                Some(0.0)
            }
        };
        let first = constant(before.next()?)?;
        let same = |window: &Window| constant(window).is_some_and(|ratio| is_same(ratio, first));
        if !before.all(same) {
            return None;
        }
        let (mut calls, mut callers, mut runs, mut blocks) = (0.0, 0.0, 0.0, 0);
        for window in self.windows.iter().skip(self.history) {
            let sum = of(window);
            calls += sum.calls;
            callers += sum.caller_calls;
            runs += sum.runs;
            blocks += sum.blocks;
        }
        let after = calls / f64::max(callers, 1.0);
        let is_enough = runs >= 30.0 && blocks >= 3;
        let changed = Exact {
            path: number,
            before: first,
            after,
        };
        Some((is_enough && !is_same(first, after)).then_some(changed))
    }

    fn memories(&mut self) {
        let mut of: BTreeMap<u32, (Vec<f64>, Vec<f64>)> = BTreeMap::new();
        for (place, path) in self.paths.iter().enumerate() {
            let used =
                |window: &Window| window.paths.get(place).is_some_and(|sum| sum.memory != 0.0);
            if !self.windows.iter().any(used) {
                continue;
            }
            let empty = || (vec![0.0; self.windows.len()], vec![0.0; self.windows.len()]);
            let (values, deviations) = of.entry(path.function).or_insert_with(empty);
            let sums = values.iter_mut().zip(deviations.iter_mut());
            for ((value, deviation), window) in sums.zip(&self.windows) {
                if let Some(sum) = window.paths.get(place) {
                    *value += sum.memory / window.runs.max(1.0) / 1024.0;
                    *deviation += sum.memory_within.sqrt() / 1024.0;
                }
            }
        }
        for (function, (values, deviations)) in of {
            let before = values.iter().take(self.history);
            let weight = before.map(|value| value.abs()).sum::<f64>();
            let within = deviations.iter().map(|deviation| deviation * deviation);
            self.series.push(Series {
                family: Family::Memory,
                number: function,
                weight,
                within: within.collect(),
                values,
                response: 0.0,
            });
        }
    }

    fn totals(&mut self) {
        self.series.push(Series {
            family: Family::Route,
            number: 0,
            weight: 1.0,
            values: self.windows.iter().map(|window| window.ln_wall).collect(),
            within: self
                .windows
                .iter()
                .map(|window| window.ln_wall_within)
                .collect(),
            response: 1.0,
        });
    }

    /// The shift of each window that is common to the functions of the route;
    /// none if it has too few functions.
    pub(crate) fn common_shift(&self) -> Option<Vec<f64>> {
        let times: Vec<&Series> = self
            .series
            .iter()
            .filter(|series| series.family == Family::Time)
            .collect();
        if times.len() < LEAST_FUNCTIONS {
            return None;
        }
        // Functions of next to no time say little about the others.
        let is_important = |of: &&&Series| of.weight >= 1e-4 && of.response >= LEAST_RESPONSE;
        let important: Vec<&Series> = times.iter().filter(is_important).copied().collect();
        let of = if important.len() < LEAST_FUNCTIONS {
            times
        } else {
            important
        };
        Some(shift(&of, self.windows.len(), self.history))
    }

    /// Subtracts a shift from the series of times, as far as each follows it.
    pub(crate) fn subtract(&mut self, shift: &[f64], family: Family) {
        for series in &mut self.series {
            if series.family == family {
                for (value, shift) in series.values.iter_mut().zip(shift) {
                    *value -= series.response * shift;
                }
            }
        }
    }

    /// The inclusive time of each path before the release.
    fn inclusive_before(&self) -> Vec<f64> {
        let own = (0..self.paths.len())
            .map(|path| self.before(path, self_ns))
            .collect();
        inclusive(self.paths, own)
    }

    pub(crate) fn is_root(&self, path: usize) -> bool {
        self.paths
            .get(path)
            .is_none_or(|path| path.parent.is_none())
    }

    /// The name of a path's function.
    pub(crate) fn function_of(&self, path: usize) -> &'a str {
        let function = self.paths.get(path).map_or(0, |path| path.function);
        self.name_of(function)
    }

    /// The name of a function.
    pub(crate) fn name_of(&self, function: u32) -> &'a str {
        self.functions
            .get(function as usize)
            .map_or("", String::as_str)
    }

    /// The numbers of a path and its callers, the root first.
    pub(crate) fn line(&self, path: usize) -> Vec<usize> {
        let mut line = vec![path];
        let mut at = path;
        while let Some(parent) = self.paths.get(at).and_then(|path| path.parent) {
            let parent = parent as usize;
            if parent >= at {
                break;
            }
            line.push(parent);
            at = parent;
        }
        line.reverse();
        line
    }
}

/// The self time of a path in a window.
pub(crate) fn self_ns(window: &Window, path: usize) -> f64 {
    window.paths.get(path).map_or(0.0, |sum| sum.self_ns)
}

/// The calls of a path in a window.
pub(crate) fn calls(window: &Window, path: usize) -> f64 {
    window.paths.get(path).map_or(0.0, |sum| sum.calls)
}

/// The memory of a path in a window.
pub(crate) fn memory(window: &Window, path: usize) -> f64 {
    window.paths.get(path).map_or(0.0, |sum| sum.memory)
}

/// Adds each path's value to its callers.
pub(crate) fn inclusive(paths: &[Path], mut own: Vec<f64>) -> Vec<f64> {
    for place in (0..paths.len()).rev() {
        let value = own.get(place).copied().unwrap_or(0.0);
        let parent = paths.get(place).and_then(|path| path.parent);
        if let Some(parent) = parent.and_then(|parent| own.get_mut(parent as usize)) {
            *parent += value;
        }
    }
    own
}

/// The median deviation of the series from their histories, in each window.
pub(crate) fn shift(series: &[&Series], windows: usize, history: usize) -> Vec<f64> {
    let means: Vec<f64> = series
        .iter()
        .map(|series| mean(&series.values, history))
        .collect();
    let in_window = |window: usize| {
        let values = series.iter().zip(&means);
        let of = values.filter_map(|(series, mean)| {
            let response = series.response.max(LEAST_RESPONSE);
            Some((series.values.get(window)? - mean) / response)
        });
        median(&mut of.collect::<Vec<f64>>())
    };
    (0..windows).map(in_window).collect()
}

/// The mean of the first `count` values.
pub(crate) fn mean(values: &[f64], count: usize) -> f64 {
    values.iter().take(count).sum::<f64>() / count.max(1) as f64
}

/// The mean of a shift after the release, over that before it.
pub(crate) fn mean_after(shift: &[f64], route: &Route<'_>) -> f64 {
    let before: f64 = shift.iter().take(route.history).sum();
    let after: f64 = shift.iter().skip(route.history).sum();
    after / route.looks().max(1) as f64 - before / route.history.max(1) as f64
}
