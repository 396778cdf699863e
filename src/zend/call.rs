//! Views of a call and of the function that is called.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};

use ext_php_rs::ffi::{
    ZEND_ACC_CALL_VIA_TRAMPOLINE, ZEND_ACC_CLOSURE, ZEND_ACC_GENERATOR, ZEND_INTERNAL_FUNCTION,
    zend_execute_data, zend_function, zend_string,
};

use super::bindings;

/// The index of our slot in a function's run-time cache. Zero until
/// [`reserve_slots`]: the engine never hands out the first slot.
static USER_SLOT: AtomicUsize = AtomicUsize::new(0);
#[cfg(internal_extension_handle)]
static INTERNAL_SLOT: AtomicUsize = AtomicUsize::new(0);

/// Reserves a slot in every function's run-time cache. Once, at MINIT.
pub(crate) fn reserve_slots() {
    let name = c"xhprof".as_ptr();
    // SAFETY: called at MINIT, where the engine allows it; the name is static.
    let slot = unsafe { bindings::zend_get_op_array_extension_handle(name) };
    USER_SLOT.store(usize::try_from(slot).unwrap_or(0), Ordering::Relaxed);
    #[cfg(internal_extension_handle)]
    {
        // SAFETY: as above.
        let slot = unsafe { bindings::zend_get_internal_function_extension_handle(name) };
        INTERNAL_SLOT.store(usize::try_from(slot).unwrap_or(0), Ordering::Relaxed);
    }
}

/// The kind of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FunctionKind {
    /// Compiled PHP: a function, a method, or a file's top level.
    User,
    /// Written in C, in PHP itself or in an extension.
    Internal,
}

/// A call that is about to run, or runs.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    data: *mut zend_execute_data,
    frame: PhantomData<&'a zend_execute_data>,
}

impl<'a> Call<'a> {
    /// A view of the engine's frame.
    ///
    /// # Safety
    ///
    /// `data` must be a frame whose function is set, and stay one for `'a`.
    #[inline(always)]
    pub(crate) unsafe fn new(data: *mut zend_execute_data) -> Self {
        Self {
            data,
            frame: PhantomData,
        }
    }

    /// The function that is called.
    #[inline(always)]
    pub(crate) fn function(self) -> Function<'a> {
        Function {
            // SAFETY: `new`'s caller promised a frame with a function.
            function: unsafe { (*self.data).func },
            call: PhantomData,
        }
    }

    /// Whether this frame only creates a generator: its body runs later, in the
    /// generator's own frame.
    #[inline(always)]
    pub(crate) fn is_generator_creation(self) -> bool {
        // SAFETY: as in `function`; `This.u1` holds the call info of every frame.
        let info = unsafe { (*self.data).This.u1.type_info };
        info & bindings::ZEND_CALL_GENERATOR == 0
    }

    /// The function's run-time slot of this extension, zero at first; none if the
    /// function has no run-time cache of its own.
    #[inline(always)]
    pub(crate) fn slot(self, kind: FunctionKind) -> Option<&'a mut u64> {
        let cache = match kind {
            // SAFETY: the engine sets up the cache of a user function before it
            // runs the frame.
            FunctionKind::User => unsafe { (*self.data).run_time_cache },
            FunctionKind::Internal => self.internal_cache()?,
        };
        #[cfg(internal_extension_handle)]
        let slot = match kind {
            FunctionKind::User => &USER_SLOT,
            FunctionKind::Internal => &INTERNAL_SLOT,
        };
        #[cfg(not(internal_extension_handle))]
        let slot = &USER_SLOT;
        // SAFETY: the engine allocated and zeroed the cache with every reserved
        // slot, per process and request, and only this extension writes to its
        // slot. A slot is a pointer, and lib.rs refuses pointers that have not 64
        // bits.
        unsafe { Some(&mut *cache.add(slot.load(Ordering::Relaxed)).cast::<u64>()) }
    }

    /// Creates the [`slot`](Self::slot) of a function without a run-time cache.
    /// None if that is not possible: a trampoline has no slot of its own.
    pub(crate) fn new_slot(self) -> Option<&'a mut u64> {
        let function = self.function();
        if function.is_trampoline() || function.kind() == FunctionKind::User {
            return None;
        }
        // SAFETY: an internal function, of `new`'s caller. The slot lives as long
        // as the request, and only this extension writes to it.
        unsafe {
            super::idle_slots::create((&raw const (*function.function).internal_function).cast())?
                .as_mut()
        }
    }

    /// The value of the [`slot`](Self::slot). Separate from `slot`, because the
    /// compiler would check that the reference is not null on the hot path.
    #[inline(always)]
    pub(crate) fn number(self, kind: FunctionKind) -> Option<u64> {
        match kind {
            FunctionKind::User => {
                // SAFETY: as in `slot`.
                let cache = unsafe { (*self.data).run_time_cache };
                // SAFETY: as in `slot`.
                Some(unsafe { *cache.add(USER_SLOT.load(Ordering::Relaxed)).cast::<u64>() })
            }
            FunctionKind::Internal => self.slot(kind).map(|slot| *slot),
        }
    }

    #[inline(always)]
    fn internal_cache(self) -> Option<*mut *mut std::ffi::c_void> {
        // SAFETY: `new`'s caller promised a function; the pointer is either
        // direct or, with the lowest bit set, an offset into the map of this
        // thread (`ZEND_MAP_PTR_GET` in zend_map_ptr.h).
        let cache = unsafe {
            let pointer = (*(*self.data).func).common.run_time_cache__ptr;
            let offset = pointer as usize;
            if offset & 1 == 0 {
                pointer
            } else {
                let base = (*super::compile::compiler_globals()).map_ptr_base;
                *base.byte_add(offset).cast::<*mut *mut std::ffi::c_void>()
            }
        };
        (!cache.is_null()).then_some(cache)
    }

    /// The number of arguments that were passed.
    pub(crate) fn argument_count(self) -> u32 {
        // SAFETY: `This.u2` holds the number of arguments of every function's frame.
        unsafe { (*self.data).This.u2.num_args }
    }

    /// The argument numbered `index`, from 0; none if it was not passed.
    pub(crate) fn argument(self, index: u32) -> Option<super::Value<'a>> {
        if index >= self.argument_count() {
            return None;
        }
        // `ZEND_CALL_VAR_NUM`: arguments follow the frame, in slots of a zval's size.
        let first = size_of::<zend_execute_data>().div_ceil(size_of::<ext_php_rs::ffi::zval>());
        // SAFETY: there are `argument_count` zvals behind the frame, and they
        // live as long as it does.
        unsafe {
            let zvals = self.data.cast::<ext_php_rs::ffi::zval>();
            Some(super::Value::new(&*zvals.add(first + index as usize)))
        }
    }

    /// The object of a method call.
    pub(crate) fn object(self) -> Option<super::Value<'a>> {
        // SAFETY: `This` of a frame is a zval: an object, or something else.
        let this = super::Value::new(unsafe { &(*self.data).This });
        this.is_object().then_some(this)
    }
}

