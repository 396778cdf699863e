//! Ends of calls, which belong to the running profile or to the suspended one.
//!
//! The tokens and marks of open calls are unique, so a call that the running
//! profile does not have may be the suspended one's.

use ext_php_rs::ffi::zend_execute_data;
use recorder::{Reading, Token};

use super::Hooks;
use super::marks;
use super::plan::Tracing;
use super::state::State;
use crate::zend::FunctionKind;

/// Ends a call of the running profile, or else of the suspended one. An idle
/// recorder has no calls.
#[inline(always)]
pub(super) unsafe fn leave<T: Tracing>(state: *mut State, token: Token, kind: FunctionKind) {
    // SAFETY: this thread's state; no reference is held when `left` is called.
    unsafe {
        let recorder = &mut (*state).recorder;
        if !recorder.leave::<T>(token, || T::read_at_exit_of(kind)) {
            left::<T>(state, token);
        }
    }
}

/// The same, and returns the reading; none if the call is not the running
/// profile's, or if that is paused.
pub(super) unsafe fn leave_telling<T: Tracing>(
    state: *mut State,
    token: Token,
    kind: FunctionKind,
) -> Option<Reading> {
    let mut now = None;
    // SAFETY: as in `leave`.
    unsafe {
        let read = || {
            let reading = T::read_at_exit_of(kind);
            now = Some(reading);
            reading
        };
        if !(*state).recorder.leave::<T>(token, read) {
            left::<T>(state, token);
        }
    }
    now
}

/// The same for a call that was recorded by the fast path.
#[inline(always)]
pub(super) unsafe fn leave_again<T: Tracing>(state: *mut State, token: Token, kind: FunctionKind) {
    // SAFETY: as in `leave`.
    unsafe {
        let recorder = &mut (*state).recorder;
        if !recorder.leave_again::<T>(token, || T::read_at_exit_of(kind)) {
            left::<T>(state, token);
        }
    }
}

/// The same for a call that was entered by `hooks`.
#[cold]
pub(super) unsafe fn leave_by(state: *mut State, hooks: Hooks, token: Token) {
    // SAFETY: as in `leave`.
    unsafe {
        let recorder = (*state).recorder.running();
        if recorder.is_some_and(|recorder| (hooks.leave)(recorder, token)) {
            return;
        }
        if let Some(suspended) = (*state).suspended.as_mut() {
            (suspended.plan.leave)(&mut suspended.recorder, token);
        }
    }
}

#[cold]
#[inline(never)]
unsafe fn left<T: Tracing>(state: *mut State, token: Token) {
    // SAFETY: this thread's state; the reference ends here.
    if let Some(suspended) = unsafe { (*state).suspended.as_mut() } {
        // A suspended profile is paused, and reads no clock.
        suspended.recorder.leave::<T>(token, Reading::default);
    }
}

/// Ends a call of the suspended profile in the observer engine.
#[inline(always)]
pub(super) unsafe fn ended(state: *mut State, data: *mut zend_execute_data) {
    // SAFETY: as in `left`.
    unsafe {
        if (*state).suspended.is_some() {
            ended_in_suspended(state, data);
        }
    }
}

#[cold]
#[inline(never)]
unsafe fn ended_in_suspended(state: *mut State, data: *mut zend_execute_data) {
    // SAFETY: as in `left`.
    if let Some(suspended) = unsafe { (*state).suspended.as_mut() } {
        (suspended.plan.end_marked_while_paused)(&mut suspended.recorder, marks::mark(data));
    }
}
