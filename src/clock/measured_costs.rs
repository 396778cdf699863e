//! The profiler's cost per call as it was measured, in picoseconds.

use recorder::{Overhead, Pace, TickRate, Ticks};

use super::{CallCost, CallCosts};

/// The standard error of a call's cost, in percent: docs/timing.md, "What the check
/// found".
const ERROR_PERCENT: u64 = 40;

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
    /// Calls of both kinds that adaptive timing does not time.
    pub(crate) untimed: [u64; 2],
    /// What a timed call takes longer where most are not timed, in wall and in CPU time.
    pub(crate) surprise: [u64; 2],
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
            untimed: self.untimed.map(|ps| [ticks(wall, ps), ticks(cpu, ps)]),
            pace: self.pace,
        }
    }

    /// What a timed call takes longer where most are not timed, in ticks.
    pub(crate) fn surprise_in_ticks(self, wall: TickRate, cpu: TickRate) -> [Ticks; 2] {
        let [in_wall, in_cpu] = self.surprise;
        [ticks(wall, in_wall), ticks(cpu, in_cpu)]
    }

    /// The standard error of the cost of a call, in wall and in CPU time, in
    /// picoseconds.
    pub(crate) fn error(self) -> [u64; 2] {
        [0, 1].map(|clock| {
            let of = |parts: [Parts; 2]| {
                let parts = parts.get(clock).copied().unwrap_or_default();
                parts.inside + parts.outside
            };
            of(self.user).max(of(self.internal)) * ERROR_PERCENT / 100
        })
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