/// A function as the engine knows it.
#[derive(Clone, Copy)]
pub(crate) struct Function<'a> {
    function: *mut zend_function,
    call: PhantomData<&'a zend_function>,
}

impl<'a> Function<'a> {
    /// A view of the engine's function.
    ///
    /// # Safety
    ///
    /// `function` must be a function, and stay one for `'a`.
    pub(crate) unsafe fn new(function: *mut zend_function) -> Self {
        Self {
            function,
            call: PhantomData,
        }
    }

    /// The function's kind.
    pub(crate) fn kind(self) -> FunctionKind {
        // SAFETY: all kinds of functions begin with their type.
        if u32::from(unsafe { (*self.function).type_ }) == ZEND_INTERNAL_FUNCTION {
            FunctionKind::Internal
        } else {
            FunctionKind::User
        }
    }

    #[inline(always)]
    fn flags(self) -> u32 {
        // SAFETY: all kinds of functions begin with the common part.
        unsafe { (*self.function).common.fn_flags }
    }

    /// Whether each call must be inspected before it is recorded: the function is
    /// a generator or a trampoline.
    #[inline(always)]
    pub(crate) fn is_unusual(self) -> bool {
        self.flags() & (ZEND_ACC_CALL_VIA_TRAMPOLINE | ZEND_ACC_GENERATOR) != 0
    }

    /// Whether this is a trampoline, which the engine creates for one call of
    /// `__call`, `__callStatic` or an object's `__invoke`. Its run-time cache is
    /// not its own.
    pub(crate) fn is_trampoline(self) -> bool {
        self.flags() & ZEND_ACC_CALL_VIA_TRAMPOLINE != 0
    }

    /// Whether calling this creates a generator.
    pub(crate) fn is_generator(self) -> bool {
        self.flags() & ZEND_ACC_GENERATOR != 0
    }

    /// Whether the function's address is valid until the request ends, and no call
    /// of it must be inspected: a named user function or method.
    pub(crate) fn is_usual_and_lasts(self) -> bool {
        let others = ZEND_ACC_CLOSURE | ZEND_ACC_CALL_VIA_TRAMPOLINE | ZEND_ACC_GENERATOR;
        self.kind() == FunctionKind::User && self.flags() & others == 0 && self.name().is_some()
    }

    /// The function's name; none for the top level of a file or of `eval`.
    pub(crate) fn name(self) -> Option<&'a [u8]> {
        // SAFETY: common part; the name lives as long as the function.
        unsafe { bytes((*self.function).common.function_name) }
    }

    /// The class a method belongs to: for a trait's method, the using class.
    pub(crate) fn class(self) -> Option<&'a [u8]> {
        // SAFETY: common part; a class outlives its methods.
        unsafe {
            let scope = (*self.function).common.scope;
            if scope.is_null() {
                None
            } else {
                bytes((*scope).name)
            }
        }
    }

    /// The file of a user function.
    pub(crate) fn file(self, kind: FunctionKind) -> Option<&'a [u8]> {
        match kind {
            // SAFETY: the caller says that it is an op_array.
            FunctionKind::User => unsafe { bytes((*self.function).op_array.filename) },
            FunctionKind::Internal => None,
        }
    }

    /// The line on which a user function begins; zero for others.
    pub(crate) fn line(self, kind: FunctionKind) -> u32 {
        match kind {
            // SAFETY: as in `file`.
            FunctionKind::User => unsafe { (*self.function).op_array.line_start },
            FunctionKind::Internal => 0,
        }
    }
}

/// The bytes of an engine string; none for a null pointer.
///
/// # Safety
///
/// `string` must be null or a string that lives and stays unchanged for `'a`.
pub(crate) unsafe fn bytes<'a>(string: *const zend_string) -> Option<&'a [u8]> {
    if string.is_null() {
        return None;
    }
    // SAFETY: the caller promised a live string; `val` is the first of `len` bytes.
    unsafe {
        let first = (&raw const (*string).val).cast::<u8>();
        Some(std::slice::from_raw_parts(first, (*string).len))
    }
}
