//! Runs PHP code of this extension.

use std::ffi::CStr;

use ext_php_rs::ffi;

use super::bindings::{self, SUCCESS};

/// Runs a statement; false if an exception is pending before or afterwards, or if
/// the code failed.
pub(crate) fn evaluate(code: &CStr) -> bool {
    // SAFETY: this thread's globals; the strings are terminated, and the result
    // is discarded.
    unsafe {
        if !(*ffi::ext_php_rs_executor_globals()).exception.is_null() {
            return false;
        }
        let result = ffi::zend_eval_string(
            code.as_ptr(),
            std::ptr::null_mut(),
            c"xhprof.compensate".as_ptr(),
        );
        result == SUCCESS && (*ffi::ext_php_rs_executor_globals()).exception.is_null()
    }
}

/// Removes a function that [`evaluate`] declared, and that is not running.
pub(crate) fn forget_function(name: &str) {
    // SAFETY: this thread's table, whose destructor frees the function; the
    // name is `len` bytes.
    unsafe {
        let table = (*ffi::ext_php_rs_executor_globals()).function_table;
        bindings::zend_hash_str_del(table, name.as_ptr().cast(), name.len());
    }
}
