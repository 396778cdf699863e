//! The *observer* engine: the engine's own observer API, for user functions.
//!
//! Needed where a JIT is configured: replacing `zend_execute_ex` under JIT code
//! breaks programs. Internal functions are left to `zend_execute_internal`
//! ([`internal`](super::internal)); an observer for them as well would count them
//! twice.
//!
//! While nothing is recorded, functions get no handlers. But the engine asks
//! (`zend_observer_fcall_install`) once per run-time cache and request, and keeps the
//! answer. So each is noted, and at enable the handlers are added to all functions
//! that the engine has asked about.

use ext_php_rs::ffi::{zend_execute_data, zend_function, zval};

use super::guard;
use crate::engine::state::{hooks, is_lent, state};
use crate::engine::tracing::{ends, lookup, marks, plan::Tracing};
use crate::naming::Target;
use crate::zend::bindings::{
    ObserverHandlers, zend_observer_add_begin_handler, zend_observer_add_end_handler,
    zend_observer_fcall_register, zend_observer_remove_begin_handler,
    zend_observer_remove_end_handler,
};
#[cfg(property_hooks)]
use crate::zend::property_hooks::forget_hook_of_caller;
use crate::zend::{Call, FunctionKind, for_each_function_seen, note_function_seen};

/// MINIT: registers the observer.
pub(in crate::engine) fn arm() {
    // SAFETY: MINIT is when the engine takes the registration.
    unsafe { zend_observer_fcall_register(asked) };
}

/// A profile begins: adds handlers to the functions that the engine has asked
/// about while none was running.
pub(in crate::engine) fn install() {
    let visit = |function: *mut zend_function| {
        // SAFETY: each function has a run-time cache in which the engine has
        // stored its observers. A handler is removed before it is added, so that
        // it is there exactly once.
        unsafe {
            remove_handlers(function);
            zend_observer_add_begin_handler(function, begin);
            zend_observer_add_end_handler(function, end);
        }
    };
    // SAFETY: changing handlers runs no PHP code.
    unsafe { for_each_function_seen(visit) };
}

/// A profile ends: removes the handlers. The ends of open calls are not reported.
pub(in crate::engine) fn uninstall() {
    // SAFETY: as in `install`; the engine reads the handlers again at each begin and
    // end.
    unsafe { for_each_function_seen(|function: *mut zend_function| remove_handlers(function)) };
}

/// Removes our handlers from a function.
///
/// # Safety
///
/// The engine must have stored observers in the function's run-time cache.
unsafe fn remove_handlers(function: *mut zend_function) {
    // SAFETY: the caller's function.
    #[cfg(observer_removal_returns_next)]
    unsafe {
        let (mut next_begin, mut next_end) = (None, None);
        zend_observer_remove_begin_handler(function, begin, &raw mut next_begin);
        zend_observer_remove_end_handler(function, end, &raw mut next_end);
    }
    // SAFETY: the caller's function.
    #[cfg(not(observer_removal_returns_next))]
    unsafe {
        zend_observer_remove_begin_handler(function, begin);
        zend_observer_remove_end_handler(function, end);
    }
}

/// The engine asks for handlers of a function at its first call.
unsafe extern "C" fn asked(data: *mut zend_execute_data) -> ObserverHandlers {
    // SAFETY: this thread's state, which is not lent, and the frame that the engine
    // asks about.
    let watches = unsafe {
        let call = Call::new(data);
        call.function().kind() == FunctionKind::User && {
            note_function_seen(call);
            !is_lent() && (*state()).active.recorder.running().is_some()
        }
    };
    ObserverHandlers {
        begin: watches.then_some(begin),
        end: watches.then_some(end),
    }
}

unsafe extern "C" fn begin(data: *mut zend_execute_data) {
    // SAFETY: the hooks of the state take what the engine hands to an observer.
    unsafe { (hooks().begin)(data) }
}

unsafe extern "C" fn end(data: *mut zend_execute_data, _result: *mut zval) {
    // SAFETY: as in `begin`.
    unsafe { (hooks().end)(data) }
}

/// The begin of a user function, for one plan.
pub(in crate::engine) unsafe fn traced_begin<T: Tracing>(data: *mut zend_execute_data) {
    let state = state();
    // SAFETY: as in `traced_begin_slowly`.
    unsafe {
        let call = Call::new(data);
        let recorder = &mut (*state).active.recorder;
        if let Some(symbol) = lookup::plain_user(state, call)
            && recorder
                .enter::<T>(symbol, &T::site(call), T::read_at_entry)
                .is_some()
        {
            return;
        }
        traced_begin_slowly::<T>(data);
    }
}

/// The slow path: the first call of a function or by this caller, generators,
/// trampolines and property hooks, and calls that are too deep.
#[inline(never)]
unsafe fn traced_begin_slowly<T: Tracing>(data: *mut zend_execute_data) {
    let state = state();
    // SAFETY: the frame is the engine's, with its function; `state` is this
    // thread's, and nothing is called while a reference to it is held.
    unsafe {
        let call = Call::new(data);
        let target = lookup::target(state, call, FunctionKind::User);
        #[cfg(property_hooks)]
        if target.is_unusual() {
            forget_hook_of_caller(call);
        }
        let Some(symbol) = target.symbol() else {
            return;
        };
        let Some(recorder) = (*state).active.recorder.running() else {
            return;
        };
        let entered = recorder.enter_slowly::<T>(symbol, &T::site(call), T::read_at_entry);
        if entered.is_none() {
            guard::begin_truncated(&mut *state, call);
        }
    }
}

/// The end of a user function, for one plan.
pub(in crate::engine) unsafe fn traced_end<T: Tracing>(data: *mut zend_execute_data) {
    // SAFETY: as in `traced_begin_slowly`.
    let (state, call) = unsafe { (&mut *state(), Call::new(data)) };
    let recorder = &mut state.active.recorder;
    if !recorder.leave_early::<T>(marks::token(call), T::read_at_exit) {
        // SAFETY: passes on what the engine handed us.
        unsafe { end_slowly(data) };
    }
}

/// The end of a user function that is not the innermost recorded call, or that happens
/// while the recording is paused.
#[inline(never)]
pub(in crate::engine) unsafe fn end_slowly(data: *mut zend_execute_data) {
    // SAFETY: as in `traced_begin_slowly`.
    let (state, call) = unsafe { (&mut *state(), Call::new(data)) };
    let (hooks, token) = (state.active.cold(), marks::token(call));
    // SAFETY: the engine observes user functions only.
    let slot = unsafe { call.user_number() };
    let target = Target::from_slot(slot, state.active.session);
    // Calls of functions that are not recorded must not be searched for: that would walk
    // the whole stack.
    let is_recorded = target.and_then(Target::symbol).is_some();
    if is_recorded
        && let Some(recorder) = state.active.recorder.running()
        && hooks.leave(recorder, token)
    {
        return;
    }
    ends::end_suspended(state, token);
}
