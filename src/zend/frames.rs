//! PHP's own frames.

use ext_php_rs::ffi::{self, zend_execute_data, zend_op};

/// The frame of the function that runs now; null outside of any.
pub(crate) fn current_frame() -> *mut zend_execute_data {
    // SAFETY: this thread's globals.
    unsafe { (*ffi::ext_php_rs_executor_globals()).current_execute_data }
}

/// Whether a live frame runs PHP code, and not a function written in C.
pub(crate) fn runs_php(frame: *const zend_execute_data) -> bool {
    // SAFETY: the frame is live; the engine's own dummy frames have no function.
    unsafe {
        let function = (*frame).func;
        !function.is_null() && u32::from((*function).type_) != ffi::ZEND_INTERNAL_FUNCTION
    }
}

/// Whether a live frame runs the destructor of a class.
pub(crate) fn runs_destructor(frame: *const zend_execute_data) -> bool {
    // SAFETY: the frame is live and has its function; a class outlives its methods.
    unsafe {
        let function = (*frame).func;
        let class = (*function).common.scope;
        !class.is_null() && (*class).destructor == function
    }
}

/// Whether a frame that stands at `opline` stands where an exception put it.
pub(crate) fn is_exception_opline(opline: *const zend_op) -> bool {
    // SAFETY: this thread's globals.
    let operations = unsafe { &(*ffi::ext_php_rs_executor_globals()).exception_op };
    operations.as_ptr_range().contains(&opline)
}
