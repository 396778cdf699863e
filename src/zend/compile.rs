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

/// From now on, calls of user functions are compiled so that they look at
/// `zend_execute_ex`. Once a thread; the engine keeps the option.
pub(crate) fn make_user_calls_visible() {
    // SAFETY: the globals are this thread's own.
    unsafe { (*compiler_globals()).compiler_options |= ZEND_COMPILE_IGNORE_USER_FUNCTIONS };
}

/// Takes the option back.
pub(crate) fn stop_making_user_calls_visible() {
    // SAFETY: the globals are this thread's own.
    unsafe { (*compiler_globals()).compiler_options &= !ZEND_COMPILE_IGNORE_USER_FUNCTIONS };
}

/// From now on, `strlen()` and the like are compiled as the calls they look
/// like, not as opcodes of their own. Once a thread; the engine keeps the option.
pub(crate) fn make_special_functions_visible() {
    // SAFETY: the globals are this thread's own.
    unsafe { (*compiler_globals()).compiler_options |= ZEND_COMPILE_NO_BUILTINS };
}
