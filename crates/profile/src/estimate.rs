//! Rows whose calls were not all timed: their costs are estimates.
//!
//! With adaptive timing ([`Timing::Adaptive`](crate::Timing)), every call is
//! counted, but only some calls of short functions are timed. A row, an edge or
//! a node of the tree, then has the measured cost of its timed calls plus an
//! estimate for the others, and the variance of that estimate.
//!
//! - A row without an [`Estimate`] was timed call by call. Its inclusive cost
//!   has no error, even if its callees are estimates.
//! - The errors of different rows are independent. So the variance of a sum or
//!   a difference of rows is the sum of their variances. One part of them is
//!   the same in all calls of a function; it is made so that this sum is right,
//!   see [`CallError`](crate::CallError).
//! - A self cost is the row's inclusive cost minus that of the rows below it.
//!   So its variance is the row's own plus those of the rows below it: what an
//!   estimate charges too much to a callee is missing in the caller.
//! - Operations that subtract rows from a sum of them, such as a
//!   [focus](crate::Tree::focused), may state a larger error of a self cost than
//!   it has, and never a smaller one.
//!
//! Variances are kept, not standard errors, because sums of integers are exact
//! in any order.
//!
//! **Invariant:** exact profiles have no estimates, and pay nothing for them.

use std::ops::AddAssign;

use crate::table::Id;
use crate::{Metric, Metrics, NumberMap};

/// The variances of one row's costs, or of a sum of them: the squares of their
/// standard errors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Variance {
    /// Of the wall time, in square nanoseconds.
    pub wall: u128,
    /// Of the CPU time, in square nanoseconds.
    pub cpu: u128,
    /// Of the memory in use, in square bytes.
    pub memory: u128,
    /// Of the memory's peak, in square bytes.
    pub peak: u128,
}

impl Variance {
    /// No error.
    pub const ZERO: Self = Self {
        wall: 0,
        cpu: 0,
        memory: 0,
        peak: 0,
    };

    /// The variances of costs with these standard errors, in nanoseconds and
    /// bytes.
    #[must_use]
    pub fn of_standard_errors(wall: u64, cpu: u64, memory: u64, peak: u64) -> Self {
        let square = |error: u64| u128::from(error) * u128::from(error);
        Self {
            wall: square(wall),
            cpu: square(cpu),
            memory: square(memory),
            peak: square(peak),
        }
    }

    /// One of the variances; calls are counted, so that theirs is zero.
    #[must_use]
    pub fn of(&self, metric: Metric) -> u128 {
        match metric {
            Metric::Wall => self.wall,
            Metric::Cpu => self.cpu,
            Metric::Memory => self.memory,
            Metric::Peak => self.peak,
            Metric::Calls => 0,
        }
    }

    /// The standard error of one of the costs, in nanoseconds or bytes, rounded
    /// up.
    #[must_use]
    pub fn standard_error(&self, metric: Metric) -> u64 {
        root(self.of(metric))
    }

    /// Half the width of the 95 % interval of one of the costs, rounded up:
    /// 1.96 standard errors.
    #[must_use]
    pub fn margin(&self, metric: Metric) -> u64 {
        // 1.96² = 3.8416, in two parts because the product may overflow.
        let variance = self.of(metric);
        let (whole, rest) = (variance / 10_000, variance % 10_000);
        let whole = whole.saturating_mul(38_416);
        root(whole.saturating_add((rest * 38_416).div_ceil(10_000)))
    }

    /// Whether that margin is more than 1 % of `cost`, and so worth showing. It
    /// is not beside a zero, which is no estimate: a function of which only the
    /// callees were chosen.
    #[must_use]
    pub fn is_notable(&self, metric: Metric, cost: i64) -> bool {
        cost != 0 && self.margin(metric).saturating_mul(100) > cost.unsigned_abs()
    }

    /// The variances without that part of them; none is less than zero.
    #[must_use]
    pub fn without(&self, part: &Self) -> Self {
        Self {
            wall: self.wall.saturating_sub(part.wall),
            cpu: self.cpu.saturating_sub(part.cpu),
            memory: self.memory.saturating_sub(part.memory),
            peak: self.peak.saturating_sub(part.peak),
        }
    }

    /// Each of the variances, changed by `change`.
    #[must_use]
    pub fn map(self, change: impl Fn(u128) -> u128) -> Self {
        Self {
            wall: change(self.wall),
            cpu: change(self.cpu),
            memory: change(self.memory),
            peak: change(self.peak),
        }
    }
}

