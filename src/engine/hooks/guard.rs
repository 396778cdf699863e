//! Prevents an overflow of the C stack by deep recursion.
//!
//! With a hook in `zend_execute_ex` every PHP call is a C call: 160 to 230 (PHP 8.4: 275)
//! bytes a level, so an 8 MiB stack overflows near 30,000 to 40,000 levels, where PHP
//! alone would continue. But `DO_FCALL` compares `zend_execute_ex` with
//! `execute_ex` at each call, and runs the callee without recursion if they are
//! equal. So a call that finds little stack left restores `execute_ex` for
//! everything deeper, and installs the hook again when it returns. Calls in
//! between are charged to a `[truncated]` row. The same mechanism bounds the
//! recorded depth (`xhprof.max_depth`), also in the observer engine, which needs
//! no C stack.
//!
//! [`bounds`](crate::engine::state::bounds) has the limits: one for each C stack.

use ext_php_rs::ffi::{zend_execute_data, zval};
use recorder::{FiberId, SymbolId};

use super::installed::user as installed_hook;
use crate::engine::state::{
    State,
    hook_table::Hooks,
    hooks,
    previous::{pass, pass_user},
    state,
};
use crate::engine::tracing::{ends, marks};
use crate::zend::Call;

/// The thread switches to another fiber.
pub(in crate::engine) fn switch(state: &mut State, from: FiberId, to: FiberId) {
    state.guard.switch(from, to);
    set_truncating(state, state.guard.is_truncating());
}

/// Ends truncation before a bailout: shutdown functions run near the top of the
/// stack.
pub(in crate::engine) fn after_bailout(state: &mut State) {
    if state.guard.is_truncating() {
        set_truncating(state, false);
    }
}

/// The hooks while calls are truncated.
const TRUNCATING: Hooks = Hooks {
    end: end_truncated,
    ..Hooks::PASS
};

fn set_truncating(state: &mut State, is_truncating: bool) {
    state.guard.current.truncating = is_truncating.then_some(TRUNCATING);
    state.choose_hooks();
    if is_truncating {
        installed_hook::suspend();
    } else {
        installed_hook::resume();
    }
}

/// Runs a call below the limit. Records it if the limit was only unknown so far.
#[cold]
#[inline(never)]
pub(in crate::engine) unsafe fn run_user(
    state: *mut State,
    data: *mut zend_execute_data,
    symbol: SymbolId,
    here: usize,
) {
    // SAFETY: the contract of the hooks: `data` is the engine's, `state` this
    // thread's, and references to it end before anything is called.
    unsafe {
        (*state).guard.find_limit(here);
        if here < (*state).guard.limit() {
            return run_user_truncated(state, data);
        }
        let hooks = (*state).active.cold();
        let entered = match (*state).active.recorder.running() {
            Some(recorder) => hooks.enter(recorder, symbol, Call::new(data)),
            None => None,
        };
        match entered {
            Some(token) => {
                pass_user(data);
                ends::leave_by(&mut *state, hooks, token);
            }
            None => run_user_truncated(state, data),
        }
    }
}

/// Runs a call that is not recorded, but uses the C stack.
#[inline(never)]
pub(in crate::engine) unsafe fn run_user_unrecorded(
    state: *mut State,
    data: *mut zend_execute_data,
    here: usize,
) {
    // SAFETY: as in `run_user`.
    unsafe {
        if here < (*state).guard.limit() {
            (*state).guard.find_limit(here);
            if here < (*state).guard.limit() {
                return run_user_truncated(state, data);
            }
        }
        pass_user(data);
    }
}

/// Runs a user function and everything below it unhooked, as `[truncated]`.
#[cold]
#[inline(never)]
pub(in crate::engine) unsafe fn run_user_truncated(
    state: *mut State,
    data: *mut zend_execute_data,
) {
    // SAFETY: as in `run_user`.
    unsafe { truncated(state, data, || pass_user(data)) }
}

/// Runs an internal function and everything below it unhooked, as `[truncated]`.
#[cold]
#[inline(never)]
pub(in crate::engine) unsafe fn run_internal_truncated(
    state: *mut State,
    data: *mut zend_execute_data,
    result: *mut zval,
) {
    // SAFETY: as in `run_user`.
    unsafe { truncated(state, data, || pass(data, result)) }
}

/// Runs `call`, a closure over plain pointers, between one entry and one exit.
unsafe fn truncated(state: *mut State, data: *mut zend_execute_data, call: impl FnOnce()) {
    // SAFETY: as in `run_user`; a `longjmp` over this frame skips only plain
    // data, and `after_bailout` puts the hooks back then.
    unsafe {
        let hooks = (*state).active.cold();
        let call_frame = Call::new(data);
        let entered = match (*state).active.recorder.running() {
            Some(recorder) => hooks.enter_truncated(recorder, call_frame),
            None => None,
        };
        // If a bailout skips the call, the end of its caller ends truncation.
        if let Some(caller) = call_frame.frame().caller() {
            (*state).guard.current.until = marks::mark(caller);
        }
        unhooked(state, call);
        if let Some(token) = entered {
            ends::leave_by(&mut *state, hooks, token);
        }
    }
}

/// In the observer engine: from the call's begin to its end, only one
/// `[truncated]` frame is recorded.
#[cold]
pub(in crate::engine) fn begin_truncated(state: &mut State, call: Call<'_>) {
    let hooks = state.active.cold();
    if let Some(recorder) = state.active.recorder.running() {
        hooks.enter_truncated(recorder, call);
    }
    state.guard.current.until = marks::mark(call.frame());
    set_truncating(state, true);
}

unsafe fn end_truncated(data: *mut zend_execute_data) {
    // SAFETY: this thread's state; the engine calls this between two functions,
    // when no hook holds a reference. The frame is the engine's.
    let (state, call) = unsafe { (&mut *state(), Call::new(data)) };
    let mark = marks::mark(call.frame());
    if state.guard.current.until == mark {
        state.guard.current.until = 0;
        set_truncating(state, false);
        let hooks = state.active.cold();
        if let Some(recorder) = state.active.recorder.running() {
            hooks.leave(recorder, marks::token(call));
        }
    }
}

/// Runs a user function and everything below it unhooked, in the sampling mode.
#[cold]
#[inline(never)]
pub(in crate::engine) unsafe fn run_user_unsampled(
    state: *mut State,
    data: *mut zend_execute_data,
    here: usize,
) {
    // SAFETY: as in `run_user`.
    unsafe {
        let limit = (*state).guard.limit();
        (*state).guard.find_limit(here);
        if limit != (*state).guard.limit() {
            return (hooks().user)(data);
        }
        unhooked(state, || pass_user(data));
    }
}

unsafe fn unhooked(state: *mut State, call: impl FnOnce()) {
    // SAFETY: as in `run_user`.
    unsafe {
        let session = (*state).active.session;
        set_truncating(&mut *state, true);
        call();
        // If another profile began during the call, its hooks are installed. If
        // the profile ended, its plan records nothing.
        if (*state).active.session == session {
            set_truncating(&mut *state, false);
        }
    }
}
