//! Our hooks in PHP's global pointers: `zend_execute_ex` and `zend_execute_internal`.
//!
//! The installed functions call through the thread's [`Hooks`](crate::engine::state::hook_table::Hooks), so
//! threads, and successive profiles of one thread, can have different plans.

/// `zend_execute_ex`, for the *execute* engine.
///
/// From MINIT on, user calls are compiled to `DO_FCALL`, which checks the pointer;
/// that costs nothing. The hook is installed at enable and taken out at disable.
pub(in crate::engine) mod user {
    use std::ptr::fn_addr_eq;
    use std::sync::atomic::{AtomicBool, Ordering};

    use ext_php_rs::ffi::zend_execute_data;

    use crate::engine::state::hooks;
    use crate::engine::state::previous::USER as PREVIOUS;
    use crate::zend::bindings::{self, ExecuteEx};

    /// Our hook is in the chain. It cannot be taken out while another extension's
    /// hook is on top of it.
    static IS_IN: AtomicBool = AtomicBool::new(false);

    /// MINIT: makes the compiler emit calls that check the hook.
    pub(in crate::engine) fn arm() {
        crate::zend::make_user_calls_visible();
    }

    /// MSHUTDOWN.
    pub(in crate::engine) fn disarm() {
        uninstall();
        crate::zend::stop_making_user_calls_visible();
    }

    /// Installs the hook on top of all others.
    pub(in crate::engine) fn install() {
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
    pub(in crate::engine) fn uninstall() {
        // SAFETY: as in `install`.
        unsafe {
            if is_hook(installed) && IS_IN.swap(false, Ordering::AcqRel) {
                bindings::zend_execute_ex = PREVIOUS.get();
            }
        }
    }

    /// Takes the hook out, so that user calls below this frame use no C stack. Does
    /// nothing if another extension's hook recurses anyway.
    pub(in crate::engine) fn suspend() {
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
    pub(in crate::engine) fn resume() {
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
        unsafe { (hooks().user)(data) }
    }
}

/// `zend_execute_internal`, for both engines.
///
/// The hook is installed at MINIT and stays. It must be installed before code is
/// compiled: calls compiled without it never check it, and a JIT compiles its
/// address into the code. While nothing is recorded it costs a test and a jump.
pub(in crate::engine) mod internal {
    use std::ptr::fn_addr_eq;

    use ext_php_rs::ffi::{zend_execute_data, zval};

    use crate::engine::state::hooks;
    use crate::engine::state::previous::INTERNAL as PREVIOUS;
    use crate::zend::bindings::{self, ExecuteInternal};

    /// MINIT: installs the hook.
    pub(in crate::engine) fn arm() {
        // SAFETY: MINIT runs before any thread and calls no PHP function.
        unsafe {
            PREVIOUS.set(bindings::zend_execute_internal);
            bindings::zend_execute_internal = Some(installed);
        }
    }

    /// MSHUTDOWN: takes the hook out, unless another extension hooked on top.
    pub(in crate::engine) fn disarm() {
        // SAFETY: as in `arm`, at the other end of the process's life.
        unsafe {
            if let Some(hook) = bindings::zend_execute_internal
                && fn_addr_eq(hook, installed as ExecuteInternal)
            {
                bindings::zend_execute_internal = PREVIOUS.get();
            }
        }
    }

    unsafe extern "C" fn installed(data: *mut zend_execute_data, result: *mut zval) {
        // SAFETY: the hooks of the state take what the engine hands to a hook.
        unsafe { (hooks().internal)(data, result) }
    }
}
