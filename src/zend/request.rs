//! The request and the process around it.

use std::cell::Cell;
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
    let known = unsafe {
        (*ffi::ext_php_rs_sapi_globals())
            .request_info
            .path_translated
    };
    // php-fpm has freed it when a request ends.
    // SAFETY: null, or text that lives as long as the request.
    unsafe { bytes(known) }.or_else(|| server_variable(c"SCRIPT_FILENAME"))
}

/// The request's method; none on the command line.
pub(crate) fn request_method() -> Option<Vec<u8>> {
    // SAFETY: as in `script_path`.
    let method = unsafe {
        (*ffi::ext_php_rs_sapi_globals())
            .request_info
            .request_method
    };
    // SAFETY: null, or text that lives as long as the request.
    unsafe { bytes(method) }
}

/// The path of the request, without the query; none on the command line.
pub(crate) fn request_path() -> Option<Vec<u8>> {
    // SAFETY: as in `script_path`.
    let known = unsafe { (*ffi::ext_php_rs_sapi_globals()).request_info.request_uri };
    // php-fpm and CGI have the script's path there, so REQUEST_URI comes first.
    // SAFETY: null, or text that lives as long as the request.
    let mut path = server_variable(c"REQUEST_URI").or_else(|| unsafe { bytes(known) })?;
    if let Some(query) = path.iter().position(|byte| matches!(byte, b'?' | b'#')) {
        path.truncate(query);
    }
    Some(path)
}

/// The HTTP status of the response; zero if none was set.
pub(crate) fn response_status() -> i32 {
    // SAFETY: as in `script_path`.
    unsafe {
        (*ffi::ext_php_rs_sapi_globals())
            .sapi_headers
            .http_response_code
    }
}

/// The `Host` header, if the server passes it on.
pub(crate) fn http_host() -> Option<Vec<u8>> {
    server_variable(c"HTTP_HOST")
}

/// Whether this is a PHP of the command line, not of a server.
pub(crate) fn is_command_line() -> bool {
    matches!(sapi_name(), "cli" | "phpdbg")
}

/// The request's cookies, as they came.
pub(crate) fn cookies() -> Option<Vec<u8>> {
    // SAFETY: as in `script_path`: null, or text of the request's.
    unsafe { bytes((*ffi::ext_php_rs_sapi_globals()).request_info.cookie_data) }
}

/// The request's query, as it came, without the `?`.
pub(crate) fn query() -> Option<Vec<u8>> {
    // SAFETY: as in `script_path`: null, or text of the request's.
    unsafe { bytes((*ffi::ext_php_rs_sapi_globals()).request_info.query_string) }
}

thread_local! {
    /// PHP has raised a fatal error in this request.
    static FATAL_ERROR_RAISED: Cell<bool> = const { Cell::new(false) };
}

/// Sets whether PHP has raised a fatal error in this request.
pub(crate) fn note_fatal_error(is_raised: bool) {
    FATAL_ERROR_RAISED.set(is_raised);
}

/// Whether a fatal error or an uncaught exception ended the program.
pub(crate) fn request_failed() -> bool {
    const FATAL: u32 = ffi::E_ERROR
        | ffi::E_PARSE
        | ffi::E_CORE_ERROR
        | ffi::E_COMPILE_ERROR
        | ffi::E_USER_ERROR
        | ffi::E_RECOVERABLE_ERROR;
    // SAFETY: reads this thread's globals. Without a message, the error type is
    // that of an earlier request.
    let (status, error, is_raised) = unsafe {
        let globals = ffi::ext_php_rs_process_globals();
        (
            (*ffi::ext_php_rs_executor_globals()).exit_status,
            (*globals).last_error_type,
            !(*globals).last_error_message.is_null(),
        )
    };
    let is_fatal = u32::try_from(error).is_ok_and(|error| error & FATAL != 0);
    // In a server `exit_status` persists across requests. The last error may be a
    // warning of a shutdown function, and SOAP catches fatal errors.
    status == 255 && (is_command_line() || FATAL_ERROR_RAISED.get()) || is_raised && is_fatal
}

