//! PHP arrays, built with keys of any bytes.

use std::alloc::Layout;

use ext_php_rs::alloc::emalloc;
use ext_php_rs::boxed::ZBox;
use ext_php_rs::ffi::{self, zval};
use ext_php_rs::types::{ZendHashTable, Zval};

use super::Value;

/// An array under construction. Its memory is the request's.
pub(crate) struct Array(ZBox<ZendHashTable>);

impl Array {
    /// An empty array with the given capacity.
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

    /// Sets a boolean.
    pub(crate) fn set_bool(&mut self, key: &[u8], value: bool) {
        let mut boolean = Zval::new();
        boolean.set_bool(value);
        self.set(key, boolean);
    }

    /// The array's buckets.
    pub(super) fn storage(&self) -> *const ffi::Bucket {
        // SAFETY: every table has this pointer; it is not dereferenced.
        unsafe { self.0.__bindgen_anon_1.arData }
    }

    /// The size of the buckets of so many entries, in bytes.
    pub(crate) fn size_of_entries(entries: usize) -> usize {
        entries * size_of::<ffi::Bucket>()
    }

    /// The estimated memory of an array with so many entries, each of them an
    /// array of five integers under a key of some sixty bytes.
    pub(crate) fn size_of_rows(entries: usize) -> usize {
        let table = |entries: usize| {
            let places = entries.next_power_of_two().max(8);
            places * (size_of::<ffi::Bucket>() + 2 * size_of::<u32>())
        };
        let row = size_of::<ZendHashTable>() + table(5) + size_of::<ffi::zend_string>() + 64;
        table(entries) + entries.saturating_mul(row)
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
        // SAFETY: the key is `len` bytes that the engine copies. The table takes
        // ownership of the value, so it is forgotten here.
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

    /// Sets a function's result to the array.
    pub(crate) fn return_in(self, result: &mut Zval) {
        result.set_hashtable(self.0);
    }
}

/// An array with string keys and integers only, the pattern of rows.
pub(crate) struct IntArray(Array);

impl IntArray {
    /// An array with these entries.
    pub(crate) fn new<'a>(entries: impl Iterator<Item = (&'a str, i64)>) -> Self {
        let mut array = Array::with_capacity(5);
        for (key, value) in entries {
            array.set_int(key.as_bytes(), value);
        }
        Self(array)
    }

    /// A copy of this array with other values, in the order of its keys. Takes a
    /// third of the time of `zend_array_dup`, which must check each element.
    pub(crate) fn with(&self, values: &[i64]) -> Array {
        let original = &*self.0.0;
        // A table's hash part precedes its buckets, with four bytes per slot.
        let hash = original.nTableMask.wrapping_neg() as usize * size_of::<u32>();
        let buckets = |count: u32| count as usize * size_of::<ffi::Bucket>();
        let size = hash + buckets(original.nTableSize);
        let Ok(layout) = Layout::from_size_align(size, align_of::<u64>()) else {
            return Array::with_capacity(0);
        };
        if original.nNumUsed == 0 {
            return Array::with_capacity(0);
        }
        // SAFETY: a new table of the same size has no storage yet. It gets a copy
        // of the original's used storage: the hash, integers, and keys, whose
        // reference counts are incremented.
        unsafe {
            let copy = ffi::_zend_new_array(original.nTableSize);
            let storage = emalloc(layout);
            let start = original.__bindgen_anon_1.arData.cast::<u8>().sub(hash);
            storage.copy_from_nonoverlapping(start, hash + buckets(original.nNumUsed));
            let data = storage.add(hash).cast::<ffi::Bucket>();
            for index in 0..original.nNumUsed as usize {
                let bucket = data.add(index);
                (*bucket).val.value.lval = values.get(index).copied().unwrap_or(0);
                refer_to((*bucket).key);
            }
            (*copy).__bindgen_anon_1.arData = data;
            (*copy).u.flags = original.u.flags;
            (*copy).nTableMask = original.nTableMask;
            (*copy).nNumUsed = original.nNumUsed;
            (*copy).nNumOfElements = original.nNumOfElements;
            Array(ZBox::from_raw(copy))
        }
    }
}

/// Increments the reference count of a key, unless it is interned.
unsafe fn refer_to(key: *mut ffi::zend_string) {
    // SAFETY: the caller has a table with that key.
    unsafe {
        if (*key).gc.u.type_info & ffi::GC_IMMUTABLE == 0 {
            (*key).gc.refcount += 1;
        }
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

/// All keys as text, a number in its digits, with their values, in order.
pub(crate) fn entries(array: &ZendHashTable) -> impl Iterator<Item = (Vec<u8>, Value<'_>)> {
    let mut entries = array.iter();
    // Not `next()`, which assumes that keys are UTF-8.
    std::iter::from_fn(move || {
        let (key, value) = entries.next_zval()?;
        let key = match key.long() {
            Some(number) => number.to_string().into_bytes(),
            None => Value::new(&key).as_bytes().unwrap_or_default().to_vec(),
        };
        Some((key, Value::new(value)))
    })
}
