//! The calls of a path for each call of its caller.

use crate::Options;
use crate::making::Making;
use crate::series::{Exact, Family, Series, calls};
use crate::window::{Detail, PathWindow, is_same};

impl Making<'_> {
    /// Adds a series for each ratio that varies, and the changes of those that
    /// never did.
    pub(crate) fn calls(&mut self, options: &Options) {
        let inclusive = self.route.inclusive_before();
        let total = inclusive.first().copied().unwrap_or(0.0).max(1.0);
        for (place, time) in inclusive.iter().enumerate() {
            let Ok(number) = u32::try_from(place) else {
                return;
            };
            let few = options.least_runs as f64;
            let is_rare = |of: (&PathWindow, &Detail)| of.1.caller_calls < few;
            if self.sums(place).any(is_rare) || self.route.is_root(place) {
                continue;
            }
            if let Some(exact) = self.exact(number, place) {
                self.route.exact.extend(exact);
                continue;
            }
            // A path that is still too rare has no ratio worth a test.
            if self.route.before(place, calls) < few {
                continue;
            }
            let ratio = |(sum, detail): (&PathWindow, &Detail)| {
                ((sum.calls + 0.5) / (detail.caller_calls + 0.5)).ln()
            };
            let series = Series {
                family: Family::Calls,
                number,
                weight: time / total,
                values: self.sums(place).map(ratio).collect(),
                within: self.sums(place).map(|of| of.1.ratio_within).collect(),
                response: 0.0,
                rest: None,
            };
            self.route.series.push(series);
        }
    }

    /// A path's sums in each window.
    fn sums(&self, place: usize) -> impl Iterator<Item = (&PathWindow, &Detail)> {
        let windows = self.route.windows.iter().zip(&self.details);
        windows.map(move |(window, details)| (&window.paths[place], &details.paths[place]))
    }

    /// Whether the ratio of a path never varied before the release: then what it
    /// is now, if that differs.
    #[expect(
        clippy::option_option,
        reason = "not constant, or constant and unchanged"
    )]
    fn exact(&self, number: u32, place: usize) -> Option<Option<Exact>> {
        let history = self.route.history;
        let mut before = self.sums(place).take(history);
        let constant = |(sum, detail): (&PathWindow, &Detail)| {
            if sum.calls > 0.0 {
                detail.constant
            } else {
                Some(0.0)
            }
        };
        let first = constant(before.next()?)?;
        if !before.all(|of| constant(of).is_some_and(|ratio| is_same(ratio, first))) {
            return None;
        }
        let (mut calls, mut callers, mut runs, mut blocks) = (0.0, 0.0, 0.0, 0);
        for (sum, detail) in self.sums(place).skip(history) {
            calls += sum.calls;
            callers += detail.caller_calls;
            runs += detail.runs;
            blocks += detail.blocks;
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
}
