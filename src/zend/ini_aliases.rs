//! Two names of one setting: setting either sets both.
//!
//! One is XHProf's own name, the other a plainer one. For PHP they are two
//! entries, so php.ini, `-d`, `ini_get()` and `phpinfo()` know both. This module
//! keeps their values equal.
//!
//! **Invariant:** an entry that PHP restores at the end of a request is changed by
//! `zend_alter_ini_entry_ex`; any other entry is written directly.

use std::cell::Cell;
use std::ffi::{CStr, c_int};

use ext_php_rs::ffi::{self, zend_ini_entry, zend_string};
use ext_php_rs::types::ZendStr;

use super::bindings::{self, FAILURE, SUCCESS};
use super::ini::is_configured;

/// `zend_ini.h`: stages and modify types.
const STAGE_ACTIVATE: c_int = 1 << 2;
const STAGE_RUNTIME: c_int = 1 << 4;
const STAGE_HTACCESS: c_int = 1 << 5;
const USER: c_int = 1;
const PER_DIRECTORY: c_int = 2;
const SYSTEM: c_int = 4;

thread_local! {
    /// The alias is being changed, which calls `copy` again.
    static IS_COPYING: Cell<bool> = const { Cell::new(false) };
}

/// Called after the entries were registered: copies a value that php.ini or `-d`
/// sets under one of the names. If both are set, the later one in `aliases` wins.
pub(super) fn start(aliases: &[(&CStr, &CStr)]) {
    for (index, (name, other)) in aliases.iter().enumerate() {
        let is_last = aliases.iter().skip(index).all(|(later, _)| later != other);
        if is_configured(name) && (is_last || !is_configured(other)) {
            // SAFETY: registered entries live as long as the module.
            unsafe {
                if let (Some(from), Some(to)) = (entry(name), entry(other)) {
                    set((*from).value, to);
                }
            }
        }
    }
}

#[allow(
    clippy::useless_conversion,
    reason = "a `u8` before PHP 8.6, a `bool` since"
)]
fn is_modified(entry: &zend_ini_entry) -> bool {
    u8::from(entry.modified) != 0
}

/// Copies a value that `entry` is about to get to its alias.
///
/// # Safety
///
/// `entry` and `value` must be the arguments of `on_modify`.
pub(super) unsafe fn copy(
    entry: *const zend_ini_entry,
    value: *mut zend_string,
    alias: &CStr,
    stage: c_int,
) -> c_int {
    let who = match stage {
        STAGE_ACTIVATE => SYSTEM,
        STAGE_RUNTIME => USER,
        STAGE_HTACCESS => PER_DIRECTORY,
        // At startup the alias is not registered yet; at the end of a request PHP
        // restores both.
        _ => return SUCCESS,
    };
    if value.is_null() || IS_COPYING.replace(true) {
        return SUCCESS;
    }
    // SAFETY: the caller's entry. PHP sets `modified` before it calls `on_modify`;
    // php-fpm sets its pool's values without it, for the life of the process.
    let outcome = unsafe {
        match self::entry(alias) {
            None => FAILURE,
            Some(alias) if is_modified(&*entry) => {
                bindings::zend_alter_ini_entry_ex((*alias).name, value, who, stage, false)
            }
            Some(alias) => {
                set(value, alias);
                SUCCESS
            }
        }
    };
    IS_COPYING.set(false);
    outcome
}

/// Writes a copy of the value to the entry, for as long as the process lives.
///
/// # Safety
///
/// `value` must be null or a string, and `entry` one that is registered.
unsafe fn set(value: *const zend_string, entry: *mut zend_ini_entry) {
    // SAFETY: the caller's string and entry. The old value is leaked: it may be
    // interned, and this happens a few times in a process.
    unsafe {
        if let Some(bytes) = super::string::bytes(value) {
            (*entry).value = ZendStr::new(bytes, true).into_raw();
        }
    }
}

fn entry(name: &CStr) -> Option<*mut zend_ini_entry> {
    // SAFETY: this thread's table of settings, which holds pointers to entries.
    unsafe {
        let table = (*ffi::ext_php_rs_executor_globals()).ini_directives;
        let found = ffi::zend_hash_str_find(table, name.as_ptr(), name.count_bytes());
        Some(found.as_ref()?.value.ptr.cast())
    }
}
