//! Two settings that are one: whichever name is set, both have the value.
//!
//! XHProf's own name of a setting stays, and a plain one is beside it. Each is
//! an entry of its own for PHP, so that php.ini, `-d`, `ini_get()` and
//! `phpinfo()` know both. This module keeps their values equal.
//!
//! **Invariant:** an entry that PHP restores by itself at the end of a request
//! is changed by PHP's own function; any other is written to directly.

use std::cell::Cell;
use std::ffi::{CStr, c_int};

use ext_php_rs::ffi::{self, zend_ini_entry, zend_string};
use ext_php_rs::types::ZendStr;

use super::bindings::{self, FAILURE, SUCCESS};

/// `zend_ini.h`: the kinds of callers, and what each may change.
const STAGE_ACTIVATE: c_int = 1 << 2;
const STAGE_RUNTIME: c_int = 1 << 4;
const STAGE_HTACCESS: c_int = 1 << 5;
const USER: c_int = 1;
const PER_DIRECTORY: c_int = 2;
const SYSTEM: c_int = 4;

thread_local! {
    /// The other entry is being changed, which asks again.
    static IS_COPYING: Cell<bool> = const { Cell::new(false) };
}

/// After the entries were registered: php.ini or `-d` may have one of the names.
/// Where it has both, the later one in `aliases` counts.
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

/// An entry is about to get this value: its alias gets it, too.
///
/// # Safety
///
/// `entry` and `value` must be what PHP handed to a setting's callback.
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
        // At the start there is no alias yet, and at the end PHP restores both.
        _ => return SUCCESS,
    };
    if value.is_null() || IS_COPYING.replace(true) {
        return SUCCESS;
    }
    // SAFETY: the caller's entry. PHP marks it as changed before it asks; php-fpm
    // sets what its pool has without a mark, for the life of the process.
    let outcome = unsafe {
        match self::entry(alias) {
            None => FAILURE,
            Some(alias) if (*entry).modified != 0 => {
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
    // SAFETY: the caller's string and entry. The old value is let go of never:
    // it may be interned, and this happens a few times in a process.
    unsafe {
        if let Some(bytes) = super::call::bytes(value) {
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

fn is_configured(name: &CStr) -> bool {
    let mut name = ZendStr::new(name.to_bytes(), false);
    // SAFETY: the name lives for the length of the call.
    unsafe { !bindings::zend_get_configuration_directive(&raw mut *name).is_null() }
}
