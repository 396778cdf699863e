//! The *execute* engine: `zend_execute_ex`, for user functions.
//!
//! Pre-armed: from MINIT on, user calls are compiled so that they look at the
//! hook, which costs nothing. At enable the hook goes in, at disable it comes
//! out. So functions compiled and called before `xhprof_enable()` are seen like
//! all others, and an idle extension costs next to nothing.
//!
//! The installed function jumps through the thread's [`Hooks`](super::Hooks),
//! so that one process can hold threads, and one thread profiles, of different
//! plans.

use std::cell::Cell;
use std::ptr::fn_addr_eq;

use ext_php_rs::ffi::zend_execute_data;
use recorder::Entered;

use super::plan::Tracing;
use super::state::state;
use super::{guard, lookup, suspended};
use crate::zend::bindings::{self, ExecuteEx};
use crate::zend::{Call, FunctionKind, stack};

/// The hook that was there before ours.
struct Previous {
    execute: Cell<ExecuteEx>,
    /// Ours is in the chain. It stays there as long as another extension's
    /// hook on top of it keeps it from being taken out.
    is_in: Cell<bool>,
}

// SAFETY: written by the first thread that starts to profile and the last one
// that ends; a pointer is written whole on every system we support.
unsafe impl Sync for Previous {}

static PREVIOUS: Previous = Previous {
    execute: Cell::new(bindings::execute_ex),
    is_in: Cell::new(false),
};

/// MINIT: sees to it that code compiled from now on can be watched.
pub(super) fn arm() {
    crate::zend::make_user_calls_visible();
}

/// MSHUTDOWN.
pub(super) fn disarm() {
    uninstall();
    crate::zend::stop_making_user_calls_visible();
}

/// Puts the hook in, on top of whatever is there.
pub(super) fn install() {
    // SAFETY: see `PREVIOUS`.
    unsafe {
        let below = bindings::zend_execute_ex;
        // Never below itself, should two threads come here at once.
        if !PREVIOUS.is_in.get() && !fn_addr_eq(below, installed as ExecuteEx) {
            PREVIOUS.execute.set(below);
            PREVIOUS.is_in.set(true);
            bindings::zend_execute_ex = installed;
        }
    }
}

/// Takes the hook out, if it is still on top.
pub(super) fn uninstall() {
    // SAFETY: see `PREVIOUS`.
    unsafe {
        if PREVIOUS.is_in.get() && is_hook(installed) {
            bindings::zend_execute_ex = PREVIOUS.execute.get();
            PREVIOUS.is_in.set(false);
        }
    }
}

/// Lets user functions below this frame run without us, on no C stack. Does
/// nothing if another extension's hook recurses anyway.
pub(super) fn suspend() {
    change_for_all_threads(true, || {
        // SAFETY: see `PREVIOUS`.
        unsafe {
            let is_last = fn_addr_eq(PREVIOUS.execute.get(), bindings::execute_ex as ExecuteEx);
            if is_hook(installed) && is_last {
                bindings::zend_execute_ex = bindings::execute_ex;
            }
        }
    });
}

/// Takes [`suspend`] back.
pub(super) fn resume() {
    change_for_all_threads(false, || {
        // SAFETY: see `PREVIOUS`.
        unsafe {
            if PREVIOUS.is_in.get() && is_hook(bindings::execute_ex) {
                bindings::zend_execute_ex = installed;
            }
        }
    });
}

#[cfg(not(php_zts))]
fn change_for_all_threads(_is_suspended: bool, change: impl FnOnce()) {
    change();
}

/// The hook belongs to all threads, so it goes out with the first one that is
/// too deep and comes in with the last. Meanwhile calls of the others are
/// missed, which is why thread-safe PHPs have the observer unless told not to.
#[cfg(php_zts)]
fn change_for_all_threads(is_suspended: bool, change: impl FnOnce()) {
    use std::sync::{Mutex, PoisonError};
    static THREADS: Mutex<u32> = Mutex::new(0);
    thread_local! {
        static THIS_ONE: Cell<bool> = const { Cell::new(false) };
    }
    if THIS_ONE.replace(is_suspended) == is_suspended {
        return;
    }
    let mut threads = THREADS.lock().unwrap_or_else(PoisonError::into_inner);
    let others = if is_suspended { *threads } else { *threads - 1 };
    *threads = others + u32::from(is_suspended);
    if others == 0 {
        change();
    }
}

unsafe fn is_hook(hook: ExecuteEx) -> bool {
    // SAFETY: reads a pointer that is always set.
    fn_addr_eq(unsafe { bindings::zend_execute_ex }, hook)
}

unsafe extern "C" fn installed(data: *mut zend_execute_data) {
    // SAFETY: the hooks of the state take what the engine hands to a hook.
    unsafe { ((*state()).hooks.user)(data) }
}

/// Does what the engine would have done without us.
pub(super) unsafe extern "C" fn pass_user(data: *mut zend_execute_data) {
    // SAFETY: passes on what the engine handed us.
    unsafe { (PREVIOUS.execute.get())(data) }
}

/// The hook for one plan.
pub(super) unsafe extern "C" fn traced<T: Tracing>(data: *mut zend_execute_data) {
    let state = state();
    // SAFETY: as in `traced_unknown`, which knows what to do about whatever is
    // not as it usually is.
    unsafe {
        if let Some(symbol) = lookup::plain(state, Call::new(data), FunctionKind::User)
            && stack::address() >= (*state).guard.limit()
            && let Some(token) =
                (*state)
                    .recorder
                    .enter_again::<T>(symbol, &T::site(data), T::read_at_entry)
        {
            pass_user(data);
            suspended::leave_again::<T>(state, token, FunctionKind::User);
        } else {
            traced_unknown::<T>(data);
        }
    }
}

/// The same for calls that have to be looked at: the first of a function or by
/// this caller, those with more to them, and what is too deep.
#[inline(never)]
unsafe fn traced_unknown<T: Tracing>(data: *mut zend_execute_data) {
    let state = state();
    // SAFETY: the engine hands a hook a frame with its function; `state` is
    // this thread's, and references to it end before anything is called. What
    // lives across the call is plain data.
    unsafe {
        let target = lookup::target(state, Call::new(data), FunctionKind::User);
        let here = stack::address();
        let Some(symbol) = target.symbol() else {
            return guard::run_user_unrecorded(state, data, here);
        };
        if here < (*state).guard.limit() {
            return guard::run_user(state, data, symbol, here);
        }
        let Some(recorder) = (*state).recorder.running() else {
            return pass_user(data);
        };
        match recorder.enter::<T>(symbol, &T::site(data), T::read_at_entry) {
            Entered::Recorded(token) => {
                pass_user(data);
                suspended::leave::<T>(state, token, FunctionKind::User);
            }
            Entered::TooDeep => guard::run_user_truncated(state, data),
        }
    }
}