impl AddAssign for Variance {
    fn add_assign(&mut self, other: Self) {
        self.wall = self.wall.saturating_add(other.wall);
        self.cpu = self.cpu.saturating_add(other.cpu);
        self.memory = self.memory.saturating_add(other.memory);
        self.peak = self.peak.saturating_add(other.peak);
    }
}

/// The square root, rounded up.
fn root(square: u128) -> u64 {
    let root = square.isqrt();
    let is_more = square - root * root > 0;
    // The root of 128 bits has 64.
    let root = u64::try_from(root).unwrap_or(u64::MAX);
    root.saturating_add(u64::from(is_more))
}

/// How sure the costs of a row are whose calls were not all timed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Estimate {
    /// The calls that were counted but not timed.
    pub untimed: u64,
    /// The variances of the row's inclusive costs.
    pub variance: Variance,
}

impl Estimate {
    /// The estimate of a row of which `timed` of `calls` were timed.
    #[must_use]
    pub fn new(calls: u64, timed: u64, variance: Variance) -> Self {
        Self {
            untimed: calls.saturating_sub(timed),
            variance,
        }
    }

    /// The timed calls of so many.
    #[must_use]
    pub fn timed(&self, calls: u64) -> u64 {
        calls.saturating_sub(self.untimed)
    }

    /// The same without the costs that were not measured.
    #[must_use]
    pub fn measured(mut self, metrics: Metrics) -> Self {
        let variance = &mut self.variance;
        if !metrics.cpu {
            variance.cpu = 0;
        }
        if !metrics.memory {
            (variance.memory, variance.peak) = (0, 0);
        }
        self
    }

    /// Whether all calls were timed, and the costs have no error.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        *self == Self::default()
    }
}

impl AddAssign for Estimate {
    fn add_assign(&mut self, other: Self) {
        self.untimed = self.untimed.saturating_add(other.untimed);
        self.variance += other.variance;
    }
}

/// How sure a function's costs are, if not all of its calls, or of its callees',
/// were timed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FlatEstimate {
    /// Its calls that were not timed.
    pub untimed: u64,
    /// The variance of its cost with callees.
    pub inclusive: Variance,
    /// The variance of its self cost. It has one even if each of its own calls
    /// was timed, if callees are estimates.
    pub own: Variance,
}

/// The estimates of a profile's rows, by the row's index: of
/// [`Tree::nodes`](crate::Tree::nodes) or
/// [`EdgeTable::edges`](crate::EdgeTable::edges). Rows that are exact have none.
///
/// ```
/// use profile::{Estimate, Estimates, Variance};
///
/// let variance = Variance::of_standard_errors(250, 0, 0, 0);
/// let estimate = Estimate::new(1000, 64, variance);
/// // In any order; the same row twice is added up.
/// let estimates: Estimates = [(7_u32, estimate)].into_iter().collect();
/// assert_eq!(estimates.of(7_u32).timed(1000), 64);
/// assert!(estimates.of(6_u32).is_exact());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Estimates {
    /// In ascending order; each row once, and none that is exact.
    rows: Vec<(u32, Estimate)>,
}

impl Estimates {
    /// Whether all rows are exact.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The number of rows that are not exact.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The estimate of a row; that of an exact one if it has none.
    #[must_use]
    #[inline]
    pub fn of(&self, row: impl Id) -> Estimate {
        if self.rows.is_empty() {
            return Estimate::default();
        }
        let row = u32::try_from(row.index()).unwrap_or(u32::MAX);
        let place = self.rows.binary_search_by_key(&row, |&(row, _)| row);
        let found = place.ok().and_then(|place| self.rows.get(place));
        found.map_or_else(Estimate::default, |&(_, estimate)| estimate)
    }

    /// Each row that is not exact, in ascending order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, Estimate)> + '_ {
        self.rows.iter().copied()
    }

    /// The calls that were not timed, of all rows.
    #[must_use]
    pub fn untimed(&self) -> u64 {
        let untimed = self.rows.iter().map(|(_, estimate)| estimate.untimed);
        untimed.fold(0, u64::saturating_add)
    }

    /// The estimates of the mean of `runs` runs, from those of their sum: its
    /// variance is divided by the square of the number of runs.
    #[must_use]
    pub fn mean_of(&self, runs: u64) -> Self {
        let runs = runs.max(1);
        let square = u128::from(runs) * u128::from(runs);
        let rows = self.rows.iter().map(|&(row, estimate)| {
            let untimed = estimate.untimed / runs;
            let mean = Estimate {
                untimed: untimed.max(u64::from(estimate.untimed > 0)),
                variance: estimate.variance.map(|variance| variance.div_ceil(square)),
            };
            (row, mean)
        });
        rows.collect()
    }

    /// Each estimate, changed by `change`.
    #[must_use]
    pub fn map(self, change: impl Fn(u32, Estimate) -> Estimate) -> Self {
        let rows = self.rows.into_iter();
        rows.map(|(row, estimate)| (row, change(row, estimate)))
            .collect()
    }

    /// The estimates of rows that got other numbers; those without one are
    /// dropped, and those with the same are added up.
    #[must_use]
    pub fn renumbered(&self, number: impl Fn(u32) -> Option<u32>) -> Self {
        let rows = self.rows.iter();
        rows.filter_map(|&(row, estimate)| Some((number(row)?, estimate)))
            .collect()
    }
}

