//! The engine's strings.

use ext_php_rs::ffi::zend_string;

/// The bytes of an engine string; none for a null pointer.
///
/// # Safety
///
/// `string` must be null or a string that lives and stays unchanged for `'a`.
pub(crate) unsafe fn bytes<'a>(string: *const zend_string) -> Option<&'a [u8]> {
    if string.is_null() {
        return None;
    }
    // SAFETY: the caller promised a live string; `val` is the first of `len` bytes.
    unsafe {
        let first = (&raw const (*string).val).cast::<u8>();
        Some(std::slice::from_raw_parts(first, (*string).len))
    }
}
