//! The hooks of the *execute* engine for user functions.
//!
//! [`installed`](super::installed) calls them, from `zend_execute_ex`, which `ZEND_DO_FCALL`
//! compares with `execute_ex` at each call. So functions compiled and called before
//! `xhprof_enable()` are recorded, and while nothing is recorded no hook runs.

use ext_php_rs::ffi::zend_execute_data;

use super::guard;
use crate::engine::state::{previous::pass_user, state};
use crate::engine::tracing::{ends, lookup, plan::Tracing};
use crate::zend::{Call, FunctionKind, stack};

/// The hook for one plan. The fast path: everything unusual is left to
/// `traced_slowly`.
pub(in crate::engine) unsafe extern "C" fn traced<T: Tracing>(data: *mut zend_execute_data) {
    let state = state();
    // SAFETY: as in `traced_slowly`.
    unsafe {
        let call = Call::new(data);
        if let Some(symbol) = lookup::plain_user(state, call)
            && stack::address() >= (*state).guard.limit()
            && let Some(token) =
                (*state)
                    .active
                    .recorder
                    .enter::<T>(symbol, &T::site(call), T::read_at_entry)
        {
            pass_user(data);
            ends::leave::<T>(state, token);
        } else {
            traced_slowly::<T>(data);
        }
    }
}

/// The slow path: the first call of a function or by this caller, generators and
/// trampolines, and calls that are too deep.
#[inline(never)]
unsafe fn traced_slowly<T: Tracing>(data: *mut zend_execute_data) {
    let state = state();
    // SAFETY: the engine hands a hook a frame with its function; `state` is
    // this thread's, and references to it end before anything is called. What
    // lives across the call is plain data.
    unsafe {
        let call = Call::new(data);
        let target = lookup::target(state, call, FunctionKind::User);
        let here = stack::address();
        let Some(symbol) = target.symbol() else {
            return guard::run_user_unrecorded(state, data, here);
        };
        if here < (*state).guard.limit() {
            return guard::run_user(state, data, symbol, here);
        }
        let Some(recorder) = (*state).active.recorder.running() else {
            return pass_user(data);
        };
        match recorder.enter_slowly::<T>(symbol, &T::site(call), T::read_at_entry) {
            Some(token) => {
                pass_user(data);
                ends::leave_slowly::<T>(state, token);
            }
            None => guard::run_user_truncated(state, data),
        }
    }
}
