//! Internal functions: `zend_execute_internal`, in both engines.
//!
//! The hook is installed at MINIT and stays. It must be installed before code is
//! compiled: calls compiled without it never check it, and a JIT compiles its
//! address into the code. While nothing is recorded it costs a test and a jump.

use std::cell::Cell;
use std::ptr::fn_addr_eq;

use ext_php_rs::ffi::{zend_execute_data, zval};
use recorder::{Entered, SymbolId};

use super::plan::Tracing;
use super::state::state;
use super::{detail, guard, lookup, suspended};
use crate::zend::bindings::{self, ExecuteInternal};
use crate::zend::{Call, FunctionKind};

struct Previous(Cell<Option<ExecuteInternal>>);

// SAFETY: written at MINIT, before there are threads.
unsafe impl Sync for Previous {}

static PREVIOUS: Previous = Previous(Cell::new(None));

/// MINIT: installs the hook.
pub(super) fn arm() {
    // SAFETY: MINIT runs before any thread and calls no PHP function.
    unsafe {
        PREVIOUS.0.set(bindings::zend_execute_internal);
        bindings::zend_execute_internal = Some(installed);
    }
}

/// MSHUTDOWN: takes the hook out, unless another extension hooked on top.
pub(super) fn disarm() {
    // SAFETY: as in `arm`, at the other end of the process's life.
    unsafe {
        if let Some(hook) = bindings::zend_execute_internal
            && fn_addr_eq(hook, installed as ExecuteInternal)
        {
            bindings::zend_execute_internal = PREVIOUS.0.get();
        }
    }
}

/// Takes the hook out until [`resume`], if it is on top.
pub(super) fn suspend() {
    disarm();
}

/// Puts the hook back after [`suspend`].
pub(super) fn resume() {
    // SAFETY: without threads, where `suspend` is called.
    unsafe {
        let is_out = match (bindings::zend_execute_internal, PREVIOUS.0.get()) {
            (Some(hook), Some(previous)) => fn_addr_eq(hook, previous),
            (hook, previous) => hook.is_none() && previous.is_none(),
        };
        if is_out {
            bindings::zend_execute_internal = Some(installed);
        }
    }
}

unsafe extern "C" fn installed(data: *mut zend_execute_data, result: *mut zval) {
    // SAFETY: the hooks of the state take what the engine hands to a hook.
    unsafe { ((*state()).hooks.internal)(data, result) }
}

/// Calls the previous hook, or the function's handler.
#[inline(always)]
pub(super) unsafe fn pass(data: *mut zend_execute_data, result: *mut zval) {
    // SAFETY: passes on what the engine handed us. Without a hook the engine
    // calls the handler of the frame's function; every callable internal
    // function has one.
    unsafe {
        match PREVIOUS.0.get() {
            Some(previous) => previous(data, result),
            None => {
                let handler = (*(*data).func).internal_function.handler;
                handler.unwrap_unchecked()(data, result);
            }
        }
    }
}

/// The hook that records nothing.
pub(super) unsafe extern "C" fn pass_internal(data: *mut zend_execute_data, result: *mut zval) {
    // SAFETY: as `pass`.
    unsafe { pass(data, result) }
}

/// The hook for one plan. The fast path: everything unusual is left to
/// `traced_unknown`.
pub(super) unsafe extern "C" fn traced<T: Tracing>(
    data: *mut zend_execute_data,
    result: *mut zval,
) {
    let state = state();
    // SAFETY: as in `traced_unknown`.
    unsafe {
        if let Some(symbol) = lookup::plain(state, Call::new(data), FunctionKind::Internal)
            && let Some(token) =
                (*state)
                    .recorder
                    .enter_again::<T>(symbol, &T::site(data), T::read_at_entry)
        {
            pass(data, result);
            suspended::leave_again::<T>(state, token, FunctionKind::Internal);
        } else {
            traced_unknown::<T>(data, result);
        }
    }
}

/// The slow path: the first call of a function or by this caller, calls with a
/// detail, and calls that are too deep.
#[inline(never)]
unsafe fn traced_unknown<T: Tracing>(data: *mut zend_execute_data, result: *mut zval) {
    let state = state();
    // SAFETY: the engine hands a hook a frame with its function; `state` is
    // this thread's, and references to it end before anything is called. What
    // lives across the call is plain data.
    unsafe {
        let call = Call::new(data);
        let target = lookup::target(state, call, FunctionKind::Internal);
        let Some(symbol) = target.symbol() else {
            return pass(data, result);
        };
        if target.wants_detail() {
            return traced_with_detail::<T>(data, result, symbol);
        }
        let Some(recorder) = (*state).recorder.running() else {
            return pass(data, result);
        };
        match recorder.enter::<T>(symbol, &T::site(data), T::read_at_entry) {
            Entered::Recorded(token) => {
                pass(data, result);
                suspended::leave::<T>(state, token, FunctionKind::Internal);
            }
            Entered::TooDeep => guard::run_internal_truncated(state, data, result),
        }
    }
}

/// The same for a function with a [`Detail`](policy::details::Detail).
#[cold]
#[inline(never)]
unsafe fn traced_with_detail<T: Tracing>(
    data: *mut zend_execute_data,
    result: *mut zval,
    plain: SymbolId,
) {
    let state = state();
    // SAFETY: as in `traced_unknown`. After the call, its frame, object and
    // arguments are still alive: the engine frees them when the hook returns.
    unsafe {
        let call = Call::new(data);
        let known = detail::inspect(state, call, plain);
        let Some(recorder) = (*state).recorder.running() else {
            return pass(data, result);
        };
        match recorder.enter::<T>(known.symbol, &T::site(data), T::read_at_entry) {
            Entered::Recorded(token) => {
                detail::entered(known);
                pass(data, result);
                let now = suspended::leave_telling::<T>(state, token, FunctionKind::Internal);
                detail::left(known, call, result, now);
            }
            Entered::TooDeep => {
                detail::dropped(known);
                guard::run_internal_truncated(state, data, result);
            }
        }
    }
}
