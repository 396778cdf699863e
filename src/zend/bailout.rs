//! What is ours when PHP jumps.
//!
//! Most PHPs leave by `longjmp` as soon as memory is asked for that the memory
//! limit does not allow, over the frames of whoever asked: nothing is dropped,
//! and a server's worker would get larger with each such request.

use std::panic::AssertUnwindSafe;

use ext_php_rs::zend::{bailout, try_catch};

/// Lets `act` ask for PHP's memory, and drops `value` whatever comes of it. What
/// `act` itself has allocated elsewhere is lost if PHP jumps: let it be little.
pub(crate) fn run_and_drop<T>(value: T, act: impl FnOnce(&T)) {
    drop(run_and_keep(value, act));
}

/// The same, and gives `value` back if PHP does not jump.
pub(crate) fn run_and_keep<T>(value: T, act: impl FnOnce(&T)) -> T {
    if try_catch(AssertUnwindSafe(|| act(&value))).is_ok() {
        return value;
    }
    drop(value);
    // SAFETY: PHP was on its way to the place it jumps to, which our caller's
    // caller has set; nothing here has a destructor any more.
    unsafe { bailout() }
}
