//! Prevents an overflow of the C stack by deep recursion.
//!
//! With a hook in `zend_execute_ex` every PHP call is a C call: 160 to 230
//! bytes a level, so an 8 MiB stack overflows near 40,000 levels, where PHP
//! alone would continue. But `DO_FCALL` compares `zend_execute_ex` with
//! `execute_ex` at each call, and runs the callee without recursion if they are
//! equal. So a call that finds little stack left restores `execute_ex` for
//! everything deeper, and installs the hook again when it returns. Calls in
//! between are charged to a `[truncated]` row. The same mechanism bounds the
//! recorded depth (`xhprof.max_depth`), also in the observer engine, which needs
//! no C stack.
//!
//! Each C stack has its own bounds, so each fiber does.

use std::collections::HashMap;

use ext_php_rs::ffi::{zend_execute_data, zval};
use recorder::{Entered, FiberId, SymbolId};

use super::execute::{self, pass_user};
use super::state::{State, state};
use super::{Hooks, internal, marks, suspended};
use crate::zend::{self, stack};

/// The bounds of the current C stack, and those of the other fibers.
pub(crate) struct Guard {
    current: Bounds,
    others: Option<HashMap<FiberId, Bounds>>,
}

/// The limit of one C stack, and whether calls on it are truncated now.
#[derive(Clone, Copy)]
struct Bounds {
    limit: usize,
    is_truncating: bool,
    /// In the observer engine: truncation ends with the call of this mark.
    until: usize,
}

impl Bounds {
    /// Every address is below this limit, so the first call on the stack finds the
    /// true one.
    const UNKNOWN: Self = Self {
        limit: usize::MAX,
        is_truncating: false,
        until: 0,
    };
}

impl Guard {
    pub(super) const fn new() -> Self {
        Self {
            current: Bounds::UNKNOWN,
            others: None,
        }
    }

    /// Calls below this stack address are charged to `[truncated]`.
    #[inline(always)]
    pub(super) fn limit(&self) -> usize {
        self.current.limit
    }

    /// Whether calls are charged to a `[truncated]` row now.
    pub(super) fn is_truncating(&self) -> bool {
        self.current.is_truncating
    }

    fn find_limit(&mut self, here: usize) {
        if self.current.limit == Bounds::UNKNOWN.limit {
            self.current.limit = match stack::thread_bounds() {
                Some(bounds) if bounds.contains(&here) => stack::limit_of(&bounds),
                // A fiber's stack, and this address is near its beginning.
                _ => stack::limit_below(here, zend::fiber_stack_size()),
            };
        }
    }
}

/// The thread switches to another fiber.
pub(super) fn switch(state: &mut State, from: FiberId, to: FiberId) {
    let others = state.guard.others.get_or_insert_default();
    others.insert(from, state.guard.current);
    state.guard.current = others.remove(&to).unwrap_or(Bounds::UNKNOWN);
    set_truncating(state, state.guard.current.is_truncating);
}

/// A fiber was destroyed.
pub(super) fn forget(state: &mut State, fiber: FiberId) {
    if let Some(others) = &mut state.guard.others {
        others.remove(&fiber);
    }
}

/// Ends truncation before a bailout: shutdown functions run near the top of the
/// stack.
pub(super) fn after_bailout(state: &mut State) {
    if state.guard.current.is_truncating {
        set_truncating(state, false);
    }
}

fn set_truncating(state: &mut State, is_truncating: bool) {
    state.guard.current.is_truncating = is_truncating;
    if is_truncating {
        state.hooks = Hooks {
            end: end_truncated,
            ..Hooks::PASS
        };
        execute::suspend();
    } else {
        state.hooks = state.plan;
        execute::resume();
    }
}

