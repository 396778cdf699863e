//! Directories that a program sets: made absolute when they are checked, so that
//! `open_basedir` allows the directory that is written to, wherever the program
//! goes afterwards.
//!
//! **Invariant:** only a program's value is checked and made absolute. php.ini's
//! value is the administrator's.

use std::cell::RefCell;
use std::ffi::{CStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use super::bindings;

/// PHP's `MAXPATHLEN`.
const PATH_LENGTH: usize = libc::PATH_MAX as usize;

thread_local! {
    /// The values that the program has set, and what they were when it did.
    static SET: RefCell<Vec<Set>> = const { RefCell::new(Vec::new()) };
}

/// A value, with the path that was checked.
struct Set {
    setting: &'static CStr,
    value: Vec<u8>,
    absolute: PathBuf,
}

/// Checks a program's value of a setting; false if `open_basedir` forbids the
/// directory, or if there is no working directory. PHP warns of the former.
pub(super) fn set(setting: &'static CStr, value: &CStr) -> bool {
    if value.is_empty() {
        restore(setting);
        return true;
    }
    let mut buffer = [0; PATH_LENGTH];
    // SAFETY: the value is NUL-terminated, and the buffer as long as PHP wants it.
    // PHP does not keep either.
    let is_absolute =
        unsafe { !bindings::expand_filepath(value.as_ptr(), buffer.as_mut_ptr().cast()).is_null() };
    let absolute = CStr::from_bytes_until_nul(&buffer).ok();
    // Without a working directory, PHP may leave the path as it is.
    let is_absolute = is_absolute && buffer.first() == Some(&b'/');
    let Some(absolute) = absolute.filter(|_| is_absolute) else {
        super::warning(&format!(
            "{} cannot be made absolute: the path is too long, or the working directory is gone",
            setting.to_string_lossy()
        ));
        return false;
    };
    // SAFETY: the path is NUL-terminated, and lives in this frame.
    if unsafe { bindings::php_check_open_basedir(absolute.as_ptr()) } != 0 {
        return false;
    }
    restore(setting);
    let set = Set {
        setting,
        value: value.to_bytes().to_vec(),
        absolute: PathBuf::from(OsString::from_vec(absolute.to_bytes().to_vec())),
    };
    SET.with_borrow_mut(|all| all.push(set));
    true
}

/// The setting has php.ini's value again.
pub(super) fn restore(setting: &CStr) {
    SET.with_borrow_mut(|all| all.retain(|set| set.setting != setting));
}

/// The directory of a value that the program has set; none if php.ini did.
pub(super) fn absolute_of(setting: &CStr, value: &[u8]) -> Option<PathBuf> {
    SET.with_borrow(|all| {
        let is_set = |set: &&Set| set.setting == setting && set.value == value;
        all.iter().find(is_set).map(|set| set.absolute.clone())
    })
}
