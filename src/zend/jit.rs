//! Whether opcache's JIT is enabled, or can be enabled at run time.

use std::ffi::CStr;

use ext_php_rs::types::ZendStr;

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

/// Why the VM must not be interrupted now; none if it may be.
///
/// The function JIT of PHP 8.4 and later does not restore a loop's registers after
/// an interrupt, so the loop computes wrong values. `pcntl_async_signals(true)`
/// and a signal alone show it. The tracing JIT and PHP 8.2 are correct.
pub(crate) fn interrupts_harm() -> Option<&'static str> {
    #[cfg(jit_checks_observers)]
    if is_jit_on() && !is_tracing(&super::ini::value(c"opcache.jit")) {
        return Some(
            "the function JIT of this PHP loses values when a program is interrupted; \
             set opcache.jit=tracing or disable",
        );
    }
    None
}

/// Whether a value of `opcache.jit` means the tracing JIT: by name, or by the
/// trigger, the third of four digits.
#[cfg(jit_checks_observers)]
fn is_tracing(value: &[u8]) -> bool {
    let value = value.trim_ascii().to_ascii_lowercase();
    let named: [&[u8]; 5] = [b"tracing", b"on", b"yes", b"true", b"1"];
    named.contains(&value.as_slice()) || matches!(value.as_slice(), [_, _, b'5', _])
}

/// A known bug of this PHP's JIT with observers.
pub(crate) fn known_bug() -> Option<&'static str> {
    #[cfg(jit_checks_observers)]
    {
        // The version at run time, which may be later than that of the build.
        // SAFETY: returns a number that is compiled in.
        let version = unsafe { super::bindings::php_version_id() };
        // 8.4.23 has the fix; of the 8.5 series, 8.5.9 at the latest.
        if (80400..80423).contains(&version) || (80500..80509).contains(&version) {
            return Some(
                "php-src issue 22158: under the JIT a call of one of many methods can crash \
                 where calls are observed; fixed in PHP 8.4.23 and 8.5.9",
            );
        }
    }
    None
}

fn is_off(value: &[u8]) -> bool {
    let value = value.trim_ascii().to_ascii_lowercase();
    let is_zero = !value.is_empty() && value.iter().all(|byte| *byte == b'0');
    let words: [&[u8]; 6] = [b"", b"off", b"no", b"false", b"disable", b"none"];
    is_zero || words.contains(&value.as_slice())
}
