//! The *execute* engine: `zend_execute_ex`, for user functions.
//!
//! Pre-armed: from MINIT on, user calls are compiled to `DO_FCALL`, which checks
//! `zend_execute_ex`; that costs nothing. The hook is installed at enable and
//! taken out at disable. So functions compiled and called before
//! `xhprof_enable()` are recorded, and an idle extension costs almost nothing.
//!
//! The installed function calls through the thread's [`Hooks`](super::Hooks), so
//! threads, and successive profiles of one thread, can have different plans.

use std::ptr::fn_addr_eq;
use std::sync::atomic::{AtomicBool, Ordering};

use ext_php_rs::ffi::zend_execute_data;
use recorder::Entered;

use super::plan::Tracing;
use super::state::state;
use super::{guard, lookup, suspended};
use crate::zend::bindings::{self, ExecuteEx};
use crate::zend::{Call, FunctionKind, HookPointer, stack};

/// The hook that was there before ours. With ZTS, the first thread that starts to
/// profile sets it while others may call through it.
static PREVIOUS: HookPointer<ExecuteEx> = HookPointer::new(bindings::execute_ex);

/// Our hook is in the chain. It cannot be taken out while another extension's
/// hook is on top of it.
static IS_IN: AtomicBool = AtomicBool::new(false);

/// MINIT: makes the compiler emit calls that check the hook.
pub(super) fn arm() {
    crate::zend::make_user_calls_visible();
}

/// MSHUTDOWN.
pub(super) fn disarm() {
    uninstall();
    crate::zend::stop_making_user_calls_visible();
}

/// Installs the hook on top of all others.
pub(super) fn install() {
    // SAFETY: PHP's global pointer, which is always set.
    unsafe {
        let below = bindings::zend_execute_ex;
        // Two threads may come here at once: the hook must not call itself.
        if !fn_addr_eq(below, installed as ExecuteEx) && !IS_IN.swap(true, Ordering::AcqRel) {
            PREVIOUS.set(below);
            bindings::zend_execute_ex = installed;
        }
    }
}

/// Takes the hook out, if it is still on top.
pub(super) fn uninstall() {
    // SAFETY: as in `install`.
    unsafe {
        if is_hook(installed) && IS_IN.swap(false, Ordering::AcqRel) {
            bindings::zend_execute_ex = PREVIOUS.get();
        }
    }
}

/// Takes the hook out, so that user calls below this frame use no C stack. Does
/// nothing if another extension's hook recurses anyway.
pub(super) fn suspend() {
    change_for_all_threads(true, || {
        // SAFETY: as in `install`.
        unsafe {
            let is_last = fn_addr_eq(PREVIOUS.get(), bindings::execute_ex as ExecuteEx);
            if is_hook(installed) && is_last {
                bindings::zend_execute_ex = bindings::execute_ex;
            }
        }
    });
}

/// Puts the hook back after [`suspend`].
pub(super) fn resume() {
    change_for_all_threads(false, || {
        // SAFETY: as in `install`.
        unsafe {
            if IS_IN.load(Ordering::Acquire) && is_hook(bindings::execute_ex) {
                bindings::zend_execute_ex = installed;
            }
        }
    });
}

#[cfg(not(php_zts))]
fn change_for_all_threads(_is_suspended: bool, change: impl FnOnce()) {
    change();
}

/// All threads share the hook: the first thread that gets too deep takes it out,
/// and the last one puts it back. In between, calls of the other threads are not
/// recorded; therefore `auto` chooses the observer engine with ZTS.
#[cfg(php_zts)]
fn change_for_all_threads(is_suspended: bool, change: impl FnOnce()) {
    use std::cell::Cell;
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

/// Calls the previous hook.
pub(super) unsafe extern "C" fn pass_user(data: *mut zend_execute_data) {
    // SAFETY: passes on what the engine handed us.
    unsafe { (PREVIOUS.get())(data) }
}

/// The hook for one plan. The fast path: everything unusual is left to
/// `traced_unknown`.
pub(super) unsafe extern "C" fn traced<T: Tracing>(data: *mut zend_execute_data) {
    let state = state();
    // SAFETY: as in `traced_unknown`.
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

/// The slow path: the first call of a function or by this caller, generators and
/// trampolines, and calls that are too deep.
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