/// Runs a call below the limit. Records it if the limit was only unknown so far.
#[cold]
#[inline(never)]
pub(super) unsafe fn run_user(
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
        let hooks = (*state).plan;
        let entered = match (*state).recorder.running() {
            Some(recorder) => (hooks.enter)(recorder, symbol, data),
            None => Entered::TooDeep,
        };
        match entered {
            Entered::Recorded(token) => {
                pass_user(data);
                suspended::leave_by(state, hooks, token);
            }
            Entered::TooDeep => run_user_truncated(state, data),
        }
    }
}

/// Runs a call that is not recorded, but uses the C stack.
#[inline(never)]
pub(super) unsafe fn run_user_unrecorded(
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
pub(super) unsafe fn run_user_truncated(state: *mut State, data: *mut zend_execute_data) {
    // SAFETY: as in `run_user`.
    unsafe { truncated(state, data, || pass_user(data)) }
}

/// Runs an internal function and everything below it unhooked, as `[truncated]`.
#[cold]
#[inline(never)]
pub(super) unsafe fn run_internal_truncated(
    state: *mut State,
    data: *mut zend_execute_data,
    result: *mut zval,
) {
    // SAFETY: as in `run_user`.
    unsafe { truncated(state, data, || internal::pass(data, result)) }
}

/// Runs `call`, a closure over plain pointers, between one entry and one exit.
unsafe fn truncated(state: *mut State, data: *mut zend_execute_data, call: impl FnOnce()) {
    // SAFETY: as in `run_user`; a `longjmp` over this frame skips only plain
    // data, and `after_bailout` puts the hooks back then.
    unsafe {
        let hooks = (*state).plan;
        let entered = match (*state).recorder.running() {
            Some(recorder) => (hooks.enter_truncated)(recorder, data),
            None => Entered::TooDeep,
        };
        // If a bailout skips the call, the end of its caller ends truncation.
        let caller = (*data).prev_execute_data;
        if !caller.is_null() {
            (*state).guard.current.until = marks::mark(caller);
        }
        unhooked(state, call);
        if let Entered::Recorded(token) = entered {
            suspended::leave_by(state, hooks, token);
        }
    }
}

/// In the observer engine: from the call's begin to its end, only one
/// `[truncated]` frame is recorded.
#[cold]
pub(super) fn begin_truncated(state: &mut State, data: *mut zend_execute_data) {
    let enter_truncated = state.plan.enter_truncated;
    if let Some(recorder) = state.recorder.running() {
        enter_truncated(recorder, data);
    }
    state.guard.current.until = marks::mark(data);
    set_truncating(state, true);
}

unsafe fn end_truncated(data: *mut zend_execute_data) {
    // SAFETY: this thread's state; the engine calls this between two functions,
    // when no hook holds a reference.
    let state = unsafe { &mut *state() };
    let mark = marks::mark(data);
    if state.guard.current.until == mark {
        state.guard.current.until = 0;
        set_truncating(state, false);
        let end_marked = state.plan.end_marked;
        if let Some(recorder) = state.recorder.running() {
            end_marked(recorder, mark);
        }
    }
}

/// Runs a user function and everything below it unhooked, in the sampling mode.
#[cold]
#[inline(never)]
pub(super) unsafe fn run_user_unsampled(
    state: *mut State,
    data: *mut zend_execute_data,
    here: usize,
) {
    // SAFETY: as in `run_user`.
    unsafe {
        let limit = (*state).guard.limit();
        (*state).guard.find_limit(here);
        if limit != (*state).guard.limit() {
            return ((*state).hooks.user)(data);
        }
        unhooked(state, || pass_user(data));
    }
}

unsafe fn unhooked(state: *mut State, call: impl FnOnce()) {
    // SAFETY: as in `run_user`.
    unsafe {
        let session = (*state).session;
        set_truncating(&mut *state, true);
        call();
        // If another profile began during the call, its hooks are installed. If
        // the profile ended, its plan records nothing.
        if (*state).session == session {
            set_truncating(&mut *state, false);
        }
    }
}
