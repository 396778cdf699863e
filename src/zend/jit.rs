//! Whether opcache's JIT is enabled, or can be enabled at run time.

use std::ffi::{CStr, c_int};

use ext_php_rs::types::ZendStr;
use policy::php_faults::{Jit, Php};

use super::Value;
use super::bindings::{zend_get_configuration_directive, zend_get_extension};

/// Whether this process may run JIT-compiled code. Called at MINIT, when opcache
/// is loaded but not started, so its settings are not registered yet.
pub(crate) fn is_jit_configured() -> bool {
    // SAFETY: the list of extensions is complete when modules start.
    let has_opcache = !unsafe { zend_get_extension(c"Zend OPcache".as_ptr()) }.is_null();
    let enabled = configured("opcache.enable", b"1");
    let enabled_cli = configured("opcache.enable_cli", b"0");
    let is_cli = matches!(super::sapi_name(), "cli" | "phpdbg");
    if !has_opcache || is_off(&enabled) || is_cli && is_off(&enabled_cli) {
        return false;
    }
    // `disable` is permanent; `off` can be turned on at run time.
    let jit = configured(
        "opcache.jit",
        if cfg!(jit_off_by_default) {
            b"disable"
        } else {
            b"tracing"
        },
    );
    let buffer: &[u8] = if cfg!(jit_off_by_default) {
        b"64M"
    } else {
        b"0"
    };
    !is_off(&configured("opcache.jit_buffer_size", buffer))
        && !jit.trim_ascii().eq_ignore_ascii_case(b"disable")
}

/// A directive of php.ini or the command line.
fn configured(name: &str, default: &[u8]) -> Vec<u8> {
    let mut name = ZendStr::new(name, false);
    // SAFETY: the name lives for the length of the call; the configuration's
    // values live as long as the process.
    let value = unsafe { zend_get_configuration_directive(&raw mut *name).as_ref() };
    let bytes = value.and_then(|value| Value::new(value).as_bytes());
    bytes.unwrap_or(default).to_vec()
}

/// Whether the JIT is on right now.
pub(crate) fn is_jit_on() -> bool {
    let off = |name: &CStr| is_off(&super::ini::value(name));
    // The slowest check comes last.
    !off(c"opcache.jit_buffer_size") && !off(c"opcache.jit") && is_jit_configured()
}

/// What this PHP is, as far as its known faults depend on it.
pub(crate) fn php_for_faults() -> Php {
    // The version at run time, which may be later than that of the build.
    #[cfg(jit_checks_observers)]
    // SAFETY: returns a number that is compiled in.
    let version = unsafe { super::bindings::php_version_id() };
    // No fault of earlier ones is known: the oldest stands for all.
    #[cfg(not(jit_checks_observers))]
    let version = 80200;
    Php {
        version,
        // SAFETY: returns a number that is compiled in.
        is_tail_call: unsafe { super::bindings::zend_vm_kind() } == TAIL_CALL,
        jit: match is_jit_on() {
            false => Jit::Off,
            true if is_tracing(&super::ini::value(c"opcache.jit")) => Jit::Tracing,
            true => Jit::Function,
        },
        // SAFETY: written when PHP starts.
        is_observed: unsafe { super::bindings::zend_observer_fcall_op_array_extension } != -1,
    }
}

/// `ZEND_VM_KIND_TAILCALL` of `Zend/zend_vm_opcodes.h`.
const TAIL_CALL: c_int = 5;

/// Whether a value of `opcache.jit` means the tracing JIT: by name, or by the
/// trigger, the third of four digits.
fn is_tracing(value: &[u8]) -> bool {
    let value = value.trim_ascii().to_ascii_lowercase();
    let named: [&[u8]; 5] = [b"tracing", b"on", b"yes", b"true", b"1"];
    named.contains(&value.as_slice()) || matches!(value.as_slice(), [_, _, b'5', _])
}

fn is_off(value: &[u8]) -> bool {
    let value = value.trim_ascii().to_ascii_lowercase();
    let is_zero = !value.is_empty() && value.iter().all(|byte| *byte == b'0');
    let words: [&[u8]; 6] = [b"", b"off", b"no", b"false", b"disable", b"none"];
    is_zero || words.contains(&value.as_slice())
}
