//! A clock that excludes the profiler's own cost.
//!
//! A call costs some ticks between its two readings, which would be charged to
//! the callee, and some outside of them, which would be charged to its callers.
//! Calibration measures both. This clock stands still for that long, which
//! excludes them from every cost, in edges and in trees.
//!
//! The clock never steps back: if a call's overhead was lower than the
//! calibrated one, the clock stands still until the call's exit, and the
//! remaining difference is dropped. So no cost is negative, and a caller's
//! still contains all of its callees'.

use crate::Ticks;

/// The profiler's cost at each call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Overhead {
    /// Between the readings at entry and exit.
    pub inside: Ticks,
    /// Before the first reading and after the last one.
    pub outside: Ticks,
}

/// The time without the profiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VirtualClock {
    /// The difference from the true clock.
    behind: Ticks,
    /// The last returned time.
    last: Ticks,
}

impl VirtualClock {
    /// A clock without any excluded time.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            behind: Ticks::ZERO,
            last: Ticks::ZERO,
        }
    }

    /// The time at a call's entry, or at another event, when the true clock
    /// shows `ticks`.
    #[inline(always)]
    pub fn at_entry(&mut self, ticks: Ticks) -> Ticks {
        self.not_before_last(ticks.wrapping_sub(self.behind))
    }

    /// A time, or the last one if that is later, without a branch: which one it is, the
    /// processor could only guess.
    #[inline(always)]
    fn not_before_last(&mut self, time: Ticks) -> Ticks {
        let later = time.0.cast_signed().max(self.last.0.cast_signed());
        self.last = Ticks(later.cast_unsigned());
        self.last
    }

    /// The time at the exit of a call with this `overhead`.
    #[inline(always)]
    pub fn at_exit(&mut self, ticks: Ticks, overhead: Overhead) -> Ticks {
        let behind = self.behind.wrapping_add(overhead.inside);
        let time = self.not_before_last(ticks.wrapping_sub(behind));
        self.behind = ticks.wrapping_sub(time).wrapping_add(overhead.outside);
        time
    }

    /// Stands still for this many ticks from now on.
    #[inline(always)]
    pub fn leave_out(&mut self, ticks: Ticks) {
        self.behind = self.behind.wrapping_add(ticks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: Overhead = Overhead {
        inside: Ticks(3),
        outside: Ticks(5),
    };

    fn overhead(inside: u64, outside: u64) -> Overhead {
        Overhead {
            inside: Ticks(inside),
            outside: Ticks(outside),
        }
    }

    /// Runs `calls` callees of `work` ticks under a profiler that costs `real`
    /// and is calibrated as `CALL`; returns the cost of the callees and of
    /// their caller.
    fn profiled(calls: u64, work: u64, real: Overhead) -> (u64, u64) {
        let mut clock = VirtualClock::new();
        let mut ticks = 1_000;
        let start = clock.at_entry(Ticks(ticks));
        let mut callees = 0;
        for _ in 0..calls {
            let entered = clock.at_entry(Ticks(ticks));
            ticks += work + real.inside.0;
            callees += clock.at_exit(Ticks(ticks), CALL).since(entered).0;
            ticks += real.outside.0;
        }
        let end = clock.at_exit(Ticks(ticks), Overhead::default());
        (callees, end.since(start).0)
    }

    #[test]
    fn the_overhead_is_charged_to_no_function() {
        assert_eq!(profiled(10, 100, CALL), (1_000, 1_000));
    }

    #[test]
    fn without_overhead_it_is_the_true_clock() {
        let mut clock = VirtualClock::new();
        assert_eq!(clock.at_entry(Ticks(7)), Ticks(7));
        assert_eq!(clock.at_exit(Ticks(19), Overhead::default()), Ticks(19));
    }

    #[test]
    fn excluded_time_is_charged_to_no_function() {
        let mut clock = VirtualClock::new();
        let entered = clock.at_entry(Ticks(100));
        clock.leave_out(Ticks(30));
        let left = clock.at_exit(Ticks(150), Overhead::default());
        assert_eq!(left.since(entered), Ticks(20));
    }

    #[test]
    fn calls_cheaper_than_usual_cost_nothing_and_never_less() {
        let none = Overhead::default();
        assert_eq!(profiled(10, 0, none), (0, 0));
        let (callees, caller) = profiled(10, 4, none);
        assert!(callees <= caller && caller <= 40, "{callees} of {caller}");
    }

    #[test]
    fn a_caller_always_contains_its_callees() {
        for work in 0..20 {
            for inside in 0..8 {
                for outside in 0..8 {
                    let (callees, caller) = profiled(50, work, overhead(inside, outside));
                    assert!(callees <= caller, "{work} {inside} {outside}");
                }
            }
        }
    }

    #[test]
    fn looking_at_it_changes_nothing() {
        let mut clock = VirtualClock::new();
        clock.at_exit(Ticks(100), CALL);
        let mut looked_at = clock;
        looked_at.at_entry(Ticks(101));
        assert_eq!(looked_at.at_entry(Ticks(120)), clock.at_entry(Ticks(120)));
    }

    #[test]
    fn it_never_goes_back() {
        let mut clock = VirtualClock::new();
        let mut last = Ticks::ZERO;
        for ticks in [50, 40, 41, 45, 60, 10, 90] {
            let now = clock.at_exit(Ticks(ticks), CALL);
            assert!(now >= last);
            last = now;
        }
    }
}
