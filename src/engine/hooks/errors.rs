//! Fatal errors, which bail out by `longjmp` (`zend_bailout`): state is restored before
//! they do. `zend_error_zstr_at` reports them by `zend_observer_error_notify`, before any
//! error handler.

use std::ffi::c_int;

use ext_php_rs::ffi::{
    E_COMPILE_ERROR, E_CORE_ERROR, E_ERROR, E_PARSE, E_RECOVERABLE_ERROR, E_USER_ERROR, zend_string,
};

use super::{detail, guard};
use crate::engine::state::{is_lent, with_state};
use crate::zend;
use crate::zend::bindings::zend_observer_error_register;

/// Errors after which the engine may bail out. An error handler can catch two of
/// them; restoring the hooks too early does no harm.
const FATAL: u32 = E_ERROR | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR;

/// The fatal errors that no error handler can catch.
const CERTAIN: u32 = E_ERROR | E_CORE_ERROR | E_COMPILE_ERROR;

/// MINIT: registers an error observer.
pub(in crate::engine) fn arm() {
    // SAFETY: MINIT is when the engine takes the registration.
    unsafe { zend_observer_error_register(raised) };
}

unsafe extern "C" fn raised(
    kind: c_int,
    _file: *mut zend_string,
    _line: u32,
    _message: *mut zend_string,
) {
    let is = |kinds: u32| u32::try_from(kind).is_ok_and(|kind| kind & kinds != 0);
    // A parse error in `eval()` is thrown, and does not come here.
    if is(CERTAIN | E_PARSE) {
        zend::note_fatal_error(true);
    }
    // An allocation of PHP's within `with_state`: what the error skips is repaired when
    // the request ends.
    if is_lent() {
        return;
    }
    if is(CERTAIN) {
        with_state(detail::end_all);
    }
    if !is(FATAL) {
        return;
    }
    with_state(|state| {
        detail::stop_asking(state);
        // The observer API reports the ends of all open calls before shutdown
        // functions run, and the guard restores the hooks there.
        if crate::engine::armed() == Some(crate::engine::Engine::Execute) {
            guard::after_bailout(state);
        }
    });
}
