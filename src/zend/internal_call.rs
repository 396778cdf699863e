//! Calls of PHP's own functions without side effects, which the program does not
//! notice.
//!
//! The function is looked up in the function table, or in that of PHP's own class,
//! so an overriding method is never called, and a disabled function raises no
//! error. **Invariant:** nothing with a destructor is alive during the call.

use std::mem::MaybeUninit;

use ext_php_rs::ffi::{self, ZEND_INTERNAL_FUNCTION, zend_class_entry, zend_function, zval};

use super::Value;
use super::memory::fits_memory_limit;

/// The most arguments of a call.
const MAX_ARGUMENTS: usize = 2;

/// The memory of a call that returns a number or a short name, in bytes.
pub(super) const SMALL_ANSWER: usize = 4 << 10;

/// Calls the internal function of that name, in lower case. None if there is no
/// such function or it throws, if an exception is pending, or if a result of
/// `largest` bytes could exceed the memory limit.
///
/// The caller must make sure that the call is not recorded.
pub(crate) fn call_internal_function<R>(
    name: &str,
    arguments: &[&zval],
    largest: usize,
    use_answer: impl FnOnce(Value<'_>) -> R,
) -> Option<R> {
    if !fits_memory_limit(largest) {
        return None;
    }
    // SAFETY: the function table exists while a request runs.
    let function = unsafe {
        let table = (*ffi::ext_php_rs_executor_globals()).function_table;
        internal_function(table, name)?
    };
    // SAFETY: a function of the engine's table.
    unsafe { call(function, None, arguments, use_answer) }
}

/// Calls the internal method of that name, in lower case, of the object's class or
/// of an ancestor. The result may take [`SMALL_ANSWER`] bytes.
pub(crate) fn call_internal_method<R>(
    object: Value<'_>,
    name: &str,
    arguments: &[&zval],
    use_answer: impl FnOnce(Value<'_>) -> R,
) -> Option<R> {
    let object = object.as_object()?;
    if !fits_memory_limit(SMALL_ANSWER) {
        return None;
    }
    // SAFETY: an object's class and its ancestors live as long as the object.
    let function = unsafe {
        let mut class: *mut zend_class_entry = (*object).ce;
        loop {
            let found = internal_function(&raw mut (*class).function_table, name);
            if let Some(function) = found {
                break function;
            }
            class = (*class).__bindgen_anon_1.parent;
            if class.is_null() {
                return None;
            }
        }
    };
    // SAFETY: a method of the object's class.
    unsafe { call(function, Some(object), arguments, use_answer) }
}

/// Whether an exception is pending.
pub(crate) fn is_throwing() -> bool {
    // SAFETY: the globals exist while a request runs.
    unsafe { !(*ffi::ext_php_rs_executor_globals()).exception.is_null() }
}

/// # Safety
///
/// `table` must be a table of functions.
unsafe fn internal_function(table: *mut ffi::HashTable, name: &str) -> Option<*mut zend_function> {
    // SAFETY: the caller's table; its values are pointers to functions.
    unsafe {
        let found = ffi::zend_hash_str_find(table, name.as_ptr().cast(), name.len());
        let function: *mut zend_function = found.as_ref()?.value.ptr.cast();
        let is_internal = u32::from((*function).type_) == ZEND_INTERNAL_FUNCTION;
        is_internal.then_some(function)
    }
}

/// # Safety
///
/// `function` must be a function, and `object` one of its class.
unsafe fn call<R>(
    function: *mut zend_function,
    object: Option<*mut ffi::zend_object>,
    arguments: &[&zval],
    use_answer: impl FnOnce(Value<'_>) -> R,
) -> Option<R> {
    if is_throwing() {
        return None;
    }
    // Copies without ownership: the engine takes its own references.
    let mut copies: [MaybeUninit<zval>; MAX_ARGUMENTS] =
        [const { MaybeUninit::uninit() }; MAX_ARGUMENTS];
    let mut count = 0;
    for (copy, argument) in copies.iter_mut().zip(arguments) {
        // SAFETY: a bitwise copy of a zval that is only read and never dropped.
        copy.write(unsafe { std::ptr::read(*argument) });
        count += 1;
    }
    let mut result = MaybeUninit::<zval>::zeroed();
    // SAFETY: the caller's function and object. The arguments are initialised, and the result is an undefined zval,
    // which the engine sets.
    unsafe {
        let object = object.unwrap_or(std::ptr::null_mut());
        let class = object
            .as_ref()
            .map_or(std::ptr::null_mut(), |object| object.ce);
        ffi::zend_call_known_function(
            function,
            object,
            class,
            result.as_mut_ptr(),
            count,
            copies.as_mut_ptr().cast(),
            std::ptr::null_mut(),
        );
    }
    if is_throwing() {
        // The program must not see the exception. An unwind exit stays: PHP ends
        // the request by it.
        // SAFETY: called from PHP's thread, in a request, with an exception.
        unsafe {
            let exception = (*ffi::ext_php_rs_executor_globals()).exception;
            if !super::bindings::zend_is_unwind_exit(exception) {
                super::bindings::zend_clear_exception();
            }
        }
        return None;
    }
    // SAFETY: the call has set the result. Dropping it releases its value.
    let result = unsafe { result.assume_init() };
    Some(use_answer(Value::new(&result)))
}
