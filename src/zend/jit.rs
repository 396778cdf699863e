//! Whether opcache's JIT is on.

use super::ini;

/// Whether JIT-compiled code may be running: swapping `zend_execute_ex` under
/// it breaks the program (measured on 8.2).
pub(crate) fn is_jit_on() -> bool {
    let is_loaded = ini::exists(c"opcache.jit_buffer_size");
    if !is_loaded || is_off(&ini::value(c"opcache.enable")) {
        return false;
    }
    if super::sapi_name() == "cli" && is_off(&ini::value(c"opcache.enable_cli")) {
        return false;
    }
    !is_off(&ini::value(c"opcache.jit_buffer_size")) && !is_off(&ini::value(c"opcache.jit"))
}

fn is_off(value: &[u8]) -> bool {
    let value = value.trim_ascii().to_ascii_lowercase();
    let is_zero = !value.is_empty() && value.iter().all(|byte| *byte == b'0');
    let words: [&[u8]; 6] = [b"", b"off", b"no", b"false", b"disable", b"none"];
    is_zero || words.contains(&value.as_slice())
}
