//! Where on a route the time of a release went.
//!
//! The change of a route's mean time is the sum, over all call paths, of the
//! changes of their mean self times: an exact sum. Each path's expectation is its
//! time before the release, moved by the shift that the route's functions share.

use crate::finding::{Contributor, Figures, Selection};
use crate::plan::Plan;
use crate::series::{Route, calls, inclusive, memory, self_ns};

/// The paths that a place names.
const CONTRIBUTORS: usize = 5;

/// The changes of all paths of a route, in nanoseconds a run.
#[derive(Debug)]
pub(crate) struct Changes {
    /// Of the self time.
    pub(crate) own: Vec<f64>,
    /// Of the time with callees.
    pub(crate) inclusive: Vec<f64>,
    pub(crate) runs_before: f64,
    pub(crate) runs_after: f64,
}

impl Changes {
    /// The changes after `looks` windows, where `shift` is common to the route.
    pub(crate) fn new(route: &Route, looks: usize, shift: f64) -> Self {
        let runs = |of: &crate::window::Window, _: usize| of.runs;
        let runs_before = route.before(0, runs).max(1.0);
        let runs_after = route.after(0, looks, runs).max(1.0);
        let change = |path: usize| {
            let expected = route.before(path, self_ns) / runs_before * shift.exp();
            route.after(path, looks, self_ns) / runs_after - expected
        };
        let own: Vec<f64> = (0..route.paths.len()).map(change).collect();
        Self {
            inclusive: inclusive(&route.paths, own.clone()),
            own,
            runs_before,
            runs_after,
        }
    }

    pub(crate) fn own(&self, path: usize) -> f64 {
        self.own.get(path).copied().unwrap_or(0.0)
    }

    pub(crate) fn inclusive(&self, path: usize) -> f64 {
        self.inclusive.get(path).copied().unwrap_or(0.0)
    }

    /// The path of a function whose self time grew most.
    pub(crate) fn largest_path(&self, route: &Route, function: u32) -> Option<usize> {
        let of = route.paths.iter().enumerate();
        let paths = of.filter(|(_, path)| path.function == function);
        let largest = paths.max_by(|a, b| self.own(a.0).total_cmp(&self.own(b.0)));
        largest.map(|(path, _)| path)
    }

    /// The paths with the largest increases.
    pub(crate) fn contributors(&self, route: &Route) -> Vec<Contributor> {
        let mut paths: Vec<usize> = (0..self.own.len()).collect();
        paths.sort_by(|a, b| self.own(*b).total_cmp(&self.own(*a)));
        let largest = paths
            .iter()
            .take(CONTRIBUTORS)
            .filter(|path| self.own(**path) > 0.0);
        largest
            .map(|&path| Contributor {
                path: names(route, path),
                cost_ns: self.own(path),
            })
            .collect()
    }

    /// The change of the logarithm of a path's calls in a run.
    pub(crate) fn ln_calls(&self, route: &Route, path: usize, looks: usize) -> f64 {
        let before = (route.before(path, calls) + 0.5) / self.runs_before;
        let after = (route.after(path, looks, calls) + 0.5) / self.runs_after;
        (after / before).ln()
    }

    /// The call on the way to `path` whose ratio to its caller grew most, with
    /// the change of the logarithm.
    pub(crate) fn largest_ratio(
        &self,
        route: &Route,
        path: usize,
        looks: usize,
    ) -> Option<(usize, f64)> {
        let line = route.line(path);
        let of = |path: usize| self.ln_calls(route, path, looks);
        let callers = line.iter().zip(line.iter().skip(1));
        let ratios = callers.map(|(&caller, &path)| (path, of(path) - of(caller)));
        ratios.max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// The names of the functions from the root to a path.
pub(crate) fn names(route: &Route, path: usize) -> Vec<String> {
    let line = route.line(path);
    line.iter()
        .map(|&path| route.function_of(path).to_owned())
        .collect()
}

/// The means of a run before and after: of one path, with its callees or not.
pub(crate) fn figures(
    route: &Route,
    path: usize,
    looks: usize,
    with_callees: bool,
) -> [Figures; 2] {
    let is_below = |at: &usize| route.line(*at).contains(&path);
    let paths: Vec<usize> = if with_callees {
        (path..route.paths.len()).filter(is_below).collect()
    } else {
        vec![path]
    };
    let mut both = [Figures::default(); 2];
    for (figures, windows) in both
        .iter_mut()
        .zip([0..route.history, route.history..route.history + looks])
    {
        let (mut runs, mut count, mut time, mut bytes, mut wall) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for window in route.windows.get(windows).unwrap_or_default() {
            runs += window.runs;
            wall += window.wall_ns;
            count += calls(window, path);
            bytes += memory(window, path);
            time += paths.iter().map(|&path| self_ns(window, path)).sum::<f64>();
        }
        let of_runs = f64::max(runs, 1.0);
        *figures = Figures {
            runs: whole(runs),
            calls: count / of_runs,
            time_ns: time / of_runs,
            memory: bytes / of_runs,
            route_ns: wall / of_runs,
        };
    }
    both
}

/// Which runs to open to see it.
pub(crate) fn selections(plan: &Plan, looks: usize, figures: &[Figures; 2]) -> [Selection; 2] {
    let (first, _) = plan.range();
    let released = plan.after.first().copied().unwrap_or(0);
    let last = plan
        .after
        .get(looks.saturating_sub(1))
        .copied()
        .unwrap_or(released);
    let before = plan.before.last().copied().unwrap_or(first);
    [
        Selection {
            from: first,
            to: before + plan.hours,
            is_released: false,
            route_ns: figures[0].route_ns,
        },
        Selection {
            from: released,
            to: last + plan.hours,
            is_released: true,
            route_ns: figures[1].route_ns,
        },
    ]
}

/// A sum of counts as a count.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "casts from float saturate"
)]
pub(crate) fn whole(value: f64) -> u64 {
    value.round() as u64
}
