//! The hooks that were there before ours, which ours call.

use ext_php_rs::ffi::{zend_execute_data, zval};

use crate::zend::HookPointer;
use crate::zend::bindings::{self, ExecuteEx, ExecuteInternal};

/// The previous `zend_execute_ex`. With ZTS, the first thread that starts to
/// profile sets it while others may call through it.
pub(in crate::engine) static USER: HookPointer<ExecuteEx> = HookPointer::new(bindings::execute_ex);

/// The previous `zend_execute_internal`, if there was one.
pub(in crate::engine) static INTERNAL: HookPointer<Option<ExecuteInternal>> =
    HookPointer::new(None);

/// Calls the previous hook for user functions.
pub(in crate::engine) unsafe extern "C" fn pass_user(data: *mut zend_execute_data) {
    // SAFETY: passes on what the engine handed us.
    unsafe { (USER.get())(data) }
}

/// Calls the previous hook for internal functions, or the function's handler.
#[inline(always)]
pub(in crate::engine) unsafe fn pass(data: *mut zend_execute_data, result: *mut zval) {
    // SAFETY: passes on what the engine handed us. Without a hook `ZEND_DO_FCALL`
    // calls the handler of the frame's function; every callable internal
    // function has one.
    unsafe {
        match INTERNAL.get() {
            Some(previous) => previous(data, result),
            None => {
                let handler = (*(*data).func).internal_function.handler;
                handler.unwrap_unchecked()(data, result);
            }
        }
    }
}

/// The hook for internal functions that records nothing.
pub(in crate::engine) unsafe extern "C" fn pass_internal(
    data: *mut zend_execute_data,
    result: *mut zval,
) {
    // SAFETY: as `pass`.
    unsafe { pass(data, result) }
}

/// The begin of a user function that is not recorded.
pub(in crate::engine) unsafe fn pass_begin(data: *mut zend_execute_data) {
    #[cfg(property_hooks)]
    // SAFETY: the engine's frame, whose call begins.
    unsafe {
        crate::zend::property_hooks::forget_hook_of_caller(crate::zend::Call::new(data));
    }
    #[cfg(not(property_hooks))]
    let _ = data;
}
