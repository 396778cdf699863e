//! php.ini entries: registration, validation, reading.

use std::ffi::{CStr, CString, c_int, c_void};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use ::settings::{Definition, Kind, Scope, Setting};
use ext_php_rs::ffi::{
    PHP_INI_ALL, PHP_INI_PERDIR, PHP_INI_SYSTEM, zend_ini_entry, zend_ini_entry_def,
    zend_register_ini_entries, zend_string,
};
use ext_php_rs::types::ZendStr;

use super::bindings::{self, FAILURE, SUCCESS};
use super::ini_directories;

/// A limit in php.ini or on the command line is invalid.
static HAS_INVALID_LIMIT: AtomicBool = AtomicBool::new(false);

/// Whether a [`Kind::Limit`] in php.ini or on the command line is invalid: then the
/// setting has its default, which may be no limit.
pub(crate) fn has_invalid_limit() -> bool {
    HAS_INVALID_LIMIT.load(Ordering::Relaxed)
}

/// `ZEND_INI_STAGE_STARTUP`: php.ini and the command line are read.
const STAGE_STARTUP: c_int = 1;
/// `ZEND_INI_STAGE_RUNTIME` and `ZEND_INI_STAGE_HTACCESS`: set by a program, or by
/// `.user.ini` and `.htaccess`.
const STAGES_OF_PROGRAMS: c_int = 1 << 4 | 1 << 5;

/// Registers the settings. Once, at MINIT, before anything reads them.
pub(crate) fn register(
    settings: impl Iterator<Item = &'static &'static dyn Definition>,
    module_number: c_int,
) {
    let mut settings: Vec<_> = settings.collect();
    // The order of phpinfo().
    settings.sort_unstable_by_key(|setting| setting.c_name());
    let definitions = settings.iter().map(|setting| definition(setting));
    let definitions: Vec<zend_ini_entry_def> = definitions.chain([end()]).collect();
    // The engine keeps pointers into the table until it unloads the module.
    let definitions: &'static [zend_ini_entry_def] = definitions.leak();
    // SAFETY: the table ends with an empty entry and lives from now on.
    unsafe { zend_register_ini_entries(definitions.as_ptr(), module_number) };
}

/// MSHUTDOWN: unregisters the settings.
pub(crate) fn unregister(module_number: c_int) {
    // SAFETY: the number is the engine's own for this module.
    unsafe { bindings::zend_unregister_ini_entries(module_number) };
}

/// Prints the table of settings for `phpinfo()`.
pub(crate) fn print_table() {
    if let Some(module) = super::modules::find(c"xhprof") {
        // SAFETY: our module, which the engine has in its table.
        unsafe { bindings::display_ini_entries(module) };
    }
}

/// The current value of a setting of PHP or of another extension.
pub(crate) fn value(name: &CStr) -> Vec<u8> {
    // SAFETY: nothing of PHP is called.
    unsafe { read(name, <[u8]>::to_vec) }
}

/// The current value of a setting of ours.
pub(crate) fn parsed<T: Clone>(setting: &Setting<T>) -> T {
    // SAFETY: a parser calls nothing of PHP.
    unsafe { read(setting.name, |value| setting.value_of(value)) }
}

/// What `act` makes of the current value of a setting.
///
/// # Safety
///
/// `act` must not call PHP, which could change the setting.
unsafe fn read<R>(name: &CStr, act: impl FnOnce(&[u8]) -> R) -> R {
    let mut exists = false;
    // SAFETY: the name is NUL-terminated and its length is right; the string
    // belongs to the entry, which does not change before `act` ends.
    unsafe {
        let value =
            bindings::zend_ini_string_ex(name.as_ptr(), name.count_bytes(), 0, &raw mut exists);
        if value.is_null() {
            return act(b"");
        }
        act(CStr::from_ptr(value).to_bytes())
    }
}

/// The directory that a setting has now, if a program set it: absolute, as it was
/// checked. None for php.ini's value.
pub(crate) fn directory(name: &CStr) -> Option<PathBuf> {
    ini_directories::absolute_of(name, &value(name))
}

/// Whether php.ini or `-d` has a value for that name, known or not.
pub(crate) fn is_configured(name: &CStr) -> bool {
    let mut name = ZendStr::new(name.to_bytes(), false);
    // SAFETY: the name lives for the length of the call.
    unsafe { !bindings::zend_get_configuration_directive(&raw mut *name).is_null() }
}

