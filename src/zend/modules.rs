//! Which other extensions PHP has loaded.

use std::ffi::{CStr, c_int};

use ext_php_rs::ffi::{MODULE_TEMPORARY, zend_hash_str_find, zend_module_entry};

use super::bindings::{module_registry, zend_get_extension};

/// Whether MINIT with this type of module was called by `dl()`: the program runs,
/// and its code was compiled without this extension.
pub(crate) fn is_loaded_late(kind: c_int) -> bool {
    u32::try_from(kind) == Ok(MODULE_TEMPORARY)
}

/// The version of a loaded module, whose name is in lower case; none if it is
/// not loaded, empty if it has no version.
pub(crate) fn module_version(name: &CStr) -> Option<String> {
    // SAFETY: a module lives as long as it is in the table.
    let version = unsafe { (*find(name)?).version };
    if version.is_null() {
        return Some(String::new());
    }
    // SAFETY: a module's version is text that ends with NUL and stays as long as
    // the module.
    let version = unsafe { CStr::from_ptr(version) };
    Some(version.to_string_lossy().into_owned())
}

/// A loaded module, whose name is in lower case.
pub(super) fn find(name: &CStr) -> Option<*mut zend_module_entry> {
    // SAFETY: PHP fills the table of modules when it starts and empties it when
    // it ends, both outside requests.
    unsafe {
        let table = &raw const module_registry;
        let found = zend_hash_str_find(table, name.as_ptr(), name.count_bytes());
        let module: *mut zend_module_entry = found.as_ref()?.value.ptr.cast();
        (!module.is_null()).then_some(module)
    }
}

/// Whether `OPcache` is there and has started. PHP takes it out of this list if
/// it cannot start, for lack of shared memory as for a SAPI that it does not know.
pub(crate) fn has_opcache() -> bool {
    // SAFETY: the list changes only while PHP starts and ends.
    !unsafe { zend_get_extension(c"Zend OPcache".as_ptr()) }.is_null()
}
