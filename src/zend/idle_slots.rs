//! Requests do not pay for slots in internal functions that they do not call.
//!
//! As long as any extension has a slot in functions' run-time caches, PHP 8.2
//! makes such caches for all of its own functions when a request begins: some
//! 20 µs, in a request that may take 30. (PHP 8.4 keeps them.) Where the only
//! slot is ours, it is told between two requests that there is none; and when a
//! profile meets a function without a cache, [`create`] gives it one.
//!
//! What must stay true: whatever is compiled has room for the slot, so the
//! number is back before anything is compiled ([`reclaim`], at RINIT and in
//! `engine::compile`); and no other extension gets our number, because none
//! asks between requests. Threads share the number, so with them it stays.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

use ext_php_rs::ffi::zend_internal_function;

use super::bindings;
use super::compile::compiler_globals;

/// The number is zero now, and was one.
static IS_RELEASED: AtomicBool = AtomicBool::new(false);
/// This request has begun without caches for internal functions.
static CACHES_MISSING: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The slots of the functions that this request's profiles have met.
    static CACHES: RefCell<Caches> = const { RefCell::new(Caches { pages: Vec::new(), used: 0 }) };
}

/// Slots that stay where they are until the next request, which takes the same
/// memory.
struct Caches {
    pages: Vec<Vec<u64>>,
    used: usize,
}

/// How many slots are allocated at once.
const PAGE: usize = 256;

impl Caches {
    fn next(&mut self) -> Option<*mut u64> {
        let (page, slot) = (self.used / PAGE, self.used % PAGE);
        if page == self.pages.len() {
            self.pages.push(vec![0; PAGE]);
        }
        let slot = self.pages.get_mut(page)?.get_mut(slot)?;
        self.used += 1;
        *slot = 0;
        Some(slot)
    }
}

/// A request is over, and nothing of it runs any more. Only if our slot has
/// been reserved.
pub(crate) fn release() {
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
            IS_RELEASED.store(true, Ordering::Relaxed);
        }
    }
}

/// A request begins, or something is compiled.
#[inline]
pub(crate) fn reclaim() {
    if IS_RELEASED.load(Ordering::Relaxed) {
        IS_RELEASED.store(false, Ordering::Relaxed);
        // SAFETY: as in `release`; it was one, and if it is not zero now, then
        // all modules have been started anew.
        unsafe {
            let slots = &raw mut bindings::zend_op_array_extension_handles;
            if *slots == 0 {
                *slots = 1;
                CACHES_MISSING.store(true, Ordering::Relaxed);
                CACHES.with_borrow_mut(|caches| caches.used = 0);
            }
        }
    }
}

/// The slot of an internal function of PHP's own tables that has no cache, and
/// gets one here; none if the engine has made them all. What a program makes,
/// such as the methods of an enum, has its cache from the beginning.
///
/// # Safety
///
/// `function` must be one, and no stand-in for another.
pub(super) unsafe fn create(function: *const zend_internal_function) -> Option<*mut u64> {
    if !CACHES_MISSING.load(Ordering::Relaxed) {
        return None;
    }
    // SAFETY: the caller's function. The engine clears its place in the map
    // when the next request begins; until then nobody else has the slot.
    unsafe {
        let place = place_in_map(function).filter(|&place| (*place).is_null())?;
        let slot = CACHES.with_borrow_mut(Caches::next)?;
        *place = slot;
        Some(slot)
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
