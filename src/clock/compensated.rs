//! Clocks that subtract the profiler's own cost, for `xhprof.compensate`.
//!
//! One set of hooks serves all clock sources. The branches on the source at each
//! call were part of the measurement of these hooks, so they are subtracted, too.
//!
//! The cost follows the processor's pace, which is measured each millisecond.
//! The time of that measurement is subtracted as well.

use std::cell::UnsafeCell;

use recorder::{Overhead, Pace, TickRate, Ticks, VirtualClock};

use super::pace::pace;
use super::{Clocks, CpuTime, CycleCounter, CycleCounterForBoth, Monotonic, Source};
use crate::zend::FunctionKind;
use crate::zend::per_thread::per_thread;

/// The profiler's cost per call, in the ticks of each clock.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct CallCost {
    /// In wall time.
    pub(crate) wall: Overhead,
    /// In CPU time.
    pub(crate) cpu: Overhead,
}

/// The profiler's cost for calls of both kinds, at one pace of the processor.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct CallCosts {
    /// Calls of user functions.
    pub(crate) user: CallCost,
    /// Calls of internal functions.
    pub(crate) internal: CallCost,
    /// The pace at which these costs were measured.
    pub(crate) pace: Pace,
}

impl CallCosts {
    /// The costs scaled to another pace.
    fn at(self, pace: Pace) -> Self {
        let scale = |cost| self.pace.scale_overhead(cost, pace);
        let both = |cost: CallCost| CallCost {
            wall: scale(cost.wall),
            cpu: scale(cost.cpu),
        };
        Self {
            user: both(self.user),
            internal: both(self.internal),
            pace,
        }
    }
}

/// Time between two measurements of the pace, in nanoseconds.
const PACE_INTERVAL_NS: u64 = 1_000_000;

/// This thread's clocks.
#[derive(Clone, Copy)]
struct Running {
    source: Source,
    cpu_time: CpuTime,
    /// The costs at the pace that was measured last.
    costs: CallCosts,
    /// The costs as they were measured.
    measured: CallCosts,
    /// The tick rates of the wall clock and of the CPU clock.
    rates: [TickRate; 2],
    /// When to measure the pace again, by the wall clock, and the interval.
    next_pace_update: Ticks,
    pace_interval: Ticks,
    wall: VirtualClock,
    cpu: VirtualClock,
}

const NOTHING: Overhead = Overhead {
    inside: Ticks::ZERO,
    outside: Ticks::ZERO,
};

const FREE: CallCost = CallCost {
    wall: NOTHING,
    cpu: NOTHING,
};

const ALL_FREE: CallCosts = CallCosts {
    user: FREE,
    internal: FREE,
    pace: Pace::UNKNOWN,
};

per_thread! {
    static RUNNING: UnsafeCell<Running> = UnsafeCell::new(Running {
        source: Source::Monotonic,
        cpu_time: CpuTime::SystemCall,
        costs: ALL_FREE,
        measured: ALL_FREE,
        rates: [TickRate::NANOSECONDS; 2],
        next_pace_update: Ticks::MAX,
        pace_interval: Ticks::ZERO,
        wall: VirtualClock::new(),
        cpu: VirtualClock::new(),
    });
}

/// Begins to subtract `costs` from clocks with these rates, wall and CPU.
pub(super) fn start(source: Source, cpu_time: CpuTime, costs: CallCosts, rates: [TickRate; 2]) {
    let [wall_rate, _] = rates;
    let begun = Running {
        source,
        cpu_time,
        costs,
        measured: costs,
        rates,
        // At the first exit, if the pace is known.
        next_pace_update: if costs.pace.is_known() {
            Ticks::ZERO
        } else {
            Ticks::MAX
        },
        pace_interval: wall_rate.ticks_in_nanoseconds(PACE_INTERVAL_NS),
        wall: VirtualClock::new(),
        cpu: VirtualClock::new(),
    };
    // SAFETY: no other reference is in use: the clocks' functions drop theirs
    // before they return, and none of them calls this function.
    unsafe { *running() = begun };
}

