//! Selects hooks that are specialised for what a profile measures.

use std::marker::PhantomData;

use ext_php_rs::ffi::zend_execute_data;
use recorder::{Plan, Reading, Shape};

use super::Hooks;
use super::marks::{ByChain, ByStack, Marks};
use super::{Engine, execute, internal, observer, sampling};
use crate::clock::{
    Clock, Clocks, Compensated, CpuTime, CycleCounter, CycleCounterForBoth, Monotonic, Source,
};
use crate::zend::{self, FunctionKind};

/// What the hooks of one profile measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measure {
    /// The clocks.
    pub(crate) clock: Clock,
    /// CPU time too.
    pub(crate) cpu: bool,
    /// Memory and peak too.
    pub(crate) memory: bool,
    /// How calls are stored.
    pub(crate) shape: Shape,
    /// Internal functions too.
    pub(crate) builtins: bool,
    /// The profiler's own cost is subtracted.
    pub(crate) compensates: bool,
}

/// A [`Plan`] with clocks to read and frames to mark.
pub(super) trait Tracing: Plan {
    /// How frames are marked.
    type Marks: Marks;

    /// Reads the plan's clocks and counters; the wall clock last at entry…
    fn read_at_entry() -> Reading;
    /// … and first at exit, so that reading the rest is not charged to the callee.
    fn read_at_exit_of(kind: FunctionKind) -> Reading;

    /// The same at the end of a user function, or outside of any call.
    #[inline(always)]
    fn read_at_exit() -> Reading {
        Self::read_at_exit_of(FunctionKind::User)
    }

    /// The call's site.
    #[inline(always)]
    fn site(data: *mut zend_execute_data) -> <Self::Marks as Marks>::Site {
        Self::Marks::site(data)
    }
}

/// A plan with clocks and marks as types, the rest as constants.
pub(super) struct Traced<C, M, S, const CPU: bool, const MEMORY: bool>(PhantomData<(C, M, S)>);

/// A [`Shape`] as a type.
pub(super) trait Shaped {
    /// The shape is a tree or events.
    const TREE: bool;
    /// The shape is events.
    const EVENTS: bool;
}

struct Edges;
struct Tree;
struct Events;

impl Shaped for Edges {
    const TREE: bool = false;
    const EVENTS: bool = false;
}

impl Shaped for Tree {
    const TREE: bool = true;
    const EVENTS: bool = false;
}

impl Shaped for Events {
    const TREE: bool = true;
    const EVENTS: bool = true;
}

impl<C, M: Marks, S: Shaped, const CPU: bool, const MEMORY: bool> Plan
    for Traced<C, M, S, CPU, MEMORY>
{
    const CPU: bool = CPU;
    const MEMORY: bool = MEMORY;
    const TREE: bool = S::TREE;
    const EVENTS: bool = S::EVENTS;
    const ENDS_EARLY: bool = M::ENDS_EARLY;
}