fn definition(setting: &'static &'static dyn Definition) -> zend_ini_entry_def {
    let scope = match setting.scope() {
        Scope::Anywhere => PHP_INI_ALL,
        Scope::PerDirectory => PHP_INI_SYSTEM | PHP_INI_PERDIR,
        Scope::System => PHP_INI_SYSTEM,
    };
    let name = setting.c_name();
    // A default has no NUL: the tests of `policy` parse each. The engine keeps the
    // pointer, so the text is never freed.
    let default = CString::new(setting.default_text()).unwrap_or_default();
    let default: &'static CStr = Box::leak(default.into_boxed_c_str());
    zend_ini_entry_def {
        name: name.as_ptr(),
        on_modify: Some(check),
        mh_arg1: std::ptr::from_ref(setting).cast_mut().cast(),
        value: default.as_ptr(),
        displayer: (setting.kind() == Kind::Secret).then_some(hide),
        value_length: u32::try_from(default.count_bytes()).unwrap_or(0),
        name_length: u16::try_from(name.count_bytes()).unwrap_or(0),
        modifiable: u8::try_from(scope).unwrap_or(u8::MAX),
        ..end()
    }
}

fn end() -> zend_ini_entry_def {
    zend_ini_entry_def::end()
}

/// Prints only whether there is a value.
unsafe extern "C" fn hide(entry: *mut zend_ini_entry, _which: c_int) {
    // SAFETY: the engine's entry, which lives for the length of this call.
    let value = unsafe { super::string::bytes((*entry).value) };
    let shown = if value.is_none_or(<[u8]>::is_empty) {
        c"no value"
    } else {
        c"(hidden)"
    };
    // SAFETY: the text is static, and as long as that.
    unsafe { bindings::php_output_write(shown.as_ptr(), shown.count_bytes()) };
}

/// `on_modify`: the engine calls this before it sets an entry.
unsafe extern "C" fn check(
    entry: *mut zend_ini_entry,
    new_value: *mut zend_string,
    setting: *mut c_void,
    _: *mut c_void,
    _: *mut c_void,
    stage: c_int,
) -> c_int {
    // SAFETY: `definition` put a static reference there.
    let setting = unsafe { *setting.cast::<&'static dyn Definition>() };
    // SAFETY: the engine's string lives for the length of this call.
    let value = unsafe { super::string::bytes(new_value) }.unwrap_or(b"");
    let is_valid = validate(setting, value, stage);
    match setting.kind() {
        Kind::Limit if !is_valid && stage == STAGE_STARTUP => {
            HAS_INVALID_LIMIT.store(true, Ordering::Relaxed);
        }
        Kind::Directory if is_valid => {
            // SAFETY: the engine's entry and string, as above.
            let is_allowed = unsafe { check_directory(setting.c_name(), entry, new_value, stage) };
            return if is_allowed { SUCCESS } else { FAILURE };
        }
        _ => {}
    }
    if is_valid { SUCCESS } else { FAILURE }
}

/// Whether a directory may be set; the value is valid.
///
/// # Safety
///
/// `entry` and `value` must be the arguments of `on_modify`.
unsafe fn check_directory(
    setting: &'static CStr,
    entry: *const zend_ini_entry,
    value: *const zend_string,
    stage: c_int,
) -> bool {
    // SAFETY: the caller's. PHP saves the old value before it calls `on_modify`, and
    // restores that same string.
    let is_restored = unsafe { std::ptr::eq((*entry).orig_value, value) };
    if value.is_null() || is_restored || stage & STAGES_OF_PROGRAMS == 0 {
        ini_directories::restore(setting);
        return true;
    }
    // SAFETY: the engine's strings end with a NUL, and this one has no other: it is
    // valid.
    ini_directories::set(setting, unsafe { CStr::from_ptr((*value).val.as_ptr()) })
}

/// Whether the value is valid; warns if not.
fn validate(setting: &dyn Definition, value: &[u8], stage: c_int) -> bool {
    if str::from_utf8(value).is_ok_and(|value| setting.is_valid(value)) {
        return true;
    }
    let kind = setting.kind();
    let shown = if kind == Kind::Secret {
        "what it is".to_owned()
    } else {
        let start = String::from_utf8_lossy(value.get(..100).unwrap_or(value));
        format!("\"{}\"", start.escape_debug())
    };
    let consequence = match (stage, kind) {
        (STAGE_STARTUP, Kind::Limit) => {
            "until it is, no request is profiled that does not ask for it".to_owned()
        }
        (STAGE_STARTUP, _) => format!("using the default, \"{}\"", setting.default_text()),
        _ => "it stays as it was".to_owned(),
    };
    super::warning(&format!(
        "{} must be {}, not {shown}; {consequence}",
        setting.name(),
        setting.expected(),
    ));
    false
}
