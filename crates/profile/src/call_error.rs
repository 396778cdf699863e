//! The error of the cost that is subtracted from each call.
//!
//! With adaptive timing, the extension subtracts from each call what its hooks
//! cost. That is one number for all functions, and the true cost differs from
//! function to function. The difference is the same at all calls of a function:
//! their number does not average it out, so this error grows with the calls, not
//! with their root.
//!
//! - A row of `n` calls of a function that is called `N` times in the profile
//!   has `n N u²` of it as a part of its variance, where `u` is the
//!   [`CallError`]. So the rows of a function add up to `(N u)²`, in whatever
//!   rows its calls are divided: callers, recursion levels, paths.
//! - The errors of different functions are independent. A caller's self cost has
//!   the errors of all its callees, because variances of rows are added up.
//! - Of profiles that are added up, the calls are added up, not these variances:
//!   the errors of two runs are the same. So [`Merger`](crate::Merger) takes the
//!   part out of each profile and puts it into the sum; [`Diff`](crate::Diff)
//!   does not let it shrink with the number of runs.
//!
//! **Invariant:** the part is linear in the calls of a row. So folding a tree
//! into edges, or dividing an edge among paths, needs no correction.

use crate::{Estimate, Estimates, Metrics, NumberMap, SymbolId, Variance};

/// The standard error of the cost that is subtracted from each call: zero where
/// nothing is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallError {
    /// In wall time, in picoseconds.
    pub wall_ps: u64,
    /// In CPU time, in picoseconds.
    pub cpu_ps: u64,
}

impl CallError {
    /// No error.
    pub const NONE: Self = Self {
        wall_ps: 0,
        cpu_ps: 0,
    };

    /// The larger one of each clock.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            wall_ps: self.wall_ps.max(other.wall_ps),
            cpu_ps: self.cpu_ps.max(other.cpu_ps),
        }
    }

    /// The same without the clocks that were not read.
    pub(crate) fn measured(self, metrics: Metrics) -> Self {
        Self {
            cpu_ps: if metrics.cpu { self.cpu_ps } else { 0 },
            ..self
        }
    }

    /// The part of a row of `calls` calls of a function with `all` of them.
    fn variance(self, calls: u64, all: u64) -> Variance {
        let product = u128::from(calls).saturating_mul(u128::from(all));
        let of = |error: u64| {
            let square = u128::from(error).saturating_mul(u128::from(error));
            product.saturating_mul(square).div_ceil(1_000_000)
        };
        Variance {
            wall: of(self.wall_ps),
            cpu: of(self.cpu_ps),
            ..Variance::ZERO
        }
    }

    /// The part of each row, given its number, its function and its calls.
    pub(crate) fn of_rows(
        self,
        rows: impl Iterator<Item = (u32, SymbolId, u64)> + Clone,
    ) -> Estimates {
        let mut all: NumberMap<u32, u64> = NumberMap::default();
        for (_, symbol, calls) in rows.clone() {
            let sum = all.entry(symbol.0).or_default();
            *sum = sum.saturating_add(calls);
        }
        let part = |(row, symbol, calls): (u32, SymbolId, u64)| {
            let all = all.get(&symbol.0).copied().unwrap_or_default();
            let estimate = Estimate {
                untimed: 0,
                variance: self.variance(calls, all),
            };
            (row, estimate)
        };
        rows.map(part).collect()
    }
}
