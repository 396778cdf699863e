//! Drops Rust values when PHP bails out.
//!
//! PHP bails out by `longjmp` when an allocation exceeds the memory limit. That
//! skips the destructors of our frames, so a server's worker would leak memory
//! with each such request.

use std::panic::AssertUnwindSafe;

use ext_php_rs::zend::{bailout, try_catch};

/// Runs `act`, which allocates PHP's memory, and drops `value` even if PHP bails
/// out. Rust allocations of `act` itself leak then, so they must be small.
pub(crate) fn run_and_drop<T>(value: T, act: impl FnOnce(&T)) {
    drop(run_and_keep(value, act));
}

/// Runs `ask`, which asks PHP for something, and returns it with `value`, which is
/// dropped if PHP bails out.
pub(crate) fn ask_keeping<T, R>(value: T, ask: impl FnOnce() -> R) -> (T, R) {
    match try_catch(AssertUnwindSafe(ask)) {
        Ok(answer) => (value, answer),
        Err(_) => {
            drop(value);
            // SAFETY: as in `run_and_keep`.
            unsafe { bailout() }
        }
    }
}

/// The same, but returns `value` if PHP does not bail out.
pub(crate) fn run_and_keep<T>(value: T, act: impl FnOnce(&T)) -> T {
    if try_catch(AssertUnwindSafe(|| act(&value))).is_ok() {
        return value;
    }
    drop(value);
    // SAFETY: continues PHP's bailout to the jump buffer of an outer caller; no
    // value with a destructor is left here.
    unsafe { bailout() }
}
