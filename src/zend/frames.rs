//! PHP's own frames.

use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::NonNull;

use ext_php_rs::ffi::{self, zend_execute_data, zend_function};

use super::Function;

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
    /// callers.
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

    /// The address of the instruction that PHP has written down. It is any number if the function is
    /// internal, and may be under the JIT.
    #[inline(always)]
    pub(crate) fn opline_address(self) -> usize {
        self.read().opline.addr()
    }

    /// The instruction that runs, if the function is PHP code.
    #[cfg(property_hooks)]
    pub(super) fn opline(self) -> *const ext_php_rs::ffi::zend_op {
        self.read().opline
    }

    /// The function's run-time cache, if it is PHP code.
    #[cfg(property_hooks)]
    pub(super) fn run_time_cache(self) -> *mut *mut std::ffi::c_void {
        self.read().run_time_cache
    }

    /// Whether the frame runs PHP code, and not an internal function.
    #[cfg(property_hooks)]
    pub(super) fn runs_php(self) -> bool {
        self.function()
            .is_some_and(|function| function.kind() == super::FunctionKind::User)
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
