//! How calls are seen: the hooks, and the state that they share.
//!
//! The engine calls [`execute`]'s hooks for every function and [`compile`]'s
//! for every file; both end up in the recorder of the [`State`] of their
//! thread. What must stay true: a hook calls the previous hook exactly once on
//! every path, and holds nothing with a destructor while it does.

mod compile;
mod detail;
mod errors;
mod execute;
mod fibers;
mod guard;
mod hooks;
mod internal;
mod lookup;
mod marks;
mod observer;
mod plan;
pub(crate) mod sampling;
mod state;
mod suspended;
mod without_hooks;

pub(crate) use detail::end_all as end_spans;
pub(crate) use hooks::Hooks;
pub(crate) use plan::{Measure, hooks_for};
pub(crate) use state::{State, SuspendedRecording, with_state};
pub(crate) use without_hooks::without_hooks;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::zend;

/// Threads that profile right now. Hooks are global to the process.
static USERS: AtomicU32 = AtomicU32::new(0);
/// Those of them that trace.
static TRACERS: AtomicU32 = AtomicU32::new(0);

/// How user functions are seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    /// Through `zend_execute_ex`.
    Execute,
    /// Through the engine's observer API.
    Observer,
}

/// The engine of this process; none if nothing is hooked.
static ENGINE: OnceLock<Engine> = OnceLock::new();

/// The engine that was armed.
pub(crate) fn armed() -> Option<Engine> {
    ENGINE.get().copied()
}

/// Arms the engine at MINIT, before any code is compiled: from here on, calls
/// are compiled so that hooks put in later will see them.
pub(crate) fn arm(engine: Engine) {
    // A server that restarts its modules in place arms again.
    let engine = *ENGINE.get_or_init(|| engine);
    zend::reserve_slots();
    match engine {
        Engine::Execute => execute::arm(),
        Engine::Observer => observer::arm(),
    }
    internal::arm();
    compile::arm();
    fibers::arm();
    errors::arm();
}

/// Does for this thread what [`arm`] did for the first one, at RINIT.
pub(crate) fn arm_thread() {
    sampling::request_starts();
    zend::idle_slots::reclaim();
    if armed() == Some(Engine::Execute) {
        execute::arm();
    }
}

/// A request is over: until the next one, nothing has to be there.
pub(crate) fn request_is_over() {
    if armed().is_some() {
        zend::idle_slots::release();
    }
}

/// Gives all hooks back at MSHUTDOWN.
pub(crate) fn disarm() {
    if armed().is_some() {
        execute::disarm();
        internal::disarm();
        compile::disarm();
    }
}

/// Puts hooks in that record by `plan`, as soon as there is a recorder in the
/// state.
pub(crate) fn install(plan: Hooks) {
    // Asking for the stack's bounds takes long once; not on the program's time.
    let _ = zend::stack::thread_bounds();
    with_state(|state| {
        state.plan = plan;
        state.hooks = plan;
        state.guard = guard::Guard::new();
    });
    if TRACERS.fetch_add(1, Ordering::AcqRel) == 0 && armed() == Some(Engine::Execute) {
        execute::install();
    }
    add_user();
    if armed() == Some(Engine::Observer) {
        observer::install();
    }
}

fn add_user() {
    if USERS.fetch_add(1, Ordering::AcqRel) == 0 {
        compile::install();
    }
}

fn remove_user() {
    if USERS.fetch_sub(1, Ordering::AcqRel) == 1 {
        compile::uninstall();
        // Another thread may have begun meanwhile, and found the hook in place.
        if USERS.load(Ordering::Acquire) > 0 {
            compile::install();
        }
    }
}

/// Puts in what helps to sample, as soon as there is a sampler in the state.
/// Without an engine that is nothing.
pub(crate) fn install_sampling() {
    if armed().is_some() {
        with_state(|state| {
            state.plan = plan::sampling_hooks();
            state.hooks = state.plan;
            state.guard = guard::Guard::new();
        });
        add_user();
    }
}

/// Ends what [`install_sampling`] began.
pub(crate) fn uninstall_sampling() {
    if armed().is_some() {
        with_state(|state| {
            state.plan = Hooks::PASS;
            guard::after_bailout(state);
            state.hooks = Hooks::PASS;
        });
        remove_user();
    }
}

/// Lets the hooks that are installed record by another plan.
pub(crate) fn set_plan(plan: Hooks) {
    with_state(|state| {
        guard::after_bailout(state);
        state.plan = plan;
        state.hooks = plan;
        state.guard = guard::Guard::new();
    });
}

/// The same after another profile's hooks have come and gone.
pub(crate) fn set_plan_again(plan: Hooks) {
    set_plan(plan);
    if armed() == Some(Engine::Observer) {
        observer::install();
    }
}

/// Ends what [`install`] began.
pub(crate) fn uninstall() {
    with_state(|state| {
        state.plan = Hooks::PASS;
        guard::after_bailout(state);
        state.hooks = Hooks::PASS;
    });
    if armed() == Some(Engine::Observer) {
        observer::uninstall();
    }
    remove_user();
    if TRACERS.fetch_sub(1, Ordering::AcqRel) == 1 {
        execute::uninstall();
        // As in `remove_user`.
        if TRACERS.load(Ordering::Acquire) > 0 && armed() == Some(Engine::Execute) {
            execute::install();
        }
    }
}
