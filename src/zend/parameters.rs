//! Parses the parameters of our own functions by `zend_parse_parameters`, with
//! PHP's conversions and TypeErrors.

use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_int};

use ext_php_rs::ffi::{self, HashTable};
use ext_php_rs::types::ZendHashTable;
use ext_php_rs::zend::ExecuteData;

use super::bindings::SUCCESS;
use super::paths;

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

/// A path, and the name of a format.
type FileAndFormat<'a> = (Cow<'a, [u8]>, Option<&'a [u8]>);

/// Takes `(string $file, string $format = 'native')`, the file a path that PHP's
/// `open_basedir` allows; none if PHP has thrown or warned.
pub(crate) fn file_and_format(call: &mut ExecuteData) -> Option<FileAndFormat<'_>> {
    let (mut file, mut file_length): (*const c_char, usize) = (std::ptr::null(), 0);
    let (mut format, mut format_length): (*const c_char, usize) = (std::ptr::null(), 0);
    // SAFETY: "p" and "s" write a pointer and a length each, of text that the
    // arguments keep alive as long as the call.
    let outcome = unsafe {
        zend_parse_parameters(
            count(call),
            c"p|s".as_ptr(),
            &raw mut file,
            &raw mut file_length,
            &raw mut format,
            &raw mut format_length,
        )
    };
    if outcome != SUCCESS {
        return None;
    }
    // SAFETY: set by the call above; a "p" has no NUL but that at its end.
    let file = paths::allowed(unsafe { CStr::from_ptr(file) })?;
    let text = |text: *const c_char, length| {
        // SAFETY: null, or set by the call above.
        (!text.is_null()).then(|| unsafe { std::slice::from_raw_parts(text.cast(), length) })
    };
    Some((file, text(format, format_length)))
}

/// Takes `(?string $file = null)`, a path that PHP's `open_basedir` allows; none
/// if PHP has thrown or warned.
#[expect(clippy::option_option, reason = "no file is not no answer")]
pub(crate) fn optional_file(call: &mut ExecuteData) -> Option<Option<Cow<'_, [u8]>>> {
    let (mut file, mut length): (*const c_char, usize) = (std::ptr::null(), 0);
    // SAFETY: as in `file_and_format`; "!" leaves the pointer null for null.
    let outcome = unsafe {
        zend_parse_parameters(count(call), c"|p!".as_ptr(), &raw mut file, &raw mut length)
    };
    if outcome != SUCCESS {
        return None;
    }
    if file.is_null() {
        return Some(None);
    }
    // SAFETY: set by the call above: text that the arguments keep alive as long
    // as the call, without a NUL but that at its end.
    let file = unsafe { CStr::from_ptr(file) };
    paths::allowed(file).map(Some)
}

/// MINIT: adds `false` to the return type of a function that was registered with
/// `string`.
pub(crate) fn may_return_false(name: &str) {
    // SAFETY: the compiler's table has the functions of this module by now, and
    // ours have a description of their result, which is this library's own.
    unsafe {
        let table = (*super::compile::compiler_globals()).function_table;
        let found = ffi::zend_hash_str_find(table, name.as_ptr().cast(), name.len());
        let Some(found) = found.as_ref() else { return };
        let function = found.value.func;
        let result = (*function).internal_function.arg_info.sub(1);
        (*result).type_.type_mask |= 1 << ffi::IS_FALSE;
    }
}

/// Takes `(string $key, string $value)`; none if PHP has thrown. Both are valid as
/// long as the call.
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
