//! Avoids the cost of run-time slots in internal functions that are not called.
//!
//! If any extension has reserved a slot, PHP 8.2 allocates run-time caches for all
//! internal functions at the beginning of each request
//! (`zend_init_internal_run_time_cache`): 113,000 instructions, some 20 µs, where an
//! empty request of `php -S` has 70,000. (PHP 8.4 keeps them.) If the only slot is ours, this module
//! sets the number of slots to zero between requests. When a profile finds a
//! function without a cache, [`create`] gives it one.
//!
//! **Invariants:** everything that is compiled has space for the slot, so the
//! number is restored before ([`reclaim`], at RINIT and in `engine::compile`). No
//! other extension gets our slot, because extensions reserve slots only at
//! startup. Threads share the number, so with ZTS it is not changed.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

use ext_php_rs::ffi::zend_internal_function;

use super::bindings;
use super::compile::compiler_globals;

/// The number of slots was one, and is zero now.
static IS_RELEASED: AtomicBool = AtomicBool::new(false);
/// This request began without run-time caches for internal functions.
static CACHES_MISSING: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The slots that were created in this request.
    static CACHES: RefCell<Caches> = const { RefCell::new(Caches { pages: Vec::new(), used: 0 }) };
}

/// Slots that keep their addresses until the next request, which reuses them.
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

/// After RSHUTDOWN: sets the number of slots to zero. The caller must have
/// reserved a slot.
pub(crate) fn release() {
    if cfg!(not(caches_each_request)) || cfg!(php_zts) {
        return;
    }
    // SAFETY: a counter of the engine, which no other thread reads. Not during
    // module startup (preloading): extensions reserve slots after it.
    unsafe {
        let slots = &raw mut bindings::zend_op_array_extension_handles;
        if bindings::php_during_module_startup() == 0 && *slots == 1 {
            *slots = 0;
            IS_RELEASED.store(true, Ordering::Relaxed);
        }
    }
}

/// Restores the number of slots: a request begins, or something is compiled.
#[inline]
pub(crate) fn reclaim() {
    if IS_RELEASED.load(Ordering::Relaxed) {
        IS_RELEASED.store(false, Ordering::Relaxed);
        // SAFETY: as in `release`. If the number is not zero, all modules have
        // been restarted.
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

/// Creates the run-time cache of an internal function that has none, and returns
/// its slot; none if the engine has allocated all caches. Internal functions that
/// a program creates, such as the methods of an enum, always have a cache.
///
/// # Safety
///
/// `function` must be an internal function, and no trampoline.
pub(super) unsafe fn create(function: *const zend_internal_function) -> Option<*mut u64> {
    if !CACHES_MISSING.load(Ordering::Relaxed) {
        return None;
    }
    // SAFETY: the caller's function. The engine clears its entry in the map when
    // the next request begins; until then only this function has the slot.
    unsafe {
        let place = place_in_map(function).filter(|&place| (*place).is_null())?;
        let slot = CACHES.with_borrow_mut(Caches::next)?;
        *place = slot;
        Some(slot)
    }
}

/// The entry of a function's cache in this thread's map; none if the function does
/// not use the map.
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
