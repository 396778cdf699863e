//! The hooks for internal functions, in both engines.
//!
//! [`installed`](super::installed) calls them, from `zend_execute_internal`, which
//! `ZEND_DO_FCALL` and `zend_call_function` test at each call.

use ext_php_rs::ffi::{zend_execute_data, zval};
use recorder::SymbolId;

use super::{detail, guard};
use crate::engine::state::{previous::pass, state};
use crate::engine::tracing::{ends, lookup, plan::Tracing};
use crate::zend::{Call, FunctionKind, Value};

/// The hook for one plan. The fast path: everything unusual is left to
/// `traced_slowly`.
pub(in crate::engine) unsafe extern "C" fn traced<T: Tracing>(
    data: *mut zend_execute_data,
    result: *mut zval,
) {
    let state = state();
    // SAFETY: as in `traced_slowly`.
    unsafe {
        let call = Call::new(data);
        if let Some(symbol) = lookup::plain_internal(state, call)
            && let Some(token) =
                (*state)
                    .active
                    .recorder
                    .enter::<T>(symbol, &T::site(call), T::read_at_entry)
        {
            pass(data, result);
            ends::leave::<T>(state, token);
        } else {
            traced_slowly::<T>(data, result);
        }
    }
}

/// The slow path: the first call of a function or by this caller, calls with a
/// detail, and calls that are too deep.
#[inline(never)]
unsafe fn traced_slowly<T: Tracing>(data: *mut zend_execute_data, result: *mut zval) {
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
        let Some(recorder) = (*state).active.recorder.running() else {
            return pass(data, result);
        };
        match recorder.enter_slowly::<T>(symbol, &T::site(call), T::read_at_entry) {
            Some(token) => {
                pass(data, result);
                ends::leave_slowly::<T>(state, token);
            }
            None => guard::run_internal_truncated(state, data, result),
        }
    }
}

/// The same for a function with a [`Detail`](policy::naming::details::Detail).
#[cold]
#[inline(never)]
unsafe fn traced_with_detail<T: Tracing>(
    data: *mut zend_execute_data,
    result: *mut zval,
    plain: SymbolId,
) {
    let state = state();
    // SAFETY: as in `traced_slowly`. After the call, its frame, object and
    // arguments are still alive: the engine frees them when the hook returns.
    unsafe {
        let call = Call::new(data);
        let known = detail::inspect(call, plain);
        let Some(recorder) = (*state).active.recorder.running() else {
            return pass(data, result);
        };
        match recorder.enter_slowly::<T>(known.symbol, &T::site(call), T::read_at_entry) {
            Some(token) => {
                detail::entered(known);
                pass(data, result);
                let now = ends::leave_and_read::<T>(state, token);
                detail::left(known, call, result.as_ref().map(Value::new), now);
            }
            None => {
                detail::dropped(known);
                guard::run_internal_truncated(state, data, result);
            }
        }
    }
}
