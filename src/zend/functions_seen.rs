//! The run-time caches of all user functions for which the engine has called the
//! observers' init: it asks once for a cache, and stores the answer there.
//!
//! Most caches live until the request ends (in `CG(arena)`), so they are noted when the
//! engine asks. That matters for closures: the cache of a function that OPcache keeps
//! outlives the closure, the file that declared it, and every pointer to the function.
//! Caches on the heap (`ZEND_ACC_HEAP_RT_CACHE`) belong to one closure or to the top
//! level of one file, and end with them: they are looked up among the live ones.

use std::cell::RefCell;
use std::ffi::c_void;
use std::mem::MaybeUninit;

use ext_php_rs::ffi::{
    self, HashTable, ZEND_ACC_CALL_VIA_TRAMPOLINE, ZEND_ACC_HEAP_RT_CACHE, zend_function,
    zend_object, zval,
};

use super::bindings::{
    zend_ce_closure, zend_get_closure_method_def, zend_observer_fcall_op_array_extension,
};
use super::{Call, Frame};

/// A function's run-time cache.
type Cache = *mut *mut c_void;

thread_local! {
    /// The caches that live until this thread's request ends.
    static LASTING: RefCell<Vec<Cache>> = const { RefCell::new(Vec::new()) };
}

#[expect(clippy::cast_possible_truncation, reason = "2")]
const USER_FUNCTION: u8 = ffi::ZEND_USER_FUNCTION as u8;

/// The most caches for which memory is kept between requests.
const MOST_KEPT: usize = 16 << 10;

/// The engine asks for the observers of a user function that is called for the first
/// time.
///
/// # Safety
///
/// The call must be one of a user function, whose run-time cache the engine has
/// created.
pub(crate) unsafe fn note_function_seen(call: Call<'_>) {
    // SAFETY: the caller's function.
    let cache = unsafe { lasting_cache(call.function().as_ptr()) };
    let Some(cache) = cache else { return };
    LASTING.with_borrow_mut(|caches| {
        // Without memory for it, a profile that begins later lacks the function.
        if caches.try_reserve(1).is_ok() {
            caches.push(cache);
        }
    });
}

/// After RSHUTDOWN: the engine frees the caches.
pub(crate) fn forget_functions_seen() {
    LASTING.with_borrow_mut(|caches| {
        caches.clear();
        caches.shrink_to(MOST_KEPT);
    });
}

/// Calls `visit` with a function for every run-time cache in which the engine has
/// stored observers in this request. Of the function only its kind and the cache may
/// be used: it may be a stand-in for one that no longer exists.
///
/// # Safety
///
/// `visit` must not run PHP code.
pub(crate) unsafe fn for_each_function_seen(mut visit: impl FnMut(*mut zend_function)) {
    LASTING.with_borrow(|caches| {
        let mut stand_in = StandIn::new();
        for &cache in caches {
            visit(stand_in.with(cache));
        }
    });
    // SAFETY: this thread's globals; the objects and frames do not change, because
    // `visit` does not run PHP code.
    unsafe {
        let executor = &*ffi::ext_php_rs_executor_globals();
        let store = &executor.objects_store;
        // The first bucket is never used.
        for index in 1..store.top as usize {
            if let Some(function) = closure(*store.object_buckets.add(index)) {
                visit_if_on_heap(function, &mut visit);
            }
        }
        let frame = Frame::new(executor.current_execute_data);
        for frame in frame.into_iter().flat_map(Frame::and_callers) {
            visit_if_on_heap(frame.function_address().cast_mut(), &mut visit);
        }
    }
}

/// The function of a closure; null if the object is none, or its bucket is free.
unsafe fn closure(object: *mut zend_object) -> Option<*mut zend_function> {
    // A free bucket has its lowest bit set.
    if object.is_null() || object as usize & 1 != 0 {
        return None;
    }
    // SAFETY: a live object; the engine's closure class is set at start-up.
    unsafe {
        ((*object).ce == zend_ce_closure).then(|| zend_get_closure_method_def(object).cast_mut())
    }
}

/// Calls `visit` with a function if its cache is on the heap and has observers.
unsafe fn visit_if_on_heap(
    function: *mut zend_function,
    visit: &mut impl FnMut(*mut zend_function),
) {
    // SAFETY: null, or a function that lives.
    unsafe {
        if let Some((cache, true)) = cache_of(function)
            && has_observers(cache)
        {
            visit(function);
        }
    }
}

/// The cache of a function, if it lives until the request ends.
unsafe fn lasting_cache(function: *mut zend_function) -> Option<Cache> {
    // SAFETY: the caller's function.
    match unsafe { cache_of(function) } {
        Some((cache, false)) => Some(cache),
        _ => None,
    }
}

/// The cache of a user function, and whether it is on the heap; none if it has none of
/// its own.
unsafe fn cache_of(function: *mut zend_function) -> Option<(Cache, bool)> {
    // SAFETY: null, or the caller's function. The pointer is either direct or, with
    // the lowest bit set, an offset into the map of this thread (`ZEND_MAP_PTR_GET`).
    unsafe {
        if function.is_null() || u32::from((*function).type_) != ffi::ZEND_USER_FUNCTION {
            return None;
        }
        let flags = (*function).common.fn_flags;
        if flags & ZEND_ACC_CALL_VIA_TRAMPOLINE != 0 {
            return None;
        }
        let pointer = (*function).common.run_time_cache__ptr;
        let cache = if pointer as usize & 1 == 0 {
            pointer
        } else {
            let base = (*super::compile::compiler_globals()).map_ptr_base;
            *base.byte_add(pointer as usize).cast::<Cache>()
        };
        (!cache.is_null()).then_some((cache, flags & ZEND_ACC_HEAP_RT_CACHE != 0))
    }
}

/// Whether the engine has stored observers in a cache.
unsafe fn has_observers(cache: Cache) -> bool {
    // SAFETY: the engine reserves that slot in every cache of a user function, if
    // there is an observer.
    unsafe {
        let slot = usize::try_from(zend_observer_fcall_op_array_extension);
        slot.is_ok_and(|slot| !(*cache.add(slot)).is_null())
    }
}

/// A user function that has a cache, and nothing else: the engine's functions for
/// observers read its kind and its cache (`ZEND_OBSERVER_DATA`).
struct StandIn(MaybeUninit<zend_function>);

impl StandIn {
    fn new() -> Self {
        let mut function = MaybeUninit::<zend_function>::zeroed();
        // SAFETY: all-zero bytes are a function without anything; every kind begins
        // with its type.
        unsafe { (*function.as_mut_ptr()).type_ = USER_FUNCTION };
        Self(function)
    }

    fn with(&mut self, cache: Cache) -> *mut zend_function {
        let function = self.0.as_mut_ptr();
        // SAFETY: the function of `new`, as an op_array.
        unsafe { (*function).op_array.run_time_cache__ptr = cache };
        function
    }
}

/// Calls `visit` with the pointer in each entry of a hash table that has one of these
/// indices, as far as they exist.
pub(super) unsafe fn for_each_pointer_in(
    table: *mut HashTable,
    entries: std::ops::Range<usize>,
    visit: &mut dyn FnMut(*mut std::ffi::c_void),
) {
    // SAFETY: the caller's table of pointers, which is a hash and not a list;
    // unused entries have type 0.
    unsafe {
        let first = (*table).__bindgen_anon_1.arData;
        for index in entries.start..entries.end.min((*table).nNumUsed as usize) {
            let value: *const zval = &raw const (*first.add(index)).val;
            if (*value).u1.type_info != 0 {
                visit((*value).value.ptr);
            }
        }
    }
}