/// The status that the process would end with now.
pub(crate) fn exit_status() -> i32 {
    ExecutorGlobals::get().exit_status
}

/// Makes PHP fill `$_SERVER`, if the SAPI has no other way to read headers (the
/// built-in server). Must be called only at RINIT.
pub(crate) fn fill_server_variables() {
    if !ANSWERS_BY_NAME.contains(&sapi_name()) {
        let mut name = ext_php_rs::types::ZendStr::new("_SERVER", false);
        // SAFETY: the name lives longer than the call; PHP does the same when
        // it compiles code that uses the variable.
        unsafe { ffi::zend_is_auto_global(&raw mut *name) };
    }
}

/// SAPIs whose `sapi_getenv()` returns variables of the request.
const ANSWERS_BY_NAME: [&str; 3] = ["fpm-fcgi", "cgi-fcgi", "apache2handler"];

/// A variable of the request, as in `$_SERVER`.
pub(crate) fn server_variable(name: &CStr) -> Option<Vec<u8>> {
    sapi_variable(name).or_else(|| server_array_variable(name))
}

/// The variable in `$_SERVER` as PHP filled it: the program's changes do not count.
fn server_array_variable(name: &CStr) -> Option<Vec<u8>> {
    // SAFETY: this thread's globals; nothing of PHP runs while they are read.
    let [.., server, _, _] = unsafe { &(*ffi::ext_php_rs_process_globals()).http_globals };
    let variables = super::Value::new(server).as_array()?;
    let value = super::array::get(variables, name.to_str().ok()?)?;
    Some(value.as_bytes()?.to_vec())
}

/// Asks the server interface itself: `sapi_getenv()` copies the value into the
/// request's memory, and PHP bails out if that is exhausted.
fn sapi_variable(name: &CStr) -> Option<Vec<u8>> {
    // As `sapi_getenv()`: a header must not set the variable for proxies.
    if name.to_bytes().eq_ignore_ascii_case(b"HTTP_PROXY") {
        return None;
    }
    // SAFETY: the interface's own function; the name is valid for the call, and
    // the result is null or text that lives as long as the request.
    unsafe {
        let ask = ffi::sapi_module.getenv?;
        bytes(ask(name.as_ptr(), name.count_bytes()))
    }
}

/// PHP's version at run time, which may be later than that of the build.
pub(crate) fn php_version() -> Option<String> {
    let name = "PHP_VERSION";
    // SAFETY: the name is as long as that; constants of PHP itself stay.
    let value = unsafe {
        super::bindings::zend_get_constant_str(name.as_ptr().cast(), name.len()).as_ref()
    }?;
    let version = super::Value::new(value).as_bytes()?;
    Some(String::from_utf8_lossy(version).into_owned())
}

/// Writes the machine's name and a NUL to `name`; false if it has none.
pub(crate) fn host_name(name: &mut [u8; 256]) -> bool {
    // SAFETY: the last byte is not written: the caller has set it to zero.
    unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) == 0 }
}

/// PHP's temporary directory.
pub(crate) fn temporary_directory() -> Vec<u8> {
    // SAFETY: PHP returns a string that it owns.
    unsafe { CStr::from_ptr(super::bindings::php_get_temporary_directory()) }
        .to_bytes()
        .to_vec()
}

/// The size of a fiber's C stack.
#[allow(
    clippy::useless_conversion,
    reason = "a `zend_long` before PHP 8.4, a `usize` since"
)]
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
    unsafe { super::string::bytes((*file).filename) }
}

/// A copy of a C string; none for a null pointer.
///
/// # Safety
///
/// `string` must be null or NUL-terminated.
unsafe fn bytes(string: *const c_char) -> Option<Vec<u8>> {
    if string.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    Some(unsafe { CStr::from_ptr(string) }.to_bytes().to_vec())
}

/// A C string that lives as long as the process.
unsafe fn text(string: *const c_char) -> Option<&'static str> {
    if string.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(string) }.to_str().ok()
}
