//! Whether an address is that of a function, without dereferencing it.
//!
//! Functions and methods keep their addresses until the request or the process
//! ends, so their addresses are collected from the engine's tables. Closures and
//! the top level of files are freed earlier, and are never known here.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::OnceLock;

use ext_php_rs::ffi::{self, HashTable, zend_class_entry, zend_function};
use profile::{NumberHash, NumberSet};

use super::Function;
use super::functions_seen::for_each_pointer_in;

/// The addresses of functions that live as long as the process: internal and
/// preloaded ones.
static PERMANENT: OnceLock<NumberSet<usize>> = OnceLock::new();

/// The functions of one request, read from the tables on demand.
#[derive(Debug)]
pub(crate) struct KnownFunctions {
    addresses: NumberSet<usize>,
    /// How many entries of the tables have been read.
    functions: usize,
    classes: usize,
    /// The number of addresses that were not found.
    misses: u64,
}

impl KnownFunctions {
    /// An empty set for the current request.
    pub(crate) fn new() -> Self {
        let (functions, classes) = permanent_counts();
        Self {
            addresses: NumberSet::default(),
            functions,
            classes,
            misses: 0,
        }
    }

    /// The function at an address, if there is one.
    pub(crate) fn at(&mut self, address: usize) -> Option<Function<'_>> {
        let is_known = PERMANENT.get_or_init(permanent).contains(&address)
            || self.addresses.contains(&address)
            || self.is_found_in_tables(address);
        // SAFETY: the function is in a table, and lives until the request ends;
        // `self` belongs to a session, which ends earlier.
        is_known.then(|| unsafe { Function::new(address as *mut zend_function) })
    }

    fn is_found_in_tables(&mut self, address: usize) -> bool {
        self.read_new_entries();
        if self.addresses.contains(&address) {
            return true;
        }
        self.misses += 1;
        // A class that is linked late gets methods after it was read. That is
        // rare, and most addresses that are not found are closures'. So the
        // tables are read again at exponentially growing intervals.
        if !self.misses.is_power_of_two() {
            return false;
        }
        (self.functions, self.classes) = permanent_counts();
        self.read_new_entries();
        self.addresses.contains(&address)
    }

    fn read_new_entries(&mut self) {
        // SAFETY: this thread's globals; nothing here runs PHP code, so the
        // tables do not change.
        unsafe {
            let executor = &*ffi::ext_php_rs_executor_globals();
            let new = new_entries(executor.function_table, &mut self.functions);
            add_functions(executor.function_table, new, &mut self.addresses);
            let new = new_entries(executor.class_table, &mut self.classes);
            add_methods(executor.class_table, new, &mut self.addresses);
        }
    }
}

/// The new entries of a table of which `read` entries have been read.
///
/// # Safety
///
/// `table` must be a hash table.
unsafe fn new_entries(table: *const HashTable, read: &mut usize) -> Range<usize> {
    // SAFETY: the caller's table.
    let used = unsafe { (*table).nNumUsed } as usize;
    // A table that was rehashed has fewer used entries, and is read again.
    let from = std::mem::replace(read, used);
    if from <= used { from..used } else { 0..used }
}

/// How many entries of the tables of functions and classes are permanent.
fn permanent_counts() -> (usize, usize) {
    // SAFETY: this thread's globals.
    unsafe {
        let executor = &*ffi::ext_php_rs_executor_globals();
        (
            executor.persistent_functions_count as usize,
            executor.persistent_classes_count as usize,
        )
    }
}

fn permanent() -> NumberSet<usize> {
    let (functions, classes) = permanent_counts();
    // Allocated at once: there are thousands, about a dozen methods per class.
    let capacity = functions + 12 * classes;
    let mut addresses = NumberSet::with_capacity_and_hasher(capacity, NumberHash::default());
    // SAFETY: as in `read_new_entries`; the permanent entries come first.
    unsafe {
        let executor = &*ffi::ext_php_rs_executor_globals();
        add_functions(executor.function_table, 0..functions, &mut addresses);
        add_methods(executor.class_table, 0..classes, &mut addresses);
    }
    addresses
}

/// # Safety
///
/// `classes` must be a table of classes.
unsafe fn add_methods(
    classes: *mut HashTable,
    entries: Range<usize>,
    addresses: &mut NumberSet<usize>,
) {
    // SAFETY: the caller's table.
    unsafe {
        for_each_pointer_in(classes, entries, &mut |class| {
            add_functions(methods(class), 0..usize::MAX, addresses);
        });
    }
}

/// # Safety
///
/// `functions` must be a table of functions.
unsafe fn add_functions(
    functions: *mut HashTable,
    entries: Range<usize>,
    addresses: &mut NumberSet<usize>,
) {
    // SAFETY: the caller's table.
    unsafe {
        for_each_pointer_in(functions, entries, &mut |function| {
            addresses.insert(function as usize);
        });
    }
}

/// # Safety
///
/// `class` must be a class.
unsafe fn methods(class: *mut c_void) -> *mut HashTable {
    // SAFETY: the caller's class.
    unsafe { &raw mut (*class.cast::<zend_class_entry>()).function_table }
}
