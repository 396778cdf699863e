//! The compiler's options and globals.

use ext_php_rs::ffi::{self, zend_compiler_globals};

use super::bindings::{ZEND_COMPILE_IGNORE_USER_FUNCTIONS, ZEND_COMPILE_NO_BUILTINS};

/// This thread's compiler globals.
#[inline(always)]
pub(crate) fn compiler_globals() -> *mut zend_compiler_globals {
    #[cfg(not(php_zts))]
    {
        &raw mut ffi::compiler_globals
    }
    #[cfg(php_zts)]
    // SAFETY: every thread that runs PHP has its globals.
    unsafe {
        ffi::ext_php_rs_compiler_globals()
    }
}

/// Makes the compiler emit calls of user functions that check `zend_execute_ex`.
/// Once per thread; the engine keeps the option.
pub(crate) fn make_user_calls_visible() {
    // SAFETY: the globals are this thread's own.
    unsafe { (*compiler_globals()).compiler_options |= ZEND_COMPILE_IGNORE_USER_FUNCTIONS };
}

/// Resets the option.
pub(crate) fn stop_making_user_calls_visible() {
    // SAFETY: the globals are this thread's own.
    unsafe { (*compiler_globals()).compiler_options &= !ZEND_COMPILE_IGNORE_USER_FUNCTIONS };
}

/// Makes the compiler emit calls for `strlen()` and the like, instead of opcodes
/// of their own. Once per thread; the engine keeps the option.
pub(crate) fn make_special_functions_visible() {
    // SAFETY: the globals are this thread's own.
    unsafe { (*compiler_globals()).compiler_options |= ZEND_COMPILE_NO_BUILTINS };
}
