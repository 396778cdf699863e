//! Ends of calls, which belong to the running profile or to the suspended one.
//!
//! The tokens and marks of open calls are unique, so a call that the running
//! profile does not have may be the suspended one's.

use recorder::{Reading, Token};

use super::hooks::ColdHooks;
use super::marks;
use super::state::State;
use super::tracing::Tracing;
use crate::zend::Call;

/// Ends a call of the running profile, or else of the suspended one. An idle
/// recorder has no calls.
#[inline(always)]
pub(super) unsafe fn leave<T: Tracing>(state: *mut State, token: Token) {
    // SAFETY: this thread's state; no reference is held when `left` is called.
    unsafe {
        let recorder = &mut (*state).active.recorder;
        if !recorder.leave::<T>(token, T::read_at_exit) {
            left::<T>(state, token);
        }
    }
}

/// The same, and returns the reading; none if the call is not the running
/// profile's, or if that is paused.
pub(super) unsafe fn leave_telling<T: Tracing>(state: *mut State, token: Token) -> Option<Reading> {
    let mut now = None;
    // SAFETY: as in `leave`.
    unsafe {
        let read = || {
            let reading = T::read_at_exit();
            now = Some(reading);
            reading
        };
        if !(*state).active.recorder.leave::<T>(token, read) {
            left::<T>(state, token);
        }
    }
    now
}

/// The same for a call that was recorded by the fast path.
#[inline(always)]
pub(super) unsafe fn leave_again<T: Tracing>(state: *mut State, token: Token) {
    // SAFETY: as in `leave`.
    unsafe {
        let recorder = &mut (*state).active.recorder;
        if !recorder.leave_again::<T>(token, T::read_at_exit) {
            left::<T>(state, token);
        }
    }
}

/// The same for a call that was entered by `hooks`.
#[cold]
pub(super) fn leave_by(state: &mut State, hooks: &'static dyn ColdHooks, token: Token) {
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
unsafe fn left<T: Tracing>(state: *mut State, token: Token) {
    // SAFETY: this thread's state; the reference ends here.
    if let Some(suspended) = unsafe { (*state).suspended.as_mut() } {
        // A suspended profile is paused, and reads no clock.
        suspended.recorder.leave::<T>(token, Reading::default);
    }
}

/// Ends a call of the suspended profile in the observer engine.
#[inline(always)]
pub(super) fn ended(state: &mut State, call: Call<'_>) {
    if state.suspended.is_some() {
        ended_in_suspended(state, call);
    }
}

#[cold]
#[inline(never)]
fn ended_in_suspended(state: &mut State, call: Call<'_>) {
    if let Some(suspended) = &mut state.suspended {
        let hooks = suspended.cold();
        hooks.end_marked(&mut suspended.recorder, marks::mark(call.frame()));
    }
}