/// This thread's clocks.
///
/// # Safety
///
/// The caller must hold no other reference of this function, and must drop this one
/// before it returns or calls a function that calls this one.
#[inline(always)]
unsafe fn running<'a>() -> &'a mut Running {
    // SAFETY: this thread's data, and the caller's promise.
    unsafe { &mut *RUNNING.get().get() }
}

/// The clocks of [`start`].
pub(crate) struct Compensated;

impl Running {
    #[inline(always)]
    fn cost_of(&self, kind: FunctionKind) -> CallCost {
        match kind {
            FunctionKind::User => self.costs.user,
            FunctionKind::Internal => self.costs.internal,
        }
    }

    fn wall_ticks(&self) -> Ticks {
        match self.source {
            Source::Counter => CycleCounter::wall_at_entry(),
            Source::Monotonic => Monotonic::wall_at_entry(),
        }
    }

    /// Scales the costs to the current pace. Called at an exit, after both clocks
    /// have been read.
    #[cold]
    #[inline(never)]
    fn update_pace(&mut self, now: Ticks) {
        self.costs = self.measured.at(pace());
        self.next_pace_update = now.saturating_add(self.pace_interval);
        let took = self.wall_ticks().since(now);
        let [wall_rate, cpu_rate] = self.rates;
        self.wall.leave_out(took);
        self.cpu
            .leave_out(cpu_rate.ticks_in_nanoseconds(wall_rate.nanoseconds(took)));
    }
}

impl Clocks for Compensated {
    #[inline]
    fn wall_at_entry() -> Ticks {
        // SAFETY: the only reference: `Running` and the other clocks call nothing of
        // this trait's for this type.
        let running = unsafe { running() };
        let ticks = running.wall_ticks();
        running.wall.at_entry(ticks)
    }

    #[inline]
    fn wall_at_exit(kind: FunctionKind) -> Ticks {
        // SAFETY: the only reference: `Running` and the other clocks call nothing of
        // this trait's for this type.
        let running = unsafe { running() };
        let ticks = match running.source {
            Source::Counter => CycleCounter::wall_at_exit(kind),
            Source::Monotonic => Monotonic::wall_at_exit(kind),
        };
        let cost = running.cost_of(kind).wall;
        let time = running.wall.at_exit(ticks, cost);
        if ticks >= running.next_pace_update {
            running.update_pace(ticks);
        }
        time
    }

    #[inline]
    fn both_at_entry() -> (Ticks, Ticks) {
        // SAFETY: the only reference: `Running` and the other clocks call nothing of
        // this trait's for this type.
        let running = unsafe { running() };
        let (wall, cpu) = match (running.source, running.cpu_time) {
            (Source::Counter, CpuTime::Counter) => CycleCounterForBoth::both_at_entry(),
            (Source::Counter, CpuTime::SystemCall) => CycleCounter::both_at_entry(),
            (Source::Monotonic, _) => Monotonic::both_at_entry(),
        };
        (running.wall.at_entry(wall), running.cpu.at_entry(cpu))
    }

    #[inline]
    fn both_at_exit(kind: FunctionKind) -> (Ticks, Ticks) {
        // SAFETY: the only reference: `Running` and the other clocks call nothing of
        // this trait's for this type.
        let running = unsafe { running() };
        let (wall, cpu) = match (running.source, running.cpu_time) {
            (Source::Counter, CpuTime::Counter) => CycleCounterForBoth::both_at_exit(kind),
            (Source::Counter, CpuTime::SystemCall) => CycleCounter::both_at_exit(kind),
            (Source::Monotonic, _) => Monotonic::both_at_exit(kind),
        };
        let cost = running.cost_of(kind);
        let times = (
            running.wall.at_exit(wall, cost.wall),
            running.cpu.at_exit(cpu, cost.cpu),
        );
        if wall >= running.next_pace_update {
            running.update_pace(wall);
        }
        times
    }
}
