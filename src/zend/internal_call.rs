//! Functions of PHP's own that do nothing but answer, asked without the
//! program noticing.
//!
//! Looked up in the table of functions, or of the class that is PHP's: so
//! neither a method of the program's own nor an error about a function that is
//! disabled can come in between. Nothing with a destructor is alive meanwhile.

use std::mem::MaybeUninit;

use ext_php_rs::ffi::{self, ZEND_INTERNAL_FUNCTION, zend_class_entry, zend_function, zval};

use super::Value;
use super::memory::fits_memory_limit;

/// The most arguments that a question has.
const MAX_ARGUMENTS: usize = 2;

/// The memory that a question takes whose answer is a number or a short name.
pub(super) const SMALL_ANSWER: usize = 4 << 10;

/// Asks the function of that name, in lower case; none if there is no such
/// function or it throws. Nothing is asked while an exception is on its way, or
/// where an answer of `largest` bytes might meet the memory limit.
///
/// The caller sees to it that the call is not recorded.
pub(crate) fn call_internal_function<R>(
    name: &str,
    arguments: &[&zval],
    largest: usize,
    use_answer: impl FnOnce(Value<'_>) -> R,
) -> Option<R> {
    if !fits_memory_limit(largest) {
        return None;
    }
    // SAFETY: the table of functions is there while a request runs.
    let function = unsafe {
        let table = (*ffi::ext_php_rs_executor_globals()).function_table;
        internal_function(table, name)?
    };
    call(function, None, arguments, use_answer)
}

/// Asks the method of that name, in lower case, of the class of PHP's own that
/// the object's class is or descends from, for at most [`SMALL_ANSWER`].
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
    // SAFETY: an object's class and all classes above it live as long as it.
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
    call(function, Some(object), arguments, use_answer)
}

/// Whether an exception is on its way.
pub(crate) fn is_throwing() -> bool {
    // SAFETY: the globals are there while a request runs.
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

fn call<R>(
    function: *mut zend_function,
    object: Option<*mut ffi::zend_object>,
    arguments: &[&zval],
    use_answer: impl FnOnce(Value<'_>) -> R,
) -> Option<R> {
    if is_throwing() {
        return None;
    }
    // Copies that own nothing: the engine takes its own references.
    let mut copies: [MaybeUninit<zval>; MAX_ARGUMENTS] =
        [const { MaybeUninit::uninit() }; MAX_ARGUMENTS];
    let mut count = 0;
    for (copy, argument) in copies.iter_mut().zip(arguments) {
        // SAFETY: a zval is plain data as far as it is only looked at.
        copy.write(unsafe { std::ptr::read(*argument) });
        count += 1;
    }
    let mut result = MaybeUninit::<zval>::zeroed();
    // SAFETY: the function is one of the engine's tables, with an object of its
    // class; the arguments are initialised, and the result is a zval of type 0,
    // which the engine fills.
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
        // Not the program's: it asked nothing. But PHP may end the request that
        // way, when the memory limit is reached.
        // SAFETY: called from PHP's thread, in a request, with an exception.
        unsafe {
            let exception = (*ffi::ext_php_rs_executor_globals()).exception;
            if !super::bindings::zend_is_unwind_exit(exception) {
                super::bindings::zend_clear_exception();
            }
        }
        return None;
    }
    // SAFETY: the call has set it. Dropping it gives back what it holds.
    let result = unsafe { result.assume_init() };
    Some(use_answer(Value::new(&result)))
}