impl FromIterator<(u32, Estimate)> for Estimates {
    fn from_iter<R: IntoIterator<Item = (u32, Estimate)>>(rows: R) -> Self {
        let mut rows: Vec<_> = rows.into_iter().collect();
        rows.sort_by_key(|&(row, _)| row);
        rows.dedup_by(|(row, estimate), (before, sum)| {
            let is_same = row == before;
            if is_same {
                *sum += *estimate;
            }
            is_same
        });
        rows.retain(|(_, estimate)| !estimate.is_exact());
        Self { rows }
    }
}

/// Adds up estimates by row.
#[derive(Debug, Clone, Default)]
pub struct EstimateSum {
    rows: NumberMap<u32, Estimate>,
}

impl EstimateSum {
    /// Adds to a row.
    #[inline]
    pub fn add(&mut self, row: impl Id, estimate: Estimate) {
        if !estimate.is_exact() {
            let row = u32::try_from(row.index()).unwrap_or(u32::MAX);
            *self.rows.entry(row).or_default() += estimate;
        }
    }

    /// All of them.
    #[must_use]
    pub fn finish(self) -> Estimates {
        self.rows.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wall(variance: u128) -> Variance {
        Variance {
            wall: variance,
            ..Variance::ZERO
        }
    }

    #[test]
    fn a_margin_is_1_96_standard_errors_rounded_up() {
        assert_eq!(wall(10_000).standard_error(Metric::Wall), 100);
        assert_eq!(wall(10_001).standard_error(Metric::Wall), 101);
        assert_eq!(wall(10_000).margin(Metric::Wall), 196);
        assert_eq!(wall(10_001).margin(Metric::Wall), 197);
        assert_eq!(wall(1).margin(Metric::Wall), 2);
        assert_eq!(wall(0).margin(Metric::Wall), 0);
        assert_eq!(wall(10_000).margin(Metric::Cpu), 0);
        assert_eq!(wall(u128::MAX).margin(Metric::Wall), u64::MAX);
        assert_eq!(wall(u128::MAX).standard_error(Metric::Wall), u64::MAX);
    }

    #[test]
    fn a_margin_is_notable_above_one_percent() {
        // The margin is 196.
        assert!(!wall(10_000).is_notable(Metric::Wall, 19_600));
        assert!(wall(10_000).is_notable(Metric::Wall, 19_599));
        assert!(wall(10_000).is_notable(Metric::Wall, -19_599));
        assert!(!wall(10_000).is_notable(Metric::Wall, 0));
        assert!(!wall(0).is_notable(Metric::Wall, 0));
        assert!(wall(u128::MAX).is_notable(Metric::Wall, i64::MIN));
    }

    #[test]
    fn rows_are_sorted_added_up_and_left_out_if_exact() {
        let estimate = |untimed, variance| Estimate {
            untimed,
            variance: wall(variance),
        };
        let rows = [
            (5, estimate(2, 3)),
            (1, estimate(0, 0)),
            (5, estimate(1, 4)),
            (2, estimate(9, 0)),
        ];
        let estimates: Estimates = rows.into_iter().collect();
        let all: Vec<_> = estimates.iter().collect();
        assert_eq!(all, [(2, estimate(9, 0)), (5, estimate(3, 7))]);
        assert_eq!((estimates.len(), estimates.untimed()), (2, 12));
        assert_eq!(estimates.of(5_u32).timed(10), 7);
        assert!(estimates.of(1_u32).is_exact() && estimates.of(9_u32).is_exact());
        let mut sum = EstimateSum::default();
        for (row, estimate) in rows {
            sum.add(row, estimate);
        }
        assert_eq!(sum.finish(), estimates);
        let together = estimates.renumbered(|row| (row < 9).then_some(0));
        assert_eq!(together.of(0_u32), estimate(12, 7));
    }
}
