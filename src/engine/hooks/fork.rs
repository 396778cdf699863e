//! The child of a fork leaves its parent's recordings.
//!
//! In the child, before `fork()` returns, only flags and hooks are set: another
//! thread of the parent may have held any lock. The child begins its recordings anew
//! at its next call, or when the session is used.

use ext_php_rs::ffi::{zend_execute_data, zval};

use crate::engine::sampling::Interrupt;
use crate::engine::state::{hook_table::Hooks, hooks, is_lent, samples_wait, state, with_state};
use crate::{clock, zend};

/// The hooks of a child that has not left its parent's recordings.
const FORKED: Hooks = Hooks {
    user,
    begin,
    end,
    internal,
    ..Hooks::PASS
};

/// MINIT: registers fork handlers.
pub(crate) fn follow() {
    // SAFETY: `note` sets flags and hooks, and does nothing else.
    unsafe { clock::follow_forks(note) };
}

/// Runs in the child, before `fork()` returns. Allocates nothing, takes no lock, and
/// does not call PHP.
fn note() {
    zend::remote_page::forget();
    if is_lent() {
        // Another thread forked, and this one does not exist in the child.
        return;
    }
    // SAFETY: PHP forks inside a function call, when no hook holds a reference.
    let state = unsafe { &mut *state() };
    if state.active.running.is_none() {
        return;
    }
    state.forked = Some(FORKED);
    state.choose_hooks();
    // A sampling recording has no timer thread here, and takes note of that at its
    // first safe point.
    if let Some(sampling) = state.active.sampling_mut()
        && let Some(session) = &mut sampling.session
    {
        session.note_fork();
        Interrupt::of_this_thread(samples_wait()).set();
    }
}

/// Leaves the parent's recordings, and restores the hooks.
#[cold]
fn leave_parent() {
    with_state(|_| {});
}

unsafe extern "C" fn user(data: *mut zend_execute_data) {
    leave_parent();
    // SAFETY: passes on what the engine handed us, to the hooks of the state.
    unsafe { (hooks().user)(data) }
}

unsafe fn begin(data: *mut zend_execute_data) {
    leave_parent();
    // SAFETY: as in `user`.
    unsafe { (hooks().begin)(data) }
}

unsafe fn end(data: *mut zend_execute_data) {
    leave_parent();
    // SAFETY: as in `user`.
    unsafe { (hooks().end)(data) }
}

unsafe extern "C" fn internal(data: *mut zend_execute_data, result: *mut zval) {
    leave_parent();
    // SAFETY: as in `user`.
    unsafe { (hooks().internal)(data, result) }
}
