//! The *observer* engine: the engine's own observer API, for user functions.
//!
//! Needed where a JIT is configured: replacing `zend_execute_ex` under JIT code
//! breaks programs. Internal functions are left to `zend_execute_internal`
//! ([`internal`](super::internal)); an observer for them as well would count them
//! twice.
//!
//! While nothing is recorded, functions get no handlers. But the engine calls
//! `zend_observer_fcall_init` once per function and request, and keeps the
//! answer. So at enable the handlers are added to all functions that the engine
//! has asked about.

use ext_php_rs::ffi::{zend_execute_data, zend_function, zval};
use recorder::Entered;

use super::plan::Tracing;
use super::state::{State, state};
use super::{guard, lookup, marks, suspended};
use crate::symbols::Target;
use crate::zend::bindings::{
    ObserverHandlers, zend_observer_add_begin_handler, zend_observer_add_end_handler,
    zend_observer_fcall_register, zend_observer_remove_begin_handler,
    zend_observer_remove_end_handler,
};
use crate::zend::{Call, FunctionKind, for_each_function_seen};

/// MINIT: registers the observer.
pub(super) fn arm() {
    // SAFETY: MINIT is when the engine takes the registration.
    unsafe { zend_observer_fcall_register(asked) };
}

/// A profile begins: adds handlers to the functions that the engine has asked
/// about while none was running.
pub(super) fn install() {
    for_each_function_seen(|function: *mut zend_function| {
        // SAFETY: each function has a run-time cache in which the engine has
        // stored its observers. A handler is removed before it is added, so that
        // it is there exactly once.
        unsafe {
            remove_handlers(function);
            zend_observer_add_begin_handler(function, begin);
            zend_observer_add_end_handler(function, end);
        }
    });
}

/// A profile ends: removes the handlers. The ends of open calls are not reported.
pub(super) fn uninstall() {
    for_each_function_seen(|function: *mut zend_function| {
        // SAFETY: as in `install`; the engine reads the handlers again at each
        // begin and end.
        unsafe { remove_handlers(function) };
    });
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
    // SAFETY: this thread's state, and the frame that the engine asks about.
    let watches = unsafe {
        (*state()).recorder.running().is_some()
            && Call::new(data).function().kind() == FunctionKind::User
    };
    ObserverHandlers {
        begin: watches.then_some(begin),
        end: watches.then_some(end),
    }
}

unsafe extern "C" fn begin(data: *mut zend_execute_data) {
    // SAFETY: the hooks of the state take what the engine hands to an observer.
    unsafe { ((*state()).hooks.begin)(data) }
}

unsafe extern "C" fn end(data: *mut zend_execute_data, _result: *mut zval) {
    // SAFETY: as in `begin`.
    unsafe { ((*state()).hooks.end)(data) }
}

/// The begin of a user function, for one plan.
pub(super) unsafe fn traced_begin<T: Tracing>(data: *mut zend_execute_data) {
    let state = state();
    // SAFETY: the frame is the engine's, with its function; `state` is this
    // thread's, and nothing is called while a reference to it is held.
    unsafe {
        let target = lookup::target(state, Call::new(data), FunctionKind::User);
        let Some(symbol) = target.symbol() else {
            return;
        };
        let Some(recorder) = (*state).recorder.running() else {
            return;
        };
        let entered = recorder.enter::<T>(symbol, &T::site(data), T::read_at_entry);
        if entered == Entered::TooDeep {
            guard::begin_truncated(&mut *state, data);
        }
    }
}

/// The end of a user function, for one plan.
pub(super) unsafe fn traced_end<T: Tracing>(data: *mut zend_execute_data) {
    let state = state();
    // SAFETY: as in `traced_begin`.
    unsafe {
        if !was_recorded(state, data) {
            return suspended::ended(state, data);
        }
        if let Some(recorder) = (*state).recorder.running() {
            if recorder.end_marked::<T>(marks::mark(data), T::read_at_exit) {
                marks::note_end(data);
            } else {
                suspended::ended(state, data);
            }
        }
    }
}

/// The end of a user function while nothing is recorded.
pub(super) unsafe fn paused_end(data: *mut zend_execute_data) {
    let state = state();
    // SAFETY: as in `traced_begin`.
    unsafe {
        let end_marked = (*state).plan.end_marked;
        if was_recorded(state, data)
            && let Some(recorder) = (*state).recorder.running()
        {
            end_marked(recorder, marks::mark(data));
        }
    }
}

/// Whether calls of that frame's function are recorded. If not, the end must not
/// search for the call: that would walk the whole stack.
#[inline(always)]
unsafe fn was_recorded(state: *mut State, data: *mut zend_execute_data) -> bool {
    // SAFETY: as in `traced_begin`.
    unsafe {
        let slot = Call::new(data).slot(FunctionKind::User);
        let target = slot.and_then(|slot| Target::from_slot(*slot, (*state).session));
        target.and_then(Target::symbol).is_some()
    }
}
