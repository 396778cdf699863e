//! Ends of calls, which belong to the running profile or to the suspended one.
//!
//! The tokens and marks of open calls are unique, so a call that the running
//! profile does not have may be the suspended one's.

use std::cell::Cell;

use recorder::{Reading, Token};

use super::plan::Tracing;
use crate::engine::state::{State, hook_table::ColdHooks};

/// Ends a call of [`Recorder::enter`](recorder::Recorder::enter). An idle recorder has no
/// calls.
#[inline(always)]
pub(in crate::engine) unsafe fn leave<T: Tracing>(state: *mut State, token: Token) {
    // SAFETY: this thread's state; no reference is held when `leave_suspended` is called.
    unsafe {
        let recorder = &mut (*state).active.recorder;
        if !recorder.leave::<T>(token, T::read_at_exit) {
            leave_suspended::<T>(state, token);
        }
    }
}

/// Ends a call of [`Recorder::enter_slowly`](recorder::Recorder::enter_slowly).
#[inline(always)]
pub(in crate::engine) unsafe fn leave_slowly<T: Tracing>(state: *mut State, token: Token) {
    // SAFETY: as in `leave`.
    unsafe {
        let recorder = &mut (*state).active.recorder;
        if !recorder.leave_slowly::<T>(token, T::read_at_exit) {
            leave_suspended::<T>(state, token);
        }
    }
}

/// [`leave_slowly`], and returns the reading; none if the call is not the running
/// profile's, or if that is paused.
pub(in crate::engine) unsafe fn leave_and_read<T: Tracing>(
    state: *mut State,
    token: Token,
) -> Option<Reading> {
    let now = Cell::new(None);
    let read = || {
        let reading = T::read_at_exit();
        now.set(Some(reading));
        reading
    };
    // SAFETY: as in `leave`.
    unsafe {
        if !(*state).active.recorder.leave_slowly::<T>(token, read) {
            leave_suspended::<T>(state, token);
        }
    }
    now.get()
}

/// Ends a call that was entered by `hooks`.
#[cold]
pub(in crate::engine) fn leave_by(state: &mut State, hooks: &'static dyn ColdHooks, token: Token) {
    let recorder = state.active.recorder.running();
    if recorder.is_some_and(|recorder| hooks.leave(recorder, token)) {
        return;
    }
    if let Some(suspended) = &mut state.suspended {
        let hooks = suspended.cold();
        hooks.leave(&mut suspended.recorder, token);
    }
}

#[cold]
#[inline(never)]
unsafe fn leave_suspended<T: Tracing>(state: *mut State, token: Token) {
    // SAFETY: this thread's state; the reference ends here.
    if let Some(suspended) = unsafe { (*state).suspended.as_mut() } {
        // A suspended profile is paused, and reads no clock.
        suspended
            .recorder
            .leave_slowly::<T>(token, Reading::default);
    }
}

/// Ends a call that the running profile does not have, in the observer engine.
#[inline(always)]
pub(in crate::engine) fn end_suspended(state: &mut State, token: Token) {
    if let Some(suspended) = &mut state.suspended {
        let hooks = suspended.cold();
        hooks.leave(&mut suspended.recorder, token);
    }
}
