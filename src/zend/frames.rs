//! PHP's own frames.

use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::NonNull;

use ext_php_rs::ffi::{self, zend_execute_data, zend_function, zend_op};

use super::bindings::{
    Generator, IS_OBJ_DESTRUCTOR_CALLED, IS_OBJ_FREE_CALLED, ZEND_CALL_GENERATOR,
    ZEND_CALL_RELEASE_THIS, ZEND_CALL_TOP,
};
use super::{Function, FunctionKind};

/// A live frame, with or without a function: the engine's own dummy frames have
/// none.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frame<'a> {
    data: NonNull<zend_execute_data>,
    life: PhantomData<&'a zend_execute_data>,
}

impl<'a> Frame<'a> {
    /// A view of the engine's frame; none for a null pointer.
    ///
    /// # Safety
    ///
    /// `data` must be null, or a frame that the engine keeps for `'a`, with all its
    /// callers. After a call has ended, its frame is one as long as the engine does
    /// not use its memory again, see [`is_still_below`].
    #[inline(always)]
    pub(crate) unsafe fn new(data: *mut zend_execute_data) -> Option<Self> {
        Some(Self {
            data: NonNull::new(data)?,
            life: PhantomData,
        })
    }

    /// The frame of the running function; none if none runs.
    ///
    /// # Safety
    ///
    /// PHP must not run on for `'a`.
    pub(crate) unsafe fn current() -> Option<Self> {
        // SAFETY: this thread's globals; the caller's promise.
        unsafe { Self::new((*ffi::ext_php_rs_executor_globals()).current_execute_data) }
    }

    /// The frame's address.
    #[inline(always)]
    pub(crate) fn address(self) -> usize {
        self.data.as_ptr() as usize
    }

    pub(super) fn as_ptr(self) -> *mut zend_execute_data {
        self.data.as_ptr()
    }

    #[inline(always)]
    fn read(self) -> &'a zend_execute_data {
        // SAFETY: `new`'s caller promised a frame.
        unsafe { self.data.as_ref() }
    }

    /// The caller's frame; none for the outermost one.
    #[inline(always)]
    pub(crate) fn caller(self) -> Option<Self> {
        // SAFETY: the engine keeps the callers of a frame.
        unsafe { Self::new(self.read().prev_execute_data) }
    }

    /// The function's address; null for a dummy frame.
    #[inline(always)]
    pub(crate) fn function_address(self) -> *const zend_function {
        self.read().func
    }

    /// The function; none for a dummy frame.
    pub(super) fn function(self) -> Option<Function<'a>> {
        let function = self.read().func;
        // SAFETY: a frame's function lives as long as the frame.
        (!function.is_null()).then(|| unsafe { Function::new(function) })
    }

    /// The instruction that runs, if the function is PHP code.
    #[inline(always)]
    pub(crate) fn opline(self) -> *const zend_op {
        self.read().opline
    }

    /// The function's run-time cache, if it is PHP code.
    #[cfg(property_hooks)]
    pub(super) fn run_time_cache(self) -> *mut *mut std::ffi::c_void {
        self.read().run_time_cache
    }

    #[inline(always)]
    fn call_info(self) -> u32 {
        // SAFETY: `This.u1` holds the call info of every frame.
        unsafe { self.read().This.u1.type_info }
    }

    /// Whether the call was made from C: a callback, a destructor, a generator.
    #[inline(always)]
    pub(crate) fn is_from_c(self) -> bool {
        self.call_info() & ZEND_CALL_TOP != 0
    }

    /// Whether this is a generator's own frame, which is not on PHP's VM stack.
    #[inline(always)]
    pub(crate) fn is_generator(self) -> bool {
        self.call_info() & ZEND_CALL_GENERATOR != 0
    }

    fn generator(self) -> Option<*const Generator> {
        // A generator's frame returns into it.
        let generator = self.read().return_value.cast_const().cast();
        self.is_generator().then_some(generator)
    }

    /// Whether the frame runs PHP code, and not an internal function.
    pub(crate) fn runs_php(self) -> bool {
        self.function()
            .is_some_and(|function| function.kind() == FunctionKind::User)
    }

    /// Whether the frame runs the destructor of a class.
    pub(crate) fn runs_destructor(self) -> bool {
        let function = self.read().func;
        // SAFETY: a frame's function lives as long as the frame; a class outlives
        // its methods.
        unsafe {
            let class = match function.as_ref() {
                Some(function) => function.common.scope,
                None => return false,
            };
            !class.is_null() && (*class).destructor == function
        }
    }

    /// Whether the frame is a generator's, and runs because that is destroyed.
    pub(crate) fn is_closing(self) -> bool {
        self.generator().is_some_and(|generator| {
            // SAFETY: a generator outlives its frame.
            let flags = unsafe { (*generator).std.gc.u.type_info };
            flags & IS_OBJ_DESTRUCTOR_CALLED != 0
        })
    }

    /// Whether the frame, whose end is reported, is a generator's that yields.
    #[inline(always)]
    pub(crate) fn is_yielding(self) -> bool {
        self.generator().is_some_and(|generator| {
            // SAFETY: as in `is_closing`; the globals are this thread's.
            unsafe {
                let has_returned = (*generator).retval.u1.type_info != ffi::IS_UNDEF;
                !has_returned && (*ffi::ext_php_rs_executor_globals()).exception.is_null()
            }
        })
    }

    /// Whether a frame that is being left releases the object of its method already.
    pub(crate) fn releases_its_object(self) -> bool {
        if self.call_info() & ZEND_CALL_RELEASE_THIS == 0 {
            return false;
        }
        // SAFETY: with this flag `This` is an object that is freed only after it has
        // been released.
        let flags = unsafe { (*self.read().This.value.obj).gc.u.type_info };
        flags & (IS_OBJ_DESTRUCTOR_CALLED | IS_OBJ_FREE_CALLED) != 0
    }

    /// This frame, its caller, and so on, with dummy frames.
    pub(crate) fn and_callers(self) -> Callers<'a> {
        Callers {
            next: Some(self),
            remembered: None,
            steps: 0,
            limit: 64,
        }
    }
}

