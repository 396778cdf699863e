//! Reads data of a call's object or handle, which the program does not notice.

use ext_php_rs::ffi::{self, zend_object, zend_property_info, zval};
use ext_php_rs::types::Zval;

use super::Value;
use super::internal_call::{SMALL_ANSWER, call_internal_function, call_internal_method};

/// A declared string property, read from the object's own table: no handler
/// and no `__get` is called.
pub(crate) fn string_property<'a>(object: Value<'a>, name: &str) -> Option<&'a [u8]> {
    let object: *mut zend_object = object.as_object()?;
    // SAFETY: an object's class lives as long as the object; the table maps
    // names to property infos, whose offset is that of a zval in the object,
    // in bytes, when the property is not static.
    unsafe {
        let table = &(*(*object).ce).properties_info;
        let found = ffi::zend_hash_str_find(table, name.as_ptr().cast(), name.len());
        let info = found
            .as_ref()?
            .value
            .ptr
            .cast::<zend_property_info>()
            .as_ref()?;
        if info.flags & ffi::ZEND_ACC_STATIC != 0 {
            return None;
        }
        let value = object.byte_add(info.offset as usize).cast::<zval>();
        Value::new(value.as_ref()?).as_bytes()
    }
}

/// Calls `use_address` with the URL that a curl handle is about to fetch.
///
/// Calls `curl_getinfo`; the caller must make sure that this is not recorded.
pub(crate) fn curl_address<R>(
    handle: Value<'_>,
    use_address: impl FnOnce(Option<&[u8]>) -> R,
) -> Option<R> {
    /// `CURLINFO_EFFECTIVE_URL`, from curl.h.
    const EFFECTIVE_URL: i64 = 0x10_0001;
    /// libcurl accepts at most 8,000,000 bytes (`CURL_MAX_INPUT_LENGTH`), and PHP
    /// copies them.
    const MAX_LENGTH: usize = 8 << 20;

    if !handle.is_object() {
        return None;
    }
    let mut what = Zval::new();
    what.set_long(EFFECTIVE_URL);
    let arguments = [handle.as_zval(), &what];
    call_internal_function("curl_getinfo", &arguments, MAX_LENGTH, |answer| {
        use_address(answer.as_bytes())
    })
}

fn count(answer: Value<'_>) -> Option<u64> {
    answer.as_count()
}

/// The number of rows that `function` returns for `value`.
pub(crate) fn rows_by_function(function: &str, value: Value<'_>) -> Option<u64> {
    call_internal_function(function, &[value.as_zval()], SMALL_ANSWER, count).flatten()
}

/// The number of rows that a PDO statement changed; none if it returned rows,
/// whose number only some drivers know.
pub(crate) fn pdo_rows(statement: Value<'_>) -> Option<u64> {
    let columns = call_internal_method(statement, "columncount", &[], count)??;
    if columns > 0 {
        return None;
    }
    call_internal_method(statement, "rowcount", &[], count)?
}

/// Calls `use_driver` with the name of a PDO connection's driver. None after a
/// failed statement: the call would reset PDO's error.
pub(crate) fn pdo_driver<R>(
    connection: Value<'_>,
    use_driver: impl FnOnce(&[u8]) -> R,
) -> Option<R> {
    /// `PDO::ATTR_DRIVER_NAME`.
    const DRIVER_NAME: i64 = 16;

    let is_success = |code: Value<'_>| code.as_bytes().is_none_or(|code| code == b"00000");
    if !call_internal_method(connection, "errorcode", &[], is_success)? {
        return None;
    }
    let mut what = Zval::new();
    what.set_long(DRIVER_NAME);
    call_internal_method(connection, "getattribute", &[&what], |answer| {
        answer.as_bytes().map(use_driver)
    })
    .flatten()
}

/// An object's handle, unique as long as the object lives.
pub(crate) fn object_number(object: Value<'_>) -> Option<u32> {
    let object = object.as_object()?;
    // SAFETY: the value keeps the object alive.
    Some(unsafe { (*object).handle })
}
