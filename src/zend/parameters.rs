//! The parameters of our own functions, taken by PHP's own rules: the same
//! conversions and the same TypeErrors as everywhere.

use std::ffi::{c_char, c_int};

use ext_php_rs::ffi::HashTable;
use ext_php_rs::types::ZendHashTable;
use ext_php_rs::zend::ExecuteData;

use super::bindings::SUCCESS;

unsafe extern "C" {
    // zend_API.h
    fn zend_parse_parameters(num_args: u32, type_spec: *const c_char, ...) -> c_int;
}

/// Takes `(int $flags = 0, array $options = [])`; none if PHP has thrown.
pub(crate) fn flags_and_options(call: &mut ExecuteData) -> Option<(i64, Option<&ZendHashTable>)> {
    let mut flags: i64 = 0;
    let mut options: *mut HashTable = std::ptr::null_mut();
    // SAFETY: "l" writes a zend_long and "h" a table that the arguments keep
    // alive as long as the call; the count is that of this call.
    let outcome = unsafe {
        zend_parse_parameters(
            count(call),
            c"|lh".as_ptr(),
            &raw mut flags,
            &raw mut options,
        )
    };
    if outcome != SUCCESS {
        return None;
    }
    // SAFETY: null, or set by the call above.
    Some((flags, unsafe { options.as_ref() }))
}

/// Takes `(string $key, string $value)`; none if PHP has thrown. What it gives
/// is valid as long as the call.
pub(crate) fn two_strings(call: &mut ExecuteData) -> Option<(&[u8], &[u8])> {
    let mut texts: [(*const c_char, usize); 2] = [(std::ptr::null(), 0); 2];
    let [(key, key_length), (value, value_length)] = &mut texts;
    // SAFETY: each "s" writes a pointer and a length; the count is that of this call.
    let outcome = unsafe {
        zend_parse_parameters(
            count(call),
            c"ss".as_ptr(),
            std::ptr::from_mut(key),
            std::ptr::from_mut(key_length),
            std::ptr::from_mut(value),
            std::ptr::from_mut(value_length),
        )
    };
    if outcome != SUCCESS {
        return None;
    }
    // SAFETY: strings that the arguments keep alive as long as the call.
    let [key, value] =
        texts.map(|(text, length)| unsafe { std::slice::from_raw_parts(text.cast(), length) });
    Some((key, value))
}

/// Takes no parameters; false if PHP has thrown.
pub(crate) fn nothing(call: &mut ExecuteData) -> bool {
    // SAFETY: the specification takes nothing and writes nothing.
    unsafe { zend_parse_parameters(count(call), c"".as_ptr()) == SUCCESS }
}

fn count(call: &ExecuteData) -> u32 {
    // SAFETY: `This.u2` of a function's frame holds the number of arguments.
    unsafe { call.This.u2.num_args }
}
