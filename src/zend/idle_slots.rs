//! Requests that nobody profiles do not pay for slots in internal functions.
//!
//! As long as any extension has a slot in functions' run-time caches, the engine
//! makes such caches for all of PHP's own functions when a request begins: some
//! 20 µs, in a request that may take 30. Where the only slot is ours, it is
//! told between two requests that there is none; when a profile begins, the
//! engine is asked to make the caches after all.
//!
//! What must stay true: whatever is compiled has room for the slot, so the
//! number is back before anything is compiled ([`take_back`] in `engine::compile`
//! and at RINIT), and another extension never gets our number: none asks between
//! requests. Until PHP 8.3 both kinds of functions have one numbering.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};

use super::bindings;

/// The number is zero now, and was one.
static IS_AWAY: AtomicBool = AtomicBool::new(false);
/// This request has begun without caches for internal functions.
static ARE_MISSING: AtomicBool = AtomicBool::new(false);

fn slots() -> *mut c_int {
    #[cfg(internal_extension_handle)]
    {
        &raw mut bindings::zend_internal_function_extension_handles
    }
    #[cfg(not(internal_extension_handle))]
    {
        &raw mut bindings::zend_op_array_extension_handles
    }
}

/// A request is over, and nothing of it runs any more. Only if our slot has
/// been reserved. Threads share the number, so with threads it stays.
pub(crate) fn let_go() {
    // SAFETY: a counter of the engine's, which without threads nobody looks at
    // meanwhile; a request of the module startup (preloading) is left alone,
    // because slots are still given away after it.
    unsafe {
        if cfg!(not(php_zts)) && bindings::php_during_module_startup() == 0 && *slots() == 1 {
            *slots() = 0;
            IS_AWAY.store(true, Ordering::Relaxed);
        }
    }
}

/// A request begins, or something is compiled.
#[inline]
pub(crate) fn take_back() {
    if IS_AWAY.load(Ordering::Relaxed) {
        IS_AWAY.store(false, Ordering::Relaxed);
        // SAFETY: as in `let_go`; it was one, and if it is not zero now, then
        // all modules have been started anew.
        unsafe {
            if *slots() == 0 {
                *slots() = 1;
                ARE_MISSING.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// A profile begins: from here on all functions have the slot.
pub(crate) fn fill() {
    if ARE_MISSING.swap(false, Ordering::Relaxed) {
        // SAFETY: in a request; makes a cache for each function without one, in
        // memory of the request's.
        unsafe { bindings::zend_init_internal_run_time_cache() };
    }
}
