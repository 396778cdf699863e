//! All user functions for which the engine has called the observers' init.
//!
//! They are searched in the tables of functions and classes, in closures, inside
//! other functions (closures not yet created), and, for the top level of files, on
//! the stack.

use ext_php_rs::ffi::{
    self, HashTable, zend_class_entry, zend_execute_data, zend_function, zend_object, zval,
};

use super::Frame;
use super::bindings::{
    ZEND_INTERNAL_CLASS, zend_ce_closure, zend_get_closure_method_def,
    zend_observer_fcall_op_array_extension,
};

/// Calls `visit` with every user function that has been called in this
/// request, at least once.
///
/// # Safety
///
/// `visit` must not run PHP code.
pub(crate) unsafe fn for_each_function_seen(mut visit: impl FnMut(*mut zend_function)) {
    let visit: &mut dyn FnMut(*mut zend_function) = &mut visit;
    // SAFETY: this thread's globals; the tables do not change, because `visit`
    // does not run PHP code.
    unsafe {
        let executor = &*ffi::ext_php_rs_executor_globals();
        in_table(executor.function_table, visit);
        for_each_pointer(executor.class_table, &mut |class| {
            in_class(class.cast(), visit);
        });
        let store = &executor.objects_store;
        // The first bucket is never used.
        for index in 1..store.top as usize {
            in_object(*store.object_buckets.add(index), visit);
        }
        in_frames(executor.current_execute_data, visit);
    }
}

unsafe fn in_class(class: *mut zend_class_entry, visit: &mut dyn FnMut(*mut zend_function)) {
    // SAFETY: the caller's class; its methods are functions, and so are the
    // hooks of its properties, since 8.4.
    unsafe {
        // Internal classes have no user methods.
        if i32::from((*class).type_) == ZEND_INTERNAL_CLASS {
            return;
        }
        in_table(&raw mut (*class).function_table, visit);
        #[cfg(property_hooks)]
        for_each_pointer(&raw mut (*class).properties_info, &mut |property| {
            let property = property.cast::<ffi::zend_property_info>();
            let hooks = (*property).hooks;
            if !hooks.is_null() {
                // ZEND_PROPERTY_HOOK_COUNT: get and set.
                for index in 0..2 {
                    in_function(*hooks.add(index), visit);
                }
            }
        });
    }
}

unsafe fn in_table(table: *mut HashTable, visit: &mut dyn FnMut(*mut zend_function)) {
    // SAFETY: the caller's table of functions.
    unsafe { for_each_pointer(table, &mut |function| in_function(function.cast(), visit)) };
}

unsafe fn in_object(object: *mut zend_object, visit: &mut dyn FnMut(*mut zend_function)) {
    // A free bucket has its lowest bit set.
    if object.is_null() || object as usize & 1 != 0 {
        return;
    }
    // SAFETY: a live object; the engine's closure class is set at start-up.
    unsafe {
        if (*object).ce == zend_ce_closure {
            in_function(zend_get_closure_method_def(object).cast_mut(), visit);
        }
    }
}

/// The top level of a file that still runs is in no table.
unsafe fn in_frames(frame: *mut zend_execute_data, visit: &mut dyn FnMut(*mut zend_function)) {
    // SAFETY: the caller's frame; PHP does not run on until the end of the loop.
    let frame = unsafe { Frame::new(frame) };
    for frame in frame.into_iter().flat_map(Frame::and_callers) {
        // SAFETY: a live frame's function, or null.
        unsafe { in_function(frame.function_address().cast_mut(), visit) };
    }
}

unsafe fn in_function(function: *mut zend_function, visit: &mut dyn FnMut(*mut zend_function)) {
    // SAFETY: null, or a function that the caller found; a user function's
    // `dynamic_func_defs` are the functions declared inside it.
    unsafe {
        if function.is_null() || u32::from((*function).type_) != ffi::ZEND_USER_FUNCTION {
            return;
        }
        if (*function).common.fn_flags & ffi::ZEND_ACC_CALL_VIA_TRAMPOLINE != 0 {
            return;
        }
        if has_been_asked_about(function) {
            visit(function);
        }
        let inner = &(*function).op_array;
        for index in 0..inner.num_dynamic_func_defs as usize {
            in_function((*inner.dynamic_func_defs.add(index)).cast(), visit);
        }
    }
}

/// Whether the engine has stored observers in the function's run-time cache.
unsafe fn has_been_asked_about(function: *mut zend_function) -> bool {
    // SAFETY: as for `Call::internal_cache`: direct, or an offset into the map.
    unsafe {
        let pointer = (*function).common.run_time_cache__ptr;
        let cache = if pointer as usize & 1 == 0 {
            pointer
        } else {
            let base = (*super::compile::compiler_globals()).map_ptr_base;
            *base
                .byte_add(pointer as usize)
                .cast::<*mut *mut std::ffi::c_void>()
        };
        let Ok(slot) = usize::try_from(zend_observer_fcall_op_array_extension) else {
            return false;
        };
        !cache.is_null() && !(*cache.add(slot)).is_null()
    }
}

/// Calls `visit` with the pointer in each entry of a hash table.
unsafe fn for_each_pointer(table: *mut HashTable, visit: &mut dyn FnMut(*mut std::ffi::c_void)) {
    // SAFETY: the caller's table of pointers.
    unsafe { for_each_pointer_in(table, 0..usize::MAX, visit) };
}

/// The same for the entries with these indices, as far as they exist.
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
