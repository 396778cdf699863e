//! Property hooks (PHP 8.4 and later): the calls that the VM makes without telling.
//!
//! `zend_std_read_property` calls a `get` hook as any other function. If it finds
//! `zend_execute_ex == execute_ex`, it also sets `ZEND_PROPERTY_HOOK_SIMPLE_GET_BIT` in
//! the cache slot of the instruction that reads. From then on `ZEND_FETCH_OBJ_R` enters
//! the hook itself: it looks neither at `zend_execute_ex` nor for observers.
//!
//! The VM compares the class in the slot with the object's before it uses the rest. So
//! a slot without a class makes it call `zend_std_read_property` again, which fills the
//! slot anew. That is done
//!
//! - when a function is called for the first time in a profile, for the slots that were
//!   filled before the profile ([`forget_hooks`]);
//! - with the observer, at each call of a hook, for the slot of the instruction that
//!   made the call ([`forget_hook_of_caller`]): the bit is set after the call.

use std::cell::Cell;
use std::ffi::c_void;

use ext_php_rs::ffi::{self, zend_class_entry, zend_op};

use super::bindings::IS_CONST;
use super::functions_seen::for_each_pointer_in;
use super::{Call, Frame, FunctionKind};

/// `zend_object_handlers.h`: the VM may enter the hook itself.
const SIMPLE_GET: usize = 8;
/// `zend_compile.h`: `ZEND_FETCH_OBJ_FLAGS`, which are no part of the slot's offset.
const FETCH_FLAGS: u32 = 3;
/// `zend_compile.h`: the same for `isset()` and `empty()`.
const IS_EMPTY: u32 = 1;

// `zend_vm_opcodes.h`
const ASSIGN_OBJ_OP: u8 = 28;
const FETCH_OBJ_R: u8 = 82;
const FETCH_OBJ_W: u8 = 85;
const FETCH_OBJ_RW: u8 = 88;
const FETCH_OBJ_IS: u8 = 91;
const FETCH_OBJ_FUNC_ARG: u8 = 94;
const FETCH_OBJ_UNSET: u8 = 97;
const PRE_INC_OBJ: u8 = 132;
const POST_DEC_OBJ: u8 = 135;
const ISSET_ISEMPTY_PROP_OBJ: u8 = 148;

thread_local! {
    /// How many entries of this request's table of classes were looked at, and whether
    /// one of them has hooks.
    static LOOKED_AT: Cell<(usize, bool)> = const { Cell::new((0, false)) };
}

/// Whether a class of this request has hooks, so that slots can have the bit.
pub(crate) fn are_there_hooks() -> bool {
    let (from, mut found) = LOOKED_AT.get();
    // SAFETY: this thread's table of classes, which only grows while the request runs.
    unsafe {
        let classes = (*ffi::ext_php_rs_executor_globals()).class_table;
        let until = (*classes).nNumUsed as usize;
        if !found {
            for_each_pointer_in(classes, from..until, &mut |class| {
                found |= (*class.cast::<zend_class_entry>()).num_hooked_props > 0;
            });
        }
        LOOKED_AT.set((until, found));
    }
    found
}

/// After RSHUTDOWN.
pub(crate) fn forget_classes() {
    LOOKED_AT.set((0, false));
}

/// Makes the VM call the hooks that the open functions read.
pub(crate) fn forget_hooks_of_open_calls() {
    // SAFETY: PHP does not run on until the loop ends.
    for call in unsafe { Call::open() } {
        if call.function().kind() == FunctionKind::User {
            // SAFETY: an open frame of a user function has its run-time cache.
            unsafe { forget_hooks(call) };
        }
    }
}

/// Makes the VM call the hooks that a function reads.
///
/// # Safety
///
/// The call must be one of a user function, with its run-time cache.
pub(crate) unsafe fn forget_hooks(call: Call<'_>) {
    let frame = call.frame();
    // SAFETY: an op_array has `last` instructions; the cache of the caller's frame has
    // the slots that they name.
    unsafe {
        let function = &(*call.function().as_ptr()).op_array;
        for index in 0..function.last as usize {
            let instruction = function.opcodes.add(index);
            if matches!((*instruction).opcode, FETCH_OBJ_R | FETCH_OBJ_FUNC_ARG)
                && let Some(slot) = slot_of(instruction, frame)
                && *slot.add(1) as usize & !(SIMPLE_GET - 1) == SIMPLE_GET
            {
                *slot = std::ptr::null_mut();
            }
        }
    }
}

/// Makes the VM call the hook again that this call is one of, if it is one.
///
/// # Safety
///
/// The call must begin now.
pub(crate) unsafe fn forget_hook_of_caller(call: Call<'_>) {
    let caller = call.frame().caller().filter(|caller| caller.runs_php());
    if let Some(caller) = caller.filter(|_| call.function().is_property_hook()) {
        // SAFETY: the caller's frame is at the instruction that called the hook.
        unsafe {
            if let Some(slot) = slot_of(caller.opline(), caller) {
                *slot = std::ptr::null_mut();
            }
        }
    }
}

/// The cache slot of an instruction that reads a property: the class, the property's
/// offset with the bit, and the property.
unsafe fn slot_of(instruction: *const zend_op, frame: Frame<'_>) -> Option<*mut *mut c_void> {
    // SAFETY: the caller's instruction, of the function with that frame.
    unsafe {
        let read = &*instruction;
        // Without a constant name there is no slot.
        if read.op2_type != IS_CONST {
            return None;
        }
        let offset = match read.opcode {
            FETCH_OBJ_R | FETCH_OBJ_W | FETCH_OBJ_RW | FETCH_OBJ_IS | FETCH_OBJ_FUNC_ARG
            | FETCH_OBJ_UNSET => read.extended_value & !FETCH_FLAGS,
            ISSET_ISEMPTY_PROP_OBJ => read.extended_value & !IS_EMPTY,
            PRE_INC_OBJ..=POST_DEC_OBJ => read.extended_value,
            // Its operand is in the next instruction, and so is the slot.
            ASSIGN_OBJ_OP => (*instruction.add(1)).extended_value,
            _ => return None,
        };
        Some(frame.run_time_cache().byte_add(offset as usize))
    }
}
