//! The hooks for internal functions, in both engines.
//!
//! [`installed`](super::installed) calls them, from `zend_execute_internal`.

use ext_php_rs::ffi::{zend_execute_data, zval};
use recorder::{Entered, SymbolId};

use super::previous::pass;
use super::state::state;
use super::tracing::Tracing;
use super::{detail, guard, lookup, suspended};
use crate::zend::{Call, FunctionKind, Value};

/// The hook for one plan. The fast path: everything unusual is left to
/// `traced_unknown`.
pub(super) unsafe extern "C" fn traced<T: Tracing>(
    data: *mut zend_execute_data,
    result: *mut zval,
) {
    let state = state();
    // SAFETY: as in `traced_unknown`.
    unsafe {
        let call = Call::new(data);
        if let Some(symbol) = lookup::plain_internal(state, call)
            && let Some(token) =
                (*state)
                    .active
                    .recorder
                    .enter_again::<T>(symbol, &T::site(call), T::read_at_entry)
        {
            pass(data, result);
            suspended::leave_again::<T>(state, token);
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
        let Some(recorder) = (*state).active.recorder.running() else {
            return pass(data, result);
        };
        match recorder.enter::<T>(symbol, &T::site(call), T::read_at_entry) {
            Entered::Recorded(token) => {
                pass(data, result);
                suspended::leave::<T>(state, token);
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
        let known = detail::inspect(call, plain);
        let Some(recorder) = (*state).active.recorder.running() else {
            return pass(data, result);
        };
        match recorder.enter::<T>(known.symbol, &T::site(call), T::read_at_entry) {
            Entered::Recorded(token) => {
                detail::entered(known);
                pass(data, result);
                let now = suspended::leave_telling::<T>(state, token);
                detail::left(known, call, result.as_ref().map(Value::new), now);
            }
            Entered::TooDeep => {
                detail::dropped(known);
                guard::run_internal_truncated(state, data, result);
            }
        }
    }
}
