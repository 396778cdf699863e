//! The calls of a path for each call of its caller.

use crate::Options;
use crate::series::{Exact, Family, Route, Series};
use crate::window::{PathWindow, Window, is_same};

impl Route<'_> {
    /// Adds a series for each ratio that varies, and the changes of those that
    /// never did.
    pub(crate) fn calls(&mut self, options: &Options) {
        let inclusive = self.inclusive_before();
        let total = inclusive.first().copied().unwrap_or(0.0).max(1.0);
        for (place, time) in inclusive.iter().enumerate() {
            let Ok(number) = u32::try_from(place) else {
                return;
            };
            let sums = || self.windows.iter().map(|window| &window.paths[place]);
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
            let ratio = |sum: &PathWindow| ((sum.calls + 0.5) / (sum.caller_calls + 0.5)).ln();
            self.series.push(Series {
                family: Family::Calls,
                number,
                weight: time / total,
                values: sums().map(ratio).collect(),
                within: sums().map(|sum| sum.ratio_within).collect(),
                response: 0.0,
                parts: Vec::new(),
                rest: None,
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
        let of = |window: &Window| window.paths[place];
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
}
