//! The request and the process around it.

use std::ffi::{CStr, c_char};

use ext_php_rs::ffi;
use ext_php_rs::zend::ExecutorGlobals;

/// The server interface's name: `cli`, `fpm-fcgi`, …
pub(crate) fn sapi_name() -> &'static str {
    // SAFETY: the module is set before any extension is loaded and its name is
    // a constant of the SAPI.
    unsafe { text(ffi::sapi_module.name) }.unwrap_or("unknown")
}

/// The path of the script that the request runs, if it is a file.
pub(crate) fn script_path() -> Option<Vec<u8>> {
    // SAFETY: this thread's request data; the path lives as long as the request.
    unsafe {
        let path = (*ffi::ext_php_rs_sapi_globals())
            .request_info
            .path_translated;
        if path.is_null() {
            return None;
        }
        Some(CStr::from_ptr(path).to_bytes().to_vec())
    }
}

/// PHP's temporary directory.
pub(crate) fn temporary_directory() -> Vec<u8> {
    // SAFETY: PHP answers with a string that it keeps.
    unsafe { CStr::from_ptr(super::bindings::php_get_temporary_directory()) }
        .to_bytes()
        .to_vec()
}

/// How much C stack a fiber gets.
pub(crate) fn fiber_stack_size() -> usize {
    usize::try_from(ExecutorGlobals::get().fiber_stack_size).unwrap_or(0)
}

/// The name under which a file is compiled.
///
/// # Safety
///
/// `file` must be the handle that the engine handed to a compile hook.
pub(crate) unsafe fn file_name<'a>(file: *const ffi::zend_file_handle) -> Option<&'a [u8]> {
    // SAFETY: an open handle has a name, or none for code from nowhere.
    unsafe { super::call::bytes((*file).filename) }
}

/// Text that the engine keeps for good.
unsafe fn text(string: *const c_char) -> Option<&'static str> {
    if string.is_null() {
        return None;
    }
    // SAFETY: the caller says that it stays.
    unsafe { CStr::from_ptr(string) }.to_str().ok()
}
