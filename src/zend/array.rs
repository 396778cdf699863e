//! PHP arrays, built with keys of any bytes.

use ext_php_rs::boxed::ZBox;
use ext_php_rs::ffi::{self, zval};
use ext_php_rs::types::{ZendHashTable, Zval};

use super::Value;

/// An array under construction. Its memory is the request's.
pub(crate) struct Array(ZBox<ZendHashTable>);

impl Array {
    /// An empty array with room for `capacity` entries.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self(ZendHashTable::with_capacity(
            u32::try_from(capacity).unwrap_or(u32::MAX / 2),
        ))
    }

    /// Sets an integer.
    pub(crate) fn set_int(&mut self, key: &[u8], value: i64) {
        let mut number = Zval::new();
        number.set_long(value);
        self.set(key, number);
    }

    /// Sets a yes or a no.
    pub(crate) fn set_bool(&mut self, key: &[u8], value: bool) {
        let mut boolean = Zval::new();
        boolean.set_bool(value);
        self.set(key, boolean);
    }

    /// An array with the keys of this one, which holds only integers, and other
    /// values in their order. Much less work than setting each.
    pub(crate) fn with_ints(&self, values: impl Iterator<Item = i64>) -> Self {
        // SAFETY: the engine only reads the array that it copies; what it
        // returns is ours alone, with a reference to each key.
        let copy = unsafe {
            let original: *const ZendHashTable = &raw const *self.0;
            ZBox::from_raw(ffi::zend_array_dup(original.cast_mut()))
        };
        let used = copy.nNumUsed as usize;
        for (index, value) in values.take(used).enumerate() {
            // SAFETY: a table with string keys has `nNumUsed` buckets there;
            // what was in it is an integer, which needs no destruction.
            unsafe {
                let bucket = copy.__bindgen_anon_1.arData.add(index);
                (*bucket).val.value.lval = value;
            }
        }
        Self(copy)
    }

    /// Sets a string.
    pub(crate) fn set_bytes(&mut self, key: &[u8], value: &[u8]) {
        let mut string = Zval::new();
        string.set_binary(value.to_vec());
        self.set(key, string);
    }

    /// Sets an array.
    pub(crate) fn set_array(&mut self, key: &[u8], value: Self) {
        let mut array = Zval::new();
        array.set_hashtable(value.0);
        self.set(key, array);
    }

    fn set(&mut self, key: &[u8], mut value: zval) {
        // SAFETY: the key is `len` bytes that the engine copies; the table
        // takes the value over, and so it is forgotten here.
        unsafe {
            ffi::zend_hash_str_update(
                &raw mut *self.0,
                key.as_ptr().cast(),
                key.len(),
                &raw mut value,
            );
        }
        std::mem::forget(value);
    }

    /// Hands the array to PHP as a function's result.
    pub(crate) fn return_in(self, result: &mut Zval) {
        result.set_hashtable(self.0);
    }
}

/// The value at `key`, if the array has it.
pub(crate) fn get<'a>(array: &'a ZendHashTable, key: &str) -> Option<Value<'a>> {
    array.get(key).map(Value::new)
}

/// All values, in order.
pub(crate) fn values(array: &ZendHashTable) -> impl Iterator<Item = Value<'_>> {
    array.values().map(Value::new)
}
