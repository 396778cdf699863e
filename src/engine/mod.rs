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
mod plan;
mod state;

pub(crate) use execute::Hooks;
pub(crate) use plan::{Measure, hooks_for, sampling_hooks};
pub(crate) use state::{State, with_state};

use std::sync::atomic::{AtomicU32, Ordering};

use crate::zend;

/// Threads that profile right now. Hooks are global to the process.
static USERS: AtomicU32 = AtomicU32::new(0);

/// Arms the engine at MINIT, before any code is compiled: from here on, calls
/// are compiled so that hooks put in later will see them.
pub(crate) fn arm() {
    zend::reserve_slots();
    execute::arm();
    compile::arm();
    fibers::arm();
    errors::arm();
}

/// Does for this thread what [`arm`] did for the first one, at RINIT.
pub(crate) fn arm_thread() {
    zend::make_user_calls_visible();
}

/// Gives all hooks back at MSHUTDOWN.
pub(crate) fn disarm() {
    execute::disarm();
    compile::disarm();
    zend::stop_making_user_calls_visible();
}

/// Puts hooks in that record by `plan`, as soon as there is a recorder, or a
/// sampler, in the state.
pub(crate) fn install(plan: Hooks) {
    // Asking for the stack's bounds takes long once; not on the program's time.
    let _ = zend::stack::thread_bounds();
    with_state(|state| {
        state.plan = plan;
        state.hooks = plan;
        state.guard = guard::Guard::new();
    });
    if USERS.fetch_add(1, Ordering::AcqRel) == 0 {
        execute::install();
        compile::install();
    }
}

/// Ends what [`install`] began.
pub(crate) fn uninstall() {
    with_state(|state| {
        state.plan = Hooks::PASS;
        guard::after_jump(state);
        state.hooks = Hooks::PASS;
    });
    if USERS.fetch_sub(1, Ordering::AcqRel) == 1 {
        compile::uninstall();
        execute::uninstall();
    }
}
