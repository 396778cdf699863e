//! What a call's object or handle says, asked without the program noticing.

use ext_php_rs::ffi::{self, zend_object, zend_property_info, zval};
use ext_php_rs::types::Zval;

use super::Value;
use super::bindings::SUCCESS;

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

/// Gives `use_address` the URL that a curl handle is about to fetch.
///
/// Asks curl by calling `curl_getinfo`; the caller sees to it that the call is
/// not recorded.
pub(crate) fn curl_address<R>(
    handle: Value<'_>,
    use_address: impl FnOnce(Option<&[u8]>) -> R,
) -> R {
    /// `CURLINFO_EFFECTIVE_URL`, from curl.h.
    const EFFECTIVE_URL: i64 = 0x10_0001;

    if !handle.is_object() {
        return use_address(None);
    }
    let mut name = Zval::new();
    if name.set_string("curl_getinfo", false).is_err() {
        return use_address(None);
    }
    let mut what = Zval::new();
    what.set_long(EFFECTIVE_URL);
    let mut result = Zval::new();
    let mut arguments = [handle.as_zval().shallow_clone(), what];
    // SAFETY: name, arguments and result are initialised zvals of ours. The
    // function is internal and does nothing but answer.
    let outcome = unsafe {
        super::bindings::_call_user_function_impl(
            std::ptr::null_mut(),
            &raw mut name,
            &raw mut result,
            2,
            arguments.as_mut_ptr(),
            std::ptr::null_mut(),
        )
    };
    let address = (outcome == SUCCESS)
        .then(|| Value::new(&result))
        .and_then(Value::as_bytes);
    use_address(address)
}
