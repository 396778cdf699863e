//! Directories that a program sets: made absolute when they are checked, so that
//! `open_basedir` allows the directory that is written to, wherever the program
//! goes afterwards.
//!
//! **Invariant:** only a program's value is checked and made absolute. php.ini's
//! value is the administrator's.

use std::cell::RefCell;
use std::ffi::{CStr, CString, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use super::paths;

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
    let absolute = paths::absolute(value).and_then(|path| CString::new(path).ok());
    let Some(absolute) = absolute else {
        super::warning(&format!(
            "{} cannot be made absolute: the path is too long, or the working directory is gone",
            setting.to_string_lossy()
        ));
        return false;
    };
    if !paths::is_allowed(&absolute) {
        return false;
    }
    restore(setting);
    let set = Set {
        setting,
        value: value.to_bytes().to_vec(),
        absolute: PathBuf::from(OsString::from_vec(absolute.into_bytes())),
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
