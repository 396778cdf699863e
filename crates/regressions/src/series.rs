//! What is tested on a route: one value a window for each function, call,
//! memory and the route itself.
//!
//! The value of a function is the mean of its paths' logarithms, weighted by
//! their share of its time in the history. To first order its change is the
//! change of the logarithm of the function's time.

use crate::input::Path;
use crate::window::{Window, median};

/// The fewest functions that a shift common to a route can be taken from.
const MIN_FUNCTIONS: usize = 8;

/// Functions that respond less than this say little about what is common.
const MIN_RESPONSE: f64 = 0.5;

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
    /// What is left of it without what other functions predict.
    pub(crate) rest: Option<Box<Series>>,
}

/// A call whose ratio to its caller never varied, and now does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Exact {
    pub(crate) path: u32,
    /// Calls for each call of the caller before; zero for a new path.
    pub(crate) before: f64,
    pub(crate) after: f64,
}

/// The blocks of a route's important functions; empty if there are few.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows {
    /// The series of the functions, those with most time first.
    pub(crate) chosen: Vec<usize>,
    /// The blocks of each window.
    pub(crate) windows: Vec<Vec<Row>>,
}

/// A block: its runs, and how each function deviates there from its window.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) runs: f64,
    pub(crate) deviations: Vec<f64>,
}

/// One route around a release. [`Making`](crate::making::Making) makes it.
///
/// All routes of an application are in memory at a time, so it has no hours.
#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) name: String,
    pub(crate) functions: Vec<String>,
    pub(crate) paths: Vec<Path>,
    pub(crate) windows: Vec<Window>,
    /// The first hour of each window.
    pub(crate) starts: Vec<i64>,
    /// The number of windows before the release.
    pub(crate) history: usize,
    pub(crate) series: Vec<Series>,
    pub(crate) exact: Vec<Exact>,
    /// The blocks of the functions that predict each other, until they did.
    pub(crate) rows: Rows,
}

/// Why a route was not examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It has no paths, or its paths or blocks name functions or paths that it
    /// does not have: the data are broken.
    Numbers,
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

impl Route {
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

    /// The shift of each window that is common to the functions of the route;
    /// none if it has too few functions.
    pub(crate) fn common_shift(&self) -> Option<Vec<f64>> {
        let times: Vec<&Series> = self
            .series
            .iter()
            .filter(|series| series.family == Family::Time)
            .collect();
        if times.len() < MIN_FUNCTIONS {
            return None;
        }
        // Functions of next to no time say little about the others.
        let is_important = |of: &&&Series| of.weight >= 1e-4 && of.response >= MIN_RESPONSE;
        let important: Vec<&Series> = times.iter().filter(is_important).copied().collect();
        let of = if important.len() < MIN_FUNCTIONS {
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
    pub(crate) fn inclusive_before(&self) -> Vec<f64> {
        let own = (0..self.paths.len())
            .map(|path| self.before(path, self_ns))
            .collect();
        inclusive(&self.paths, own)
    }

    pub(crate) fn is_root(&self, path: usize) -> bool {
        self.paths[path].parent.is_none()
    }

    /// The name of a path's function.
    pub(crate) fn function_of(&self, path: usize) -> &str {
        self.name_of(self.paths[path].function)
    }

    /// The name of a function.
    pub(crate) fn name_of(&self, function: u32) -> &str {
        &self.functions[function as usize]
    }

    /// The numbers of a path and its callers, the root first.
    pub(crate) fn line(&self, path: usize) -> Vec<usize> {
        let mut line = vec![path];
        let mut at = path;
        while let Some(parent) = self.paths[at].parent {
            at = parent as usize;
            line.push(at);
        }
        line.reverse();
        line
    }
}

/// The self time of a path in a window.
pub(crate) fn self_ns(window: &Window, path: usize) -> f64 {
    window.paths[path].self_ns
}

/// The calls of a path in a window.
pub(crate) fn calls(window: &Window, path: usize) -> f64 {
    window.paths[path].calls
}

/// The memory of a path in a window.
pub(crate) fn memory(window: &Window, path: usize) -> f64 {
    window.paths[path].memory
}

/// Adds each path's value to its callers.
pub(crate) fn inclusive(paths: &[Path], mut own: Vec<f64>) -> Vec<f64> {
    for place in (0..paths.len()).rev() {
        if let Some(parent) = paths[place].parent {
            own[parent as usize] += own[place];
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
            let response = series.response.max(MIN_RESPONSE);
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
pub(crate) fn mean_after(shift: &[f64], route: &Route) -> f64 {
    let before: f64 = shift.iter().take(route.history).sum();
    let after: f64 = shift.iter().skip(route.history).sum();
    after / route.looks().max(1) as f64 - before / route.history.max(1) as f64
}
