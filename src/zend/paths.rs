//! Paths that a program names, as PHP resolves them.

use std::borrow::Cow;
use std::ffi::CStr;

use super::bindings;

/// PHP's `MAXPATHLEN`.
const PATH_LENGTH: usize = libc::PATH_MAX as usize;

/// The absolute path, by the working directory that the program has chosen; none if
/// the path is too long, or if there is no working directory.
pub(super) fn absolute(path: &CStr) -> Option<Vec<u8>> {
    let mut buffer = [0; PATH_LENGTH];
    // SAFETY: the path is NUL-terminated, and the buffer as long as PHP wants it.
    // PHP does not keep either.
    let is_absolute =
        unsafe { !bindings::expand_filepath(path.as_ptr(), buffer.as_mut_ptr().cast()).is_null() };
    let absolute = CStr::from_bytes_until_nul(&buffer).ok()?;
    // Without a working directory, PHP may leave the path as it is.
    let is_absolute = is_absolute && absolute.to_bytes().first() == Some(&b'/');
    is_absolute.then(|| absolute.to_bytes().to_vec())
}

/// Whether `open_basedir` allows a path. PHP warns if it does not.
pub(super) fn is_allowed(path: &CStr) -> bool {
    // SAFETY: the path is NUL-terminated, and PHP does not keep it.
    unsafe { bindings::php_check_open_basedir(path.as_ptr()) == 0 }
}

/// A path that `open_basedir` allows, such that the system finds the same file as
/// PHP; none if PHP has warned.
///
/// In a thread-safe PHP each thread has a working directory of its own, which the
/// process does not have: there, a relative path becomes absolute.
pub(super) fn allowed(path: &CStr) -> Option<Cow<'_, [u8]>> {
    let bytes = path.to_bytes();
    if !is_allowed(path) {
        return None;
    }
    if !cfg!(php_zts) || bytes.first() == Some(&b'/') {
        return Some(Cow::Borrowed(bytes));
    }
    let Some(mut absolute) = absolute(path) else {
        super::warning("the path cannot be made absolute: it is too long");
        return None;
    };
    // PHP removes it, and with it a path names a directory.
    if bytes.ends_with(b"/") && !absolute.ends_with(b"/") {
        absolute.push(b'/');
    }
    Some(Cow::Owned(absolute))
}
