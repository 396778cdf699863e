//! Selects hooks that are specialised for what a profile measures.

use std::marker::PhantomData;

use ext_php_rs::ffi::zend_execute_data;
use recorder::{FiberId, Reading, Recorder, Shape, SymbolId, Token};

use super::{execute, internal, observer, sampled};
use crate::clock::{Clocks, CpuTime, CycleCounter, CycleCounterForBoth, Monotonic, Source};
use crate::engine::Engine;
use crate::engine::state::hook_table::{ColdHooks, Hooks};
use crate::engine::state::measure::Measure;
use crate::engine::tracing::{
    marks::{ByChain, ByStack, Marks},
    plan::{Edges, Events, EventsWithLines, Shaped, Traced, Tracing, Tree, TreeWithLines},
};
use crate::zend::Call;

/// The hooks for `measure`.
pub(crate) fn hooks_for(engine: Engine, measure: Measure) -> Hooks {
    let hooks = match engine {
        Engine::Execute => with_marks::<ByStack>(measure),
        Engine::Observer => with_marks::<ByChain>(measure),
    };
    without_unwanted(hooks, measure.builtins)
}

/// The hooks of the sampling mode, in both engines; without an engine none is called.
pub(crate) fn sampling_hooks() -> Hooks {
    if crate::engine::armed().is_none() {
        return Hooks::PASS;
    }
    Hooks {
        user: sampled::user,
        end: sampled::end,
        internal: sampled::internal,
        ..Hooks::PASS
    }
}

fn without_unwanted(mut hooks: Hooks, builtins: bool) -> Hooks {
    if !builtins {
        hooks.internal = Hooks::PASS.internal;
    }
    hooks
}

fn with_marks<M: Marks + 'static>(measure: Measure) -> Hooks {
    match (measure.clock.source, measure.clock.cpu) {
        (Source::Counter, CpuTime::Counter) => with_clock::<CycleCounterForBoth, M>(measure),
        (Source::Counter, CpuTime::SystemCall) => with_clock::<CycleCounter, M>(measure),
        (Source::Monotonic, _) => with_clock::<Monotonic, M>(measure),
    }
}

fn with_clock<C: Clocks + 'static, M: Marks + 'static>(measure: Measure) -> Hooks {
    match measure.shape {
        Shape::Edges => with_shape::<C, M, Edges>(measure),
        Shape::Tree if measure.lines => with_shape::<C, M, TreeWithLines>(measure),
        Shape::Tree => with_shape::<C, M, Tree>(measure),
        Shape::Events if measure.lines => with_shape::<C, M, EventsWithLines>(measure),
        Shape::Events => with_shape::<C, M, Events>(measure),
    }
}

fn with_shape<C: Clocks + 'static, M: Marks + 'static, S: Shaped + 'static>(
    measure: Measure,
) -> Hooks {
    match (measure.cpu, measure.memory) {
        (false, false) => traced::<Traced<C, M, S, false, false>>(),
        (false, true) => traced::<Traced<C, M, S, false, true>>(),
        (true, false) => traced::<Traced<C, M, S, true, false>>(),
        (true, true) => traced::<Traced<C, M, S, true, true>>(),
    }
}

fn traced<T: Tracing + 'static>() -> Hooks {
    let hooks = Hooks {
        internal: internal::traced::<T>,
        cold: &Running::<T>(PhantomData),
        ..Hooks::PASS
    };
    if T::ENDS_EARLY {
        Hooks {
            begin: observer::traced_begin::<T>,
            end: observer::traced_end::<T>,
            ..hooks
        }
    } else {
        Hooks {
            user: execute::traced::<T>,
            ..hooks
        }
    }
}

/// The table of a plan that records.
struct Running<T>(PhantomData<fn() -> T>);

impl<T: Tracing + 'static> ColdHooks for Running<T> {
    fn read(&self) -> Reading {
        T::read_at_exit()
    }

    fn enter(&self, recorder: &mut Recorder, symbol: SymbolId, call: Call<'_>) -> Option<Token> {
        recorder.enter_slowly::<T>(symbol, &T::site(call), T::read_at_entry)
    }

    fn enter_now(&self, recorder: &mut Recorder, symbol: SymbolId) -> Option<Token> {
        // SAFETY: the recorder knows no PHP, and the clocks call none.
        unsafe {
            T::Marks::with_site_now(|site| {
                recorder.enter_slowly::<T>(symbol, &site, T::read_at_entry)
            })
        }
    }

    fn enter_truncated(&self, recorder: &mut Recorder, call: Call<'_>) -> Option<Token> {
        recorder.enter_truncated::<T>(&T::site(call), T::read_at_entry)
    }

    fn leave(&self, recorder: &mut Recorder, token: Token) -> bool {
        recorder.leave_slowly::<T>(token, T::read_at_exit)
    }

    fn fiber_switched(&self, recorder: &mut Recorder, from: FiberId, to: FiberId) {
        recorder.fiber_switched::<T>(from, to, T::read_at_exit());
    }

    fn fiber_destroyed(&self, recorder: &mut Recorder, fiber: FiberId) {
        recorder.fiber_destroyed::<T>(fiber);
    }

    fn finish(&self, recorder: &mut Recorder) {
        recorder.finish::<T>(T::read_at_exit());
    }

    fn snapshot(&self, recorder: &Recorder) -> Option<Recorder> {
        Some(recorder.snapshot::<T>(T::read_at_exit()))
    }

    fn pause(&self, recorder: &mut Recorder) {
        recorder.pause::<T>(T::read_at_exit());
    }

    fn resume(&self, recorder: &mut Recorder) {
        // SAFETY: as in `enter_now`.
        unsafe { T::Marks::with_site_now(|site| recorder.resume::<T>(&site, T::read_at_exit())) };
    }

    fn pass(&self, recorder: &mut Recorder, symbol: SymbolId, time: Reading) {
        // SAFETY: as in `enter_now`.
        unsafe { T::Marks::with_site_now(|site| recorder.pass::<T>(symbol, time, &site)) };
    }

    fn paused_end(&self) -> unsafe fn(*mut zend_execute_data) {
        observer::end_slowly
    }
}
