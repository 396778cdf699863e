//! Requests that nobody profiles do not pay for slots in internal functions.
//!
//! As long as any extension has a slot in functions' run-time caches, PHP 8.2
//! makes such caches for all of its own functions when a request begins: some
//! 20 µs, in a request that may take 30. (PHP 8.4 keeps them.) Where the only
//! slot is ours, it is told between two requests that there is none; and when a
//! profile begins, [`fill`] does what it would have done.
//!
//! What must stay true: whatever is compiled has room for the slot, so the
//! number is back before anything is compiled ([`take_back`], at RINIT and in
//! `engine::compile`); and no other extension gets our number, because none
//! asks between requests. A function of PHP's own without a cache is recorded
//! all the same, by its name. Threads share the number, so with them it stays.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

use ext_php_rs::ffi::{
    HashTable, ZEND_INTERNAL_FUNCTION, zend_class_entry, zend_function, zend_internal_function,
};

use super::bindings::{self, ZEND_INTERNAL_CLASS};
use super::compile::compiler_globals;
use super::functions_seen::for_each_pointer_in;

/// The number is zero now, and was one.
static IS_AWAY: AtomicBool = AtomicBool::new(false);
/// This request has begun without caches for internal functions.
static ARE_MISSING: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// A slot for each internal function, for the request that runs.
    static CACHES: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// A request is over, and nothing of it runs any more. Only if our slot has
/// been reserved.
pub(crate) fn let_go() {
    if cfg!(not(caches_each_request)) || cfg!(php_zts) {
        return;
    }
    // SAFETY: a counter of the engine's, which nobody looks at meanwhile. The
    // request of the module startup (preloading) is left alone: slots are still
    // given away after it.
    unsafe {
        let slots = &raw mut bindings::zend_op_array_extension_handles;
        if bindings::php_during_module_startup() == 0 && *slots == 1 {
            *slots = 0;
            IS_AWAY.store(true, Ordering::Relaxed);
        }
    }
}

/// A request begins, or something is compiled.
#[inline]
pub(crate) fn take_back() {
    if IS_AWAY.load(Ordering::Relaxed) {
        IS_AWAY.store(false, Ordering::Relaxed);
        // SAFETY: as in `let_go`; it was one, and if it is not zero now, then
        // all modules have been started anew.
        unsafe {
            let slots = &raw mut bindings::zend_op_array_extension_handles;
            if *slots == 0 {
                *slots = 1;
                ARE_MISSING.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// A profile begins: from here on all functions have the slot.
pub(crate) fn fill() {
    if !ARE_MISSING.swap(false, Ordering::Relaxed) {
        return;
    }
    CACHES.with_borrow_mut(|caches| {
        let mut count = 0;
        for_each_without_cache(&mut |_| count += 1);
        caches.clear();
        caches.resize(count, 0);
        let mut free = caches.iter_mut();
        for_each_without_cache(&mut |place| {
            if let Some(cache) = free.next() {
                // SAFETY: the function's place in the map, which the engine
                // clears when the next request begins; until then nobody else
                // has these slots, and they stay where they are.
                unsafe { *place = &raw mut *cache };
            }
        });
    });
}

/// Calls `visit` with the place in the thread's map of each internal function
/// that has no cache. Those of PHP's own tables only: what a program makes, such
/// as the methods of an enum, has its cache from the beginning.
fn for_each_without_cache(visit: &mut dyn FnMut(*mut *mut u64)) {
    let mut in_table = |table: *mut HashTable| {
        // SAFETY: a table of functions, which does not change meanwhile.
        unsafe {
            for_each_pointer_in(table, 0..usize::MAX, &mut |function| {
                let function = function.cast::<zend_function>();
                if u32::from((*function).type_) == ZEND_INTERNAL_FUNCTION
                    && let Some(place) = place_in_map(&raw const (*function).internal_function)
                    && (*place).is_null()
                {
                    visit(place);
                }
            });
        }
    };
    // SAFETY: this thread's globals.
    unsafe {
        in_table((*compiler_globals()).function_table);
        for_each_pointer_in(
            (*compiler_globals()).class_table,
            0..usize::MAX,
            &mut |class| {
                let class = class.cast::<zend_class_entry>();
                if i32::from((*class).type_) == ZEND_INTERNAL_CLASS {
                    in_table(&raw mut (*class).function_table);
                }
            },
        );
    }
}

/// Where the map of this thread has a function's cache; none if it is not there.
unsafe fn place_in_map(function: *const zend_internal_function) -> Option<*mut *mut u64> {
    // SAFETY: the caller's function; with the lowest bit set, the pointer is an
    // offset into the map (`ZEND_MAP_PTR_GET` in zend_map_ptr.h).
    unsafe {
        let offset = (*function).run_time_cache__ptr as usize;
        (offset & 1 != 0).then(|| {
            (*compiler_globals())
                .map_ptr_base
                .byte_add(offset)
                .cast::<*mut u64>()
        })
    }
}
