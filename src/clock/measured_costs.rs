//! The profiler's cost per call as it was measured, in picoseconds.

use recorder::{Overhead, Pace, TickRate, Ticks};

use super::{CallCost, CallCosts};

/// The cost between the two readings of a call, and outside of them, in
/// picoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Parts {
    pub(crate) inside: u64,
    pub(crate) outside: u64,
}

/// The costs of calls of both kinds, in wall time and in CPU time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct MeasuredCosts {
    pub(crate) user: [Parts; 2],
    pub(crate) internal: [Parts; 2],
    /// The pace at which these costs hold.
    pub(crate) pace: Pace,
}

impl MeasuredCosts {
    /// The costs in ticks.
    pub(crate) fn to_costs(self, wall: TickRate, cpu: TickRate) -> CallCosts {
        // `outside` absorbs the rounding of `inside`, so that the sum is right.
        let overhead = |rate, parts: Parts| {
            let inside = ticks(rate, parts.inside);
            let sum = ticks(rate, parts.inside + parts.outside);
            Overhead {
                inside,
                outside: sum.since(inside),
            }
        };
        let cost = |[in_wall, in_cpu]: [Parts; 2]| CallCost {
            wall: overhead(wall, in_wall),
            cpu: overhead(cpu, in_cpu),
        };
        CallCosts {
            user: cost(self.user),
            internal: cost(self.internal),
            pace: self.pace,
        }
    }

    /// The cost of a call of a user function, and of an internal function, in
    /// nanoseconds of wall time.
    pub(crate) fn nanoseconds(self) -> [f64; 2] {
        [self.user, self.internal].map(|[parts, _]| {
            #[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
            let ns = (parts.inside + parts.outside) as f64 / 1e3;
            ns
        })
    }
}

/// Picoseconds as ticks.
fn ticks(rate: TickRate, ps: u64) -> Ticks {
    let Ticks(thousandfold) = rate.ticks_in_nanoseconds(ps);
    Ticks((thousandfold + 500) / 1_000)
}