/// The address range of the first page of this thread's VM stack, which holds the
/// outermost frames and lives until the request ends. Empty once something runs,
/// because a fiber's VM stack may be current then.
pub(crate) fn first_frames() -> Range<usize> {
    // SAFETY: this thread's globals; a page begins with what it says of itself.
    unsafe {
        let executor = ffi::ext_php_rs_executor_globals();
        let page = (*executor).vm_stack;
        if page.is_null() || !(*executor).current_execute_data.is_null() {
            return 0..0;
        }
        page as usize..(*page).end as usize
    }
}

/// Whether a function runs, and it is none of this extension's.
pub(crate) fn runs_others_code() -> bool {
    // SAFETY: PHP does not run on until the end of this function.
    let current = unsafe { Frame::current() };
    let function = current.and_then(Frame::function);
    function.is_some_and(|function| !function.is_ours())
}

/// A frame, its caller, and so on.
///
/// The frames can form a cycle: `throw()` into a running generator causes one
/// (seen in PHP 8.2). PHP's own backtrace then runs into the memory limit; this
/// iterator stops. It finds cycles by Brent's algorithm.
pub(crate) struct Callers<'a> {
    next: Option<Frame<'a>>,
    remembered: Option<Frame<'a>>,
    steps: u32,
    limit: u32,
}

impl<'a> Iterator for Callers<'a> {
    type Item = Frame<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let frame = self.next?;
        if Some(frame) == self.remembered {
            return None;
        }
        self.steps += 1;
        if self.steps == self.limit {
            self.remembered = Some(frame);
            self.steps = 0;
            self.limit = self.limit.saturating_mul(2);
        }
        self.next = frame.caller();
        Some(frame)
    }
}

/// Whether the frame at an address, which may have been popped, is still on PHP's VM
/// stack below `call`, the frame that was pushed last.
///
/// If so, the address holds either that frame, or one pushed since.
pub(crate) fn is_still_below(frame: usize, call: usize) -> bool {
    // SAFETY: this thread's globals; the pages of its VM stack live, and each
    // begins with a header of this type.
    unsafe {
        let executor = &*ffi::ext_php_rs_executor_globals();
        let mut page = executor.vm_stack;
        // A generator's frame is not on the VM stack: compare with its top.
        let is_on_page = call > page as usize && call < executor.vm_stack_end as usize;
        let mut top = if is_on_page {
            call
        } else {
            executor.vm_stack_top as usize
        };
        while !page.is_null() {
            if frame > page as usize && frame < (*page).end as usize {
                return frame < top;
            }
            page = (*page).prev;
            if !page.is_null() {
                top = (*page).top as usize;
            }
        }
    }
    false
}

/// Whether `opline` is one of the engine's `exception_op`.
pub(crate) fn is_exception_opline(opline: *const zend_op) -> bool {
    // SAFETY: this thread's globals.
    let operations = unsafe { &(*ffi::ext_php_rs_executor_globals()).exception_op };
    operations.as_ptr_range().contains(&opline)
}
