//! The *observer* engine: the engine's own observer API, for user functions.
//!
//! Needed where a JIT is configured: replacing `zend_execute_ex` under JIT code
//! breaks programs. Internal functions are left to `zend_execute_internal`
//! ([`internal`](super::internal)); an observer for them as well would count them
//! twice.
//!
//! While nothing is recorded, functions get no handlers. But the engine calls
//! `zend_observer_fcall_init` once per run-time cache and request, and keeps the
//! answer. So each is noted, and at enable the handlers are added to all functions
//! that the engine has asked about.

use ext_php_rs::ffi::{zend_execute_data, zend_function, zval};
use recorder::Entered;

use super::state::{State, hooks, is_lent, state};
use super::tracing::Tracing;
use super::{guard, lookup, marks, suspended};
use crate::symbols::Target;
use crate::zend::bindings::{
    ObserverHandlers, zend_observer_add_begin_handler, zend_observer_add_end_handler,
    zend_observer_fcall_register, zend_observer_remove_begin_handler,
    zend_observer_remove_end_handler,
};
#[cfg(property_hooks)]
use crate::zend::property_hooks::forget_hook_of_caller;
use crate::zend::{Call, FunctionKind, for_each_function_seen, note_function_seen};

/// MINIT: registers the observer.
pub(super) fn arm() {
    // SAFETY: MINIT is when the engine takes the registration.
    unsafe { zend_observer_fcall_register(asked) };
}

/// A profile begins: adds handlers to the functions that the engine has asked
/// about while none was running.
pub(super) fn install() {
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
pub(super) fn uninstall() {
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
pub(super) unsafe fn traced_begin<T: Tracing>(data: *mut zend_execute_data) {
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
        let site = T::site(call);
        let entered = recorder.enter::<T>(symbol, &site, T::read_at_entry);
        if entered == Entered::TooDeep {
            guard::begin_truncated(&mut *state, call);
        }
    }
}

/// The end of a user function, for one plan.
pub(super) unsafe fn traced_end<T: Tracing>(data: *mut zend_execute_data) {
    // SAFETY: as in `traced_begin`.
    let (state, call) = unsafe { (&mut *state(), Call::new(data)) };
    // SAFETY: the engine observes user functions only.
    if !unsafe { was_recorded(state, call) } {
        return suspended::ended(state, call);
    }
    if let Some(recorder) = state.active.recorder.running() {
        let mark = marks::mark(call.frame());
        if !recorder.end_marked::<T>(mark, T::read_at_exit) {
            suspended::ended(state, call);
        }
    }
}

/// The end of a user function while the recording is paused.
pub(super) unsafe fn paused_end(data: *mut zend_execute_data) {
    // SAFETY: as in `traced_begin`.
    let (state, call) = unsafe { (&mut *state(), Call::new(data)) };
    let hooks = state.active.cold();
    // SAFETY: as in `traced_end`.
    let was_recorded = unsafe { was_recorded(state, call) };
    if was_recorded && let Some(recorder) = state.active.recorder.running() {
        hooks.end_marked(recorder, marks::mark(call.frame()));
    }
}

/// Whether calls of that function are recorded. If not, the end must not search for
/// the call: that would walk the whole stack.
///
/// # Safety
///
/// The function must be a user function.
#[inline(always)]
unsafe fn was_recorded(state: &State, call: Call<'_>) -> bool {
    // SAFETY: the caller's promise.
    let slot = unsafe { call.user_number() };
    let target = Target::from_slot(slot, state.active.session);
    target.and_then(Target::symbol).is_some()
}
