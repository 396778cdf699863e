//! Keeps deep recursion off the C stack.
//!
//! With a hook in `zend_execute_ex` every PHP call is a C call: 160 to 230
//! bytes a level, so that an 8 MiB stack ends near 40,000 levels, where PHP
//! alone would go on. But `DO_FCALL` compares `zend_execute_ex` with
//! `execute_ex` at each call, and runs the callee without recursion when they
//! are the same. So a call that finds little stack left puts `execute_ex` back
//! for everything deeper, and the hook in again when it returns. What runs in
//! between is charged to a `[truncated]` row. The same way bounds the recorded
//! depth (`xhprof.max_depth`), in the observer engine too, which needs no C
//! stack.
//!
//! Bounds and state belong to the C stack, so each fiber has its own.

use std::collections::HashMap;

use ext_php_rs::ffi::{zend_execute_data, zval};
use recorder::{Entered, FiberId, SymbolId};

use super::execute::{self, pass_user};
use super::state::{State, state};
use super::{Hooks, internal, marks, suspended};
use crate::zend::{self, stack};

/// The guard of the C stack that runs, and those of the others.
pub(crate) struct Guard {
    current: Bounds,
    others: Option<HashMap<FiberId, Bounds>>,
}

/// How deep one C stack may get, and whether it is there.
#[derive(Clone, Copy)]
struct Bounds {
    limit: usize,
    is_truncating: bool,
    /// The observer engine's: the mark of the call with whose end it ends.
    until: usize,
}

impl Bounds {
    /// A limit that every address is below: the first call on the stack finds
    /// out the true one.
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

    /// Calls from below this address are not recorded one by one.
    #[inline(always)]
    pub(super) fn limit(&self) -> usize {
        self.current.limit
    }

    /// Whether what runs now is charged to a `[truncated]` row.
    pub(super) fn is_truncating(&self) -> bool {
        self.current.is_truncating
    }

    fn find_limit(&mut self, here: usize) {
        if self.current.limit == Bounds::UNKNOWN.limit {
            self.current.limit = match stack::thread_bounds() {
                Some(bounds) if bounds.contains(&here) => stack::limit_of(&bounds),
                // Not the thread's own: a fiber's, and this is near its beginning.
                _ => stack::limit_below(here, zend::fiber_stack_size()),
            };
        }
    }
}

/// The thread goes on in another fiber.
pub(super) fn switch(state: &mut State, from: FiberId, to: FiberId) {
    let others = state.guard.others.get_or_insert_default();
    others.insert(from, state.guard.current);
    state.guard.current = others.remove(&to).unwrap_or(Bounds::UNKNOWN);
    set_truncating(state, state.guard.current.is_truncating);
}

/// A fiber is gone.
pub(super) fn forget(state: &mut State, fiber: FiberId) {
    if let Some(others) = &mut state.guard.others {
        others.remove(&fiber);
    }
}

/// A fatal error is about to jump out of everything: what runs after it is
/// near the top of the stack again.
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

/// Runs a call that looks too deep; records it after all if the bounds were
/// just not known yet.
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

/// Runs a call that is not recorded, but takes its part of the C stack.
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
        // Should the call be jumped over, the end of its caller says so.
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

/// The observer engine's way: from a call to its end, nothing is recorded but
/// a `[truncated]` frame.
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
    // SAFETY: this thread's state; the observer engine calls this between two
    // functions, when nobody holds a reference.
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

/// Runs a user function and everything below it without a look at the stack.
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
        // A profile that began meanwhile has hooks of its own in place; one
        // that ended has a plan that records nothing.
        if (*state).session == session {
            set_truncating(&mut *state, false);
        }
    }
}
