//! The hooks of the classic sampling: they keep a stack and look at the time.

use ext_php_rs::ffi::{zend_execute_data, zval};

use super::execute::pass_user;
use super::guard;
use super::internal::pass;
use super::lookup;
use super::marks::{self, Marks};
use super::state::{State, state};
use crate::clock;
use crate::symbols::Target;
use crate::zend::{Call, FunctionKind, stack};

/// For user functions, in the execute engine.
pub(super) unsafe extern "C" fn user<M: Marks>(data: *mut zend_execute_data) {
    let state = state();
    // SAFETY: the contract of the hooks: `data` is the engine's, `state` this
    // thread's, and references to it end before anything is called.
    unsafe {
        let target = lookup::target(state, Call::new(data), FunctionKind::User);
        if stack::address() < (*state).guard.limit() {
            return guard::run_user_unsampled(state, data, stack::address());
        }
        match enter::<M>(state, target, data) {
            Some((session, depth)) => {
                pass_user(data);
                leave(state, session, depth);
            }
            None => pass_user(data),
        }
    }
}

/// For internal functions.
pub(super) unsafe extern "C" fn internal<M: Marks>(
    data: *mut zend_execute_data,
    result: *mut zval,
) {
    let state = state();
    // SAFETY: as in `user`.
    unsafe {
        let target = lookup::target(state, Call::new(data), FunctionKind::Internal);
        match enter::<M>(state, target, data) {
            Some((session, depth)) => {
                pass(data, result);
                leave(state, session, depth);
            }
            None => pass(data, result),
        }
    }
}

/// For user functions, in the observer engine.
pub(super) unsafe fn begin<M: Marks>(data: *mut zend_execute_data) {
    let state = state();
    // SAFETY: as in `user`.
    unsafe {
        let target = lookup::target(state, Call::new(data), FunctionKind::User);
        enter::<M>(state, target, data);
    }
}

/// The end of what [`begin`] began.
pub(super) unsafe fn end(data: *mut zend_execute_data) {
    // SAFETY: as in `user`.
    if let Some(sampler) = unsafe { (*state()).sampler.as_mut() } {
        sampler.leave_marked(marks::mark(data), clock::unix_time_us());
    }
}

unsafe fn enter<M: Marks>(
    state: *mut State,
    target: Target,
    data: *mut zend_execute_data,
) -> Option<(u32, usize)> {
    // SAFETY: this thread's state; the reference ends with this function.
    let sampler = unsafe { (*state).sampler.as_mut() }?;
    let depth = sampler.enter(target.symbol()?, &M::site(data), clock::unix_time_us());
    Some((sampler.session(), depth))
}

unsafe fn leave(state: *mut State, session: u32, depth: usize) {
    // SAFETY: as in `enter`.
    if let Some(sampler) = unsafe { (*state).sampler.as_mut() }
        && sampler.session() == session
    {
        sampler.leave(depth, clock::unix_time_us());
    }
}
