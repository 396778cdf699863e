//! A view of a call, and of its function's run-time slot.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};

use ext_php_rs::ffi::zend_execute_data;

use super::{Frame, Function, FunctionKind, Value, bindings};

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

    /// The call with that frame; none for a dummy frame, which has no function.
    pub(crate) fn of(frame: Frame<'a>) -> Option<Self> {
        frame.function()?;
        Some(Self {
            data: frame.as_ptr(),
            frame: PhantomData,
        })
    }

    /// The open calls, the innermost first: in a fiber, also those of its resumer.
    ///
    /// # Safety
    ///
    /// PHP must not run on for `'a`.
    pub(crate) unsafe fn open() -> impl Iterator<Item = Self> {
        // SAFETY: the caller's promise.
        let current = unsafe { Frame::current() };
        let frames = current.into_iter().flat_map(Frame::and_callers);
        frames.filter_map(Self::of)
    }

    /// The function that is called.
    #[inline(always)]
    pub(crate) fn function(self) -> Function<'a> {
        // SAFETY: `new`'s caller promised a frame with a function, which lives as long
        // as the frame.
        unsafe { Function::new((*self.data).func) }
    }

    /// Whether this frame only creates a generator (`ZEND_GENERATOR_CREATE`): its body
    /// runs later, in the generator's own frame.
    #[inline(always)]
    pub(crate) fn is_generator_creation(self) -> bool {
        // SAFETY: as in `function`; `This.u1` holds the call info of every frame.
        let info = unsafe { (*self.data).This.u1.type_info };
        info & bindings::ZEND_CALL_GENERATOR == 0
    }

    /// The call's frame.
    #[inline(always)]
    pub(crate) fn frame(self) -> Frame<'a> {
        // SAFETY: `new`'s caller promised a frame, which is not null.
        unsafe { Frame::new(self.data).unwrap_unchecked() }
    }

    /// The function's run-time slot of this extension, zero at first; none if the
    /// function has no run-time cache of its own.
    ///
    /// # Safety
    ///
    /// `kind` must be the function's. The hooks know it, and need not read it.
    #[inline(always)]
    pub(crate) unsafe fn slot(self, kind: FunctionKind) -> Option<Slot<'a>> {
        let cache = match kind {
            // SAFETY: the engine sets up the cache of a user function before it
            // runs the frame.
            FunctionKind::User => unsafe { (*self.data).run_time_cache },
            // SAFETY: the caller says that it is one.
            FunctionKind::Internal => unsafe { self.internal_cache()? },
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
        unsafe { Some(Slot(&*cache.add(slot.load(Ordering::Relaxed)).cast())) }
    }

    /// Creates the [`slot`](Self::slot) of a function without a run-time cache.
    /// None if that is not possible: a trampoline has no slot of its own.
    pub(crate) fn new_slot(self) -> Option<Slot<'a>> {
        let function = self.function();
        if function.is_trampoline() || function.kind() == FunctionKind::User {
            return None;
        }
        // SAFETY: an internal function, of `new`'s caller. The slot lives as long
        // as the request, and only this extension writes to it.
        unsafe {
            let function = (&raw const (*function.as_ptr()).internal_function).cast();
            Some(Slot(&*super::idle_slots::create(function)?.cast()))
        }
    }

    /// The value of a user function's [`slot`](Self::slot). Separate from `slot`,
    /// because the compiler would check that the reference is not null on the hot
    /// path.
    ///
    /// # Safety
    ///
    /// The function must be a user function.
    #[inline(always)]
    pub(crate) unsafe fn user_number(self) -> u64 {
        // SAFETY: as in `slot`.
        unsafe {
            let cache = (*self.data).run_time_cache;
            *cache.add(USER_SLOT.load(Ordering::Relaxed)).cast::<u64>()
        }
    }

    /// The run-time cache of an internal function; none if it has none.
    ///
    /// # Safety
    ///
    /// The function must be an internal one.
    #[inline(always)]
    unsafe fn internal_cache(self) -> Option<*mut *mut std::ffi::c_void> {
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
    pub(crate) fn argument(self, index: u32) -> Option<Value<'a>> {
        if index >= self.argument_count() {
            return None;
        }
        // `ZEND_CALL_VAR_NUM`: arguments follow the frame, in slots of a zval's size.
        let first = size_of::<zend_execute_data>().div_ceil(size_of::<ext_php_rs::ffi::zval>());
        // SAFETY: there are `argument_count` zvals behind the frame, and they
        // live as long as it does.
        unsafe {
            let zvals = self.data.cast::<ext_php_rs::ffi::zval>();
            Some(Value::new(&*zvals.add(first + index as usize)))
        }
    }

    /// The object of a method call.
    pub(crate) fn object(self) -> Option<Value<'a>> {
        // SAFETY: `This` of a frame is a zval: an object, or something else.
        let this = Value::new(unsafe { &(*self.data).This });
        this.is_object().then_some(this)
    }
}

/// A function's run-time slot. All views of a slot share it.
#[derive(Clone, Copy)]
pub(crate) struct Slot<'a>(&'a Cell<u64>);

impl Slot<'_> {
    /// The slot's value.
    #[inline(always)]
    pub(crate) fn get(self) -> u64 {
        self.0.get()
    }

    /// Sets the slot's value.
    pub(crate) fn set(self, value: u64) {
        self.0.set(value);
    }
}
