//! Clocks that leave out what the profiler costs, with `xhprof.compensate`.
//!
//! One set of hooks for all clocks below: what is asked at each call here is
//! known when these hooks were measured, and left out with the rest.

use std::cell::UnsafeCell;

use recorder::{Overhead, VirtualClock};

use super::{Clocks, CpuTime, CycleCounter, CycleCounterForBoth, Monotonic, Source};
use crate::zend::FunctionKind;
use crate::zend::per_thread::per_thread;

/// What a call costs, in the ticks of each clock.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct CallCost {
    /// In wall time.
    pub(crate) wall: Overhead,
    /// In CPU time.
    pub(crate) cpu: Overhead,
}

/// What calls of both kinds cost.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct CallCosts {
    /// Functions of the user.
    pub(crate) user: CallCost,
    /// Functions of PHP.
    pub(crate) internal: CallCost,
}

/// This thread's clocks.
#[derive(Clone, Copy)]
struct Running {
    source: Source,
    cpu_time: CpuTime,
    costs: CallCosts,
    wall: VirtualClock,
    cpu: VirtualClock,
}

const NOTHING: Overhead = Overhead {
    inside: 0,
    outside: 0,
};

const FREE: CallCost = CallCost {
    wall: NOTHING,
    cpu: NOTHING,
};

per_thread! {
    static RUNNING: UnsafeCell<Running> = UnsafeCell::new(Running {
        source: Source::Monotonic,
        cpu_time: CpuTime::SystemCall,
        costs: CallCosts { user: FREE, internal: FREE },
        wall: VirtualClock::new(),
        cpu: VirtualClock::new(),
    });
}

/// Begins to leave `costs` out.
pub(super) fn start(source: Source, cpu_time: CpuTime, costs: CallCosts) {
    *running() = Running {
        source,
        cpu_time,
        costs,
        wall: VirtualClock::new(),
        cpu: VirtualClock::new(),
    };
}

fn running() -> &'static mut Running {
    // SAFETY: this thread's; the functions of this file use it one after the
    // other, and call nothing that comes back here.
    unsafe { &mut *RUNNING.get().get() }
}

/// The clocks of [`start`].
pub(crate) struct Compensated;

impl Running {
    fn cost_of(&self, kind: FunctionKind) -> CallCost {
        match kind {
            FunctionKind::User => self.costs.user,
            FunctionKind::Internal => self.costs.internal,
        }
    }
}

impl Clocks for Compensated {
    #[inline]
    fn wall_at_entry() -> u64 {
        let running = running();
        let ticks = match running.source {
            Source::Counter => CycleCounter::wall_at_entry(),
            Source::Monotonic => Monotonic::wall_at_entry(),
        };
        running.wall.at_entry(ticks)
    }

    #[inline]
    fn wall_at_exit(kind: FunctionKind) -> u64 {
        let running = running();
        let ticks = match running.source {
            Source::Counter => CycleCounter::wall_at_exit(kind),
            Source::Monotonic => Monotonic::wall_at_exit(kind),
        };
        let cost = running.cost_of(kind).wall;
        running.wall.at_exit(ticks, cost)
    }

    #[inline]
    fn both_at_entry() -> (u64, u64) {
        let running = running();
        let (wall, cpu) = match (running.source, running.cpu_time) {
            (Source::Counter, CpuTime::Counter(_)) => CycleCounterForBoth::both_at_entry(),
            (Source::Counter, CpuTime::SystemCall) => CycleCounter::both_at_entry(),
            (Source::Monotonic, _) => Monotonic::both_at_entry(),
        };
        (running.wall.at_entry(wall), running.cpu.at_entry(cpu))
    }

    #[inline]
    fn both_at_exit(kind: FunctionKind) -> (u64, u64) {
        let running = running();
        let (wall, cpu) = match (running.source, running.cpu_time) {
            (Source::Counter, CpuTime::Counter(_)) => CycleCounterForBoth::both_at_exit(kind),
            (Source::Counter, CpuTime::SystemCall) => CycleCounter::both_at_exit(kind),
            (Source::Monotonic, _) => Monotonic::both_at_exit(kind),
        };
        let cost = running.cost_of(kind);
        (
            running.wall.at_exit(wall, cost.wall),
            running.cpu.at_exit(cpu, cost.cpu),
        )
    }
}
