//! The hooks that see calls, and the state that they share.
//!
//! PHP calls the functions in [`hooks`]. All of them write to the recorder in the
//! [`State`] of their thread. What they share while they trace is in [`tracing`], the
//! samples of a timer are in [`sampling`].

mod hooks;
mod sampling;
mod state;
mod tracing;

pub(crate) use hooks::choice::{hooks_for, sampling_hooks};
pub(crate) use hooks::detail::end_all as end_spans;
pub(crate) use hooks::fork::follow as follow_forks;
pub(crate) use hooks::sampled;
pub(crate) use sampling::{Rate, Session};
pub(crate) use state::measure::Measure;
pub(crate) use state::recording::{Mode, Recording, Running, Sampling, Tracing};
pub(crate) use state::suspension::Suspension;
pub(crate) use state::{State, is_lent, repair_after_bailout, with_state};
pub(crate) use tracing::call_line::{files_from as files_of_lines, forget_files as forget_lines};

use hooks::{compile, errors, fibers, guard, installed, observer};

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::zend;

/// The number of threads that record now. Hooks are global to the process.
static USERS: AtomicU32 = AtomicU32::new(0);
/// The number of threads that trace now.
static TRACERS: AtomicU32 = AtomicU32::new(0);

/// How user functions are observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    /// Through `zend_execute_ex`.
    Execute,
    /// Through the engine's observer API.
    Observer,
}

/// The engine of this process; none if nothing is hooked.
static ENGINE: OnceLock<Engine> = OnceLock::new();

/// The extension was loaded after code had been compiled, see [`refuse_to_arm`].
static IS_LOADED_LATE: AtomicBool = AtomicBool::new(false);

/// The engine that was armed.
pub(crate) fn armed() -> Option<Engine> {
    ENGINE.get().copied()
}

/// MINIT after `dl()`: arms nothing. Functions that are compiled already have no
/// run-time slot, and writing to it would destroy PHP's memory; their calls would
/// not check the hooks either.
pub(crate) fn refuse_to_arm() {
    IS_LOADED_LATE.store(true, Ordering::Relaxed);
}

/// Whether [`refuse_to_arm`] was called.
pub(crate) fn is_loaded_late() -> bool {
    IS_LOADED_LATE.load(Ordering::Relaxed)
}

/// Arms the engine at MINIT, before any code is compiled: calls are compiled so
/// that hooks installed later see them.
pub(crate) fn arm(engine: Engine) {
    // A server that restarts its modules in place arms again.
    let engine = *ENGINE.get_or_init(|| engine);
    zend::reserve_slots();
    match engine {
        Engine::Execute => installed::user::arm(),
        Engine::Observer => observer::arm(),
    }
    installed::internal::arm();
    compile::arm();
    fibers::arm();
    errors::arm();
}

/// RINIT: does for this thread what [`arm`] did for the first one.
pub(crate) fn arm_thread() {
    repair_after_bailout();
    sampled::request_starts();
    zend::idle_slots::reclaim();
    if armed() == Some(Engine::Execute) {
        installed::user::arm();
    }
}

/// After RSHUTDOWN: releases what is not needed between requests.
pub(crate) fn request_is_over() {
    if armed().is_some() {
        #[cfg(property_hooks)]
        {
            zend::property_hooks::forget_classes();
            with_state(|state| state.may_skip_hooks = false);
        }
        zend::forget_functions_seen();
        zend::idle_slots::release();
    }
}

/// MSHUTDOWN: takes all hooks out.
pub(crate) fn disarm() {
    if armed().is_some() {
        installed::user::disarm();
        installed::internal::disarm();
        compile::disarm();
    }
}

/// Chooses the hooks and the guard's bounds anew, after the active recording began,
/// ended or was paused.
pub(crate) fn recording_changed(state: &mut State) {
    tracing::call_line::recording_changed(state.active.session);
    guard::after_bailout(state);
    state.guard = state::bounds::Guard::new();
    state.choose_hooks();
}

/// Installs the hooks. They record as soon as a recording is active.
pub(crate) fn install() {
    // Finding the stack's bounds is slow once; it is done before recording starts.
    let _ = zend::stack::thread_bounds();
    if TRACERS.fetch_add(1, Ordering::AcqRel) == 0 && armed() == Some(Engine::Execute) {
        installed::user::install();
    }
    #[cfg(property_hooks)]
    if zend::property_hooks::are_there_hooks() {
        with_state(|state| state.may_skip_hooks = true);
        zend::property_hooks::forget_hooks_of_open_calls();
    }
    add_user();
    install_again();
}

/// Puts back what [`uninstall`] of another profile took out.
pub(crate) fn install_again() {
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
        // Another thread may have begun before the hook was taken out.
        if USERS.load(Ordering::Acquire) > 0 {
            compile::install();
        }
    }
}

/// Installs the hooks that shorten the way to a safe point. Without an engine
/// this does nothing.
pub(crate) fn install_sampling() {
    if armed().is_some() {
        add_user();
    }
}

/// Takes the hooks of [`install_sampling`] out.
pub(crate) fn uninstall_sampling() {
    if armed().is_some() {
        remove_user();
    }
}

/// Takes the hooks of [`install`] out. No recording is active.
pub(crate) fn uninstall() {
    if armed() == Some(Engine::Observer) {
        observer::uninstall();
    }
    remove_user();
    if TRACERS.fetch_sub(1, Ordering::AcqRel) == 1 {
        installed::user::uninstall();
        // As in `remove_user`.
        if TRACERS.load(Ordering::Acquire) > 0 && armed() == Some(Engine::Execute) {
            installed::user::install();
        }
    }
}
