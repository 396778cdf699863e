//! What is measured, turned into a pair of hooks made for exactly that.

use std::marker::PhantomData;

use recorder::{Plan, Reading};

use super::Hooks;
use super::execute::{internal, sampled_internal, sampled_user, user};
use crate::clock::{Clock, Clocks, CpuTime, CycleCounter, CycleCounterForBoth, Monotonic, Source};
use crate::zend;

/// What the hooks of one profile measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measure {
    /// The clocks.
    pub(crate) clock: Clock,
    /// CPU time too.
    pub(crate) cpu: bool,
    /// Memory and peak too.
    pub(crate) memory: bool,
    /// Whole paths instead of edges.
    pub(crate) tree: bool,
    /// Internal functions too.
    pub(crate) builtins: bool,
}

/// A [`Plan`] with a clock to read.
pub(super) trait Tracing: Plan {
    /// Reads what the plan asks for; the wall clock last at entry…
    fn read_at_entry() -> Reading;
    /// … and first at exit, so that reading the rest is not charged to the callee.
    fn read_at_exit() -> Reading;
}

pub(super) struct Traced<C, const CPU: bool, const MEMORY: bool, const TREE: bool>(PhantomData<C>);

impl<C, const CPU: bool, const MEMORY: bool, const TREE: bool> Plan
    for Traced<C, CPU, MEMORY, TREE>
{
    const CPU: bool = CPU;
    const MEMORY: bool = MEMORY;
    const TREE: bool = TREE;
}

impl<C: Clocks, const CPU: bool, const MEMORY: bool, const TREE: bool> Tracing
    for Traced<C, CPU, MEMORY, TREE>
{
    #[inline(always)]
    fn read_at_entry() -> Reading {
        let (memory, peak) = if MEMORY { zend::memory() } else { (0, 0) };
        let (wall, cpu) = if CPU {
            C::both_at_entry()
        } else {
            (C::wall(), 0)
        };
        Reading {
            wall,
            cpu,
            memory,
            peak,
        }
    }

    #[inline(always)]
    fn read_at_exit() -> Reading {
        let (wall, cpu) = if CPU {
            C::both_at_exit()
        } else {
            (C::wall(), 0)
        };
        let (memory, peak) = if MEMORY { zend::memory() } else { (0, 0) };
        Reading {
            wall,
            cpu,
            memory,
            peak,
        }
    }
}

/// The hooks that record what `measure` says.
pub(crate) fn hooks_for(measure: Measure) -> Hooks {
    let hooks = match (measure.clock.source, measure.clock.cpu) {
        (Source::Counter, CpuTime::Counter) => with_clock::<CycleCounterForBoth>(measure),
        (Source::Counter, CpuTime::SystemCall) => with_clock::<CycleCounter>(measure),
        (Source::Monotonic, _) => with_clock::<Monotonic>(measure),
    };
    without_unwanted(hooks, measure.builtins)
}

/// The hooks of the sampling mode.
pub(crate) fn sampling_hooks(builtins: bool) -> Hooks {
    let hooks = Hooks {
        user: sampled_user,
        internal: sampled_internal,
        ..Hooks::PASS
    };
    without_unwanted(hooks, builtins)
}

fn without_unwanted(mut hooks: Hooks, builtins: bool) -> Hooks {
    if !builtins {
        hooks.internal = Hooks::PASS.internal;
    }
    hooks
}

fn with_clock<C: Clocks>(measure: Measure) -> Hooks {
    match (measure.cpu, measure.memory, measure.tree) {
        (false, false, false) => traced::<Traced<C, false, false, false>>(),
        (false, false, true) => traced::<Traced<C, false, false, true>>(),
        (false, true, false) => traced::<Traced<C, false, true, false>>(),
        (false, true, true) => traced::<Traced<C, false, true, true>>(),
        (true, false, false) => traced::<Traced<C, true, false, false>>(),
        (true, false, true) => traced::<Traced<C, true, false, true>>(),
        (true, true, false) => traced::<Traced<C, true, true, false>>(),
        (true, true, true) => traced::<Traced<C, true, true, true>>(),
    }
}

fn traced<T: Tracing>() -> Hooks {
    Hooks {
        user: user::<T>,
        internal: internal::<T>,
        read: T::read_at_exit,
        enter: |recorder, symbol, stack| recorder.enter::<T>(symbol, stack, T::read_at_entry),
        enter_truncated: |recorder, stack| recorder.enter_truncated::<T>(stack, T::read_at_entry),
        leave: |recorder, token| recorder.leave::<T>(token, T::read_at_exit),
        fiber_destroyed: |recorder, fiber| recorder.fiber_destroyed::<T>(fiber),
        finish: |recorder| recorder.finish::<T>(T::read_at_exit()),
    }
}
