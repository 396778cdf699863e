//! A PHP value, read without calling into the engine.

use ext_php_rs::ffi::{IS_ARRAY, IS_LONG, IS_OBJECT, IS_REFERENCE, IS_STRING, zend_object, zval};
use ext_php_rs::types::ZendHashTable;

/// A borrowed value, references followed.
#[derive(Clone, Copy)]
pub(crate) struct Value<'a>(&'a zval);

impl<'a> Value<'a> {
    pub(crate) fn new(value: &'a zval) -> Self {
        let value = Self(value);
        if value.kind() != IS_REFERENCE {
            return value;
        }
        // SAFETY: the type says that `ref_` is set, and a reference lives as
        // long as the value that holds it.
        Self(unsafe { &(*value.0.value.ref_).val })
    }

    fn kind(self) -> u32 {
        // SAFETY: every zval has a type in `u1`.
        u32::from(unsafe { self.0.u1.v.type_ })
    }

    /// The bytes of a string.
    pub(crate) fn as_bytes(self) -> Option<&'a [u8]> {
        if self.kind() != IS_STRING {
            return None;
        }
        // SAFETY: the type says that `str_` is set; the value keeps it alive.
        unsafe { super::string::bytes(self.0.value.str_) }
    }

    /// The value of a bool.
    pub(crate) fn as_bool(self) -> Option<bool> {
        match self.kind() {
            ext_php_rs::ffi::IS_FALSE => Some(false),
            ext_php_rs::ffi::IS_TRUE => Some(true),
            _ => None,
        }
    }

    /// A non-negative integer.
    pub(crate) fn as_count(self) -> Option<u64> {
        if self.kind() != IS_LONG {
            return None;
        }
        // SAFETY: the type says that `lval` is set.
        u64::try_from(unsafe { self.0.value.lval }).ok()
    }

    /// Whether this is `false`.
    pub(crate) fn is_false(self) -> bool {
        self.kind() == ext_php_rs::ffi::IS_FALSE
    }

    /// Whether this is an object.
    pub(crate) fn is_object(self) -> bool {
        self.kind() == IS_OBJECT
    }

    /// The object behind the value.
    pub(super) fn as_object(self) -> Option<*mut zend_object> {
        if !self.is_object() {
            return None;
        }
        // SAFETY: the type says that `obj` is set.
        Some(unsafe { self.0.value.obj })
    }

    /// An array.
    pub(crate) fn as_array(self) -> Option<&'a ZendHashTable> {
        if self.kind() != IS_ARRAY {
            return None;
        }
        // SAFETY: the type says that `arr` is set; the value keeps it alive.
        unsafe { self.0.value.arr.as_ref() }
    }

    /// The engine's value.
    pub(super) fn as_zval(self) -> &'a zval {
        self.0
    }

    /// The type's name in messages.
    pub(crate) fn type_name(self) -> &'static str {
        use ext_php_rs::ffi::{IS_DOUBLE, IS_FALSE, IS_NULL, IS_TRUE};
        match self.kind() {
            IS_NULL => "null",
            IS_FALSE | IS_TRUE => "bool",
            IS_LONG => "int",
            IS_DOUBLE => "float",
            IS_STRING => "string",
            IS_ARRAY => "array",
            IS_OBJECT => "object",
            _ => "resource",
        }
    }
}