impl<C: Clocks, M: Marks, S: Shaped, const CPU: bool, const MEMORY: bool> Tracing
    for Traced<C, M, S, CPU, MEMORY>
{
    type Marks = M;

    #[inline(always)]
    fn read_at_entry() -> Reading {
        let (memory, peak) = if MEMORY { zend::memory() } else { (0, 0) };
        let (wall, cpu) = if CPU {
            C::both_at_entry()
        } else {
            (C::wall_at_entry(), 0)
        };
        Reading {
            wall,
            cpu,
            memory,
            peak,
        }
    }

    #[inline(always)]
    fn read_at_exit_of(kind: FunctionKind) -> Reading {
        let (wall, cpu) = if CPU {
            C::both_at_exit(kind)
        } else {
            (C::wall_at_exit(kind), 0)
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

/// The hooks for `measure`.
pub(crate) fn hooks_for(engine: Engine, measure: Measure) -> Hooks {
    let hooks = match engine {
        Engine::Execute => with_marks::<ByStack>(measure),
        Engine::Observer => with_marks::<ByChain>(measure),
    };
    without_unwanted(hooks, measure.builtins)
}

/// The hooks of the sampling mode, in both engines.
pub(super) fn sampling_hooks() -> Hooks {
    Hooks {
        user: sampling::user,
        end: sampling::end,
        internal: sampling::internal,
        ..Hooks::PASS
    }
}

fn without_unwanted(mut hooks: Hooks, builtins: bool) -> Hooks {
    if !builtins {
        hooks.internal = Hooks::PASS.internal;
    }
    hooks
}

fn with_marks<M: Marks>(measure: Measure) -> Hooks {
    if measure.compensates {
        return with_clock::<Compensated, M>(measure);
    }
    match (measure.clock.source, measure.clock.cpu) {
        (Source::Counter, CpuTime::Counter(_)) => with_clock::<CycleCounterForBoth, M>(measure),
        (Source::Counter, CpuTime::SystemCall) => with_clock::<CycleCounter, M>(measure),
        (Source::Monotonic, _) => with_clock::<Monotonic, M>(measure),
    }
}

fn with_clock<C: Clocks, M: Marks>(measure: Measure) -> Hooks {
    match measure.shape {
        Shape::Edges => with_shape::<C, M, Edges>(measure),
        Shape::Tree => with_shape::<C, M, Tree>(measure),
        Shape::Events => with_shape::<C, M, Events>(measure),
    }
}

fn with_shape<C: Clocks, M: Marks, S: Shaped>(measure: Measure) -> Hooks {
    match (measure.cpu, measure.memory) {
        (false, false) => traced::<Traced<C, M, S, false, false>>(),
        (false, true) => traced::<Traced<C, M, S, false, true>>(),
        (true, false) => traced::<Traced<C, M, S, true, false>>(),
        (true, true) => traced::<Traced<C, M, S, true, true>>(),
    }
}

fn traced<T: Tracing>() -> Hooks {
    Hooks {
        user: execute::traced::<T>,
        begin: observer::traced_begin::<T>,
        end: observer::traced_end::<T>,
        internal: internal::traced::<T>,
        read: T::read_at_exit,
        enter: |recorder, symbol, data| {
            recorder.enter::<T>(symbol, &T::site(data), T::read_at_entry)
        },
        enter_now: |recorder, symbol| {
            recorder.enter::<T>(symbol, &T::Marks::site_now(), T::read_at_entry)
        },
        enter_truncated: |recorder, data| {
            recorder.enter_truncated::<T>(&T::site(data), T::read_at_entry)
        },
        leave: |recorder, token| recorder.leave::<T>(token, T::read_at_exit),
        end_marked: |recorder, mark| recorder.end_marked::<T>(mark, T::read_at_exit),
        fiber_switched: |recorder, from, to| {
            recorder.fiber_switched::<T>(from, to, T::read_at_exit());
        },
        fiber_destroyed: |recorder, fiber| recorder.fiber_destroyed::<T>(fiber),
        finish: |recorder| recorder.finish::<T>(T::read_at_exit()),
        snapshot: |recorder| Some(recorder.snapshot::<T>(T::read_at_exit())),
        snapshot_while_paused: |recorder| Some(recorder.snapshot::<T>(Reading::default())),
        pause: |recorder| recorder.pause::<T>(T::read_at_exit()),
        resume: |recorder| recorder.resume::<T>(&T::Marks::site_now(), T::read_at_exit()),
        pass: |recorder, symbol, time| recorder.pass::<T>(symbol, time, &T::Marks::site_now()),
        end_marked_while_paused: |recorder, mark| recorder.end_marked_while_paused::<T>(mark),
        fiber_switched_while_paused: |recorder, from, to| {
            recorder.fiber_switched::<T>(from, to, Reading::default());
        },
        finish_while_paused: |recorder| recorder.finish::<T>(Reading::default()),
    }
}
