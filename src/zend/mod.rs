//! Everything that depends on the Zend Engine's data structures.
//!
//! `unsafe` is allowed only in this folder, `engine/` and `clock/`. This module
//! exports plain data and views that borrow ([`Frame`], [`Call`], [`Function`], [`Slot`],
//! [`Value`]);
//! no view outlives the callback it was made in.

mod allocator;
pub(crate) mod array;
mod bailout;
pub(crate) mod bindings;
mod blocked;
mod call;
mod compile;
mod frames;
mod function;
mod functions_seen;
mod hook_pointer;
pub(crate) mod idle_slots;
mod info;
pub(crate) mod ini;
mod ini_directories;
mod internal_call;
mod jit;
mod known_functions;
pub(crate) mod memory;
mod modules;
pub(crate) mod name;
mod object;
pub(crate) mod parameters;
mod paths;
pub(crate) mod per_thread;
#[cfg(property_hooks)]
pub(crate) mod property_hooks;
pub(crate) mod remote_page;
mod request;
pub(crate) mod response;
pub(crate) mod signals;
pub(crate) mod stack;
mod string;
mod system;
mod value;

pub(crate) use allocator::{can_allocate, is_exhausted};
pub(crate) use bailout::{ask_keeping, run_and_drop, run_and_keep};
pub(crate) use call::{Call, Slot, reserve_slots};
pub(crate) use compile::{
    make_special_functions_visible, make_user_calls_visible, stop_making_user_calls_visible,
};
pub(crate) use frames::{Frame, first_frames, runs_others_code};
pub(crate) use function::{Function, FunctionKind};
pub(crate) use functions_seen::{
    for_each_function_seen, forget_functions_seen, note_function_seen,
};
pub(crate) use hook_pointer::HookPointer;
pub(crate) use info::InfoTable;
pub(crate) use internal_call::is_throwing;
pub(crate) use jit::{is_jit_configured, is_jit_on, php_for_faults};
pub(crate) use known_functions::KnownFunctions;
pub(crate) use memory::memory;
pub(crate) use modules::{has_opcache, is_loaded_late, module_version};
pub(crate) use object::{
    curl_address, object_number, pdo_driver, pdo_rows, rows_by_function, string_property,
};
pub(crate) use request::{
    cookies, exit_status, fiber_stack_size, file_name, fill_server_variables, host_name, http_host,
    is_command_line, note_fatal_error, php_version, query, request_failed, request_method,
    request_path, response_status, sapi_name, script_path, server_variable, temporary_directory,
};
pub(crate) use system::{
    die, give_name, nameless_file, random, shared_with_forks, try_lock, user,
    without_file_size_signal,
};
pub(crate) use value::Value;

use ext_php_rs::ffi;

/// Raises a PHP warning. The application may turn it into an exception, which
/// is then pending when this returns.
pub(crate) fn warning(message: &str) {
    // A NUL would truncate the C string.
    let message: Vec<u8> = message.bytes().filter(|&byte| byte != 0).collect();
    let Ok(message) = std::ffi::CString::new(message) else {
        return;
    };
    // SAFETY: format and argument are NUL-terminated, and "%s" takes one.
    unsafe {
        ffi::php_error_docref(
            std::ptr::null(),
            i32::try_from(ffi::E_WARNING).unwrap_or(2),
            c"%s".as_ptr(),
            message.as_ptr(),
        );
    }
}

/// More than PHP needs to read the system's time zones.
const BYTES_OF_TIME_ZONES: usize = 1 << 20;

/// Writes a line to PHP's log, as `error_log()` does. It is not part of the
/// response, and no error handler is called. Without memory there is no line: PHP reads
/// the time zones for its time, and ends the program if it cannot.
pub(crate) fn log(message: &str) {
    if !allocator::system_has(BYTES_OF_TIME_ZONES) {
        return;
    }
    let letters = message
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter });
    let Ok(message) = std::ffi::CString::new(letters.collect::<String>()) else {
        return;
    };
    // `LOG_NOTICE` of syslog.h, as `error_log()` has it.
    // SAFETY: the text ends with a NUL and is only read.
    without_file_size_signal(|| unsafe {
        bindings::php_log_err_with_severity(message.as_ptr(), 5);
    });
}
