//! PHP's own frames.

use std::ops::Range;

use ext_php_rs::ffi::{self, zend_execute_data, zend_op};

use super::bindings::{
    Generator, IS_OBJ_DESTRUCTOR_CALLED, IS_OBJ_FREE_CALLED, ZEND_CALL_GENERATOR,
    ZEND_CALL_RELEASE_THIS,
};

/// The frame of the running function; null if none runs.
pub(crate) fn current_frame() -> *mut zend_execute_data {
    // SAFETY: this thread's globals.
    unsafe { (*ffi::ext_php_rs_executor_globals()).current_execute_data }
}

/// The address range of the first page of this thread's VM stack, which holds the
/// outermost frames and lives until the request ends. Must be called at RINIT;
/// empty once something runs, because a fiber's VM stack may be current then.
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

/// The open frames that have a function, the innermost first: in a fiber, also
/// those of its resumer. The caller must finish the iteration before PHP runs on.
pub(crate) fn open_frames() -> impl Iterator<Item = *mut zend_execute_data> {
    let chain = Callers::of(current_frame());
    // SAFETY: the frames are open. The engine's dummy frames have no function.
    chain.filter(|&frame| unsafe { !(*frame).func.is_null() })
}

/// A live frame, its caller, and so on, with dummy frames.
///
/// The frames can form a cycle: `throw()` into a running generator causes one
/// (seen in PHP 8.2). PHP's own backtrace then runs into the memory limit; this
/// iterator stops. It finds cycles by Brent's algorithm.
pub(super) struct Callers {
    next: *mut zend_execute_data,
    remembered: *mut zend_execute_data,
    steps: u32,
    limit: u32,
}

impl Callers {
    pub(super) fn of(frame: *mut zend_execute_data) -> Self {
        Self {
            next: frame,
            remembered: std::ptr::null_mut(),
            steps: 0,
            limit: 64,
        }
    }
}

impl Iterator for Callers {
    type Item = *mut zend_execute_data;

    fn next(&mut self) -> Option<Self::Item> {
        let frame = self.next;
        if frame.is_null() || frame == self.remembered {
            return None;
        }
        self.steps += 1;
        if self.steps == self.limit {
            self.remembered = frame;
            self.steps = 0;
            self.limit = self.limit.saturating_mul(2);
        }
        // SAFETY: the frame is open, and its callers are.
        self.next = unsafe { (*frame).prev_execute_data };
        Some(frame)
    }
}

/// Whether a live frame runs PHP code, and not an internal function.
pub(crate) fn runs_php(frame: *const zend_execute_data) -> bool {
    // SAFETY: the frame is live; the engine's own dummy frames have no function.
    unsafe {
        let function = (*frame).func;
        !function.is_null() && u32::from((*function).type_) != ffi::ZEND_INTERNAL_FUNCTION
    }
}

/// Whether `frame`, which may have been popped, is still on PHP's VM stack below
/// `call`, the live frame that was pushed last.
///
/// If so, the address holds either that frame, or one pushed since.
pub(crate) fn is_still_below(
    frame: *const zend_execute_data,
    call: *const zend_execute_data,
) -> bool {
    let (frame, call) = (frame as usize, call as usize);
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

/// Whether a frame that is being left already releases the object of its method.
/// The frame must still be on PHP's VM stack.
pub(crate) fn releases_its_object(frame: *const zend_execute_data) -> bool {
    // SAFETY: the frame is readable; with this flag its `This` is an object that
    // is freed only after it has been released.
    unsafe {
        let this = &(*frame).This;
        if this.u1.type_info & ZEND_CALL_RELEASE_THIS == 0 {
            return false;
        }
        let object = this.value.obj;
        (*object).gc.u.type_info & (IS_OBJ_DESTRUCTOR_CALLED | IS_OBJ_FREE_CALLED) != 0
    }
}

/// Whether a live frame runs the destructor of a class.
pub(crate) fn runs_destructor(frame: *const zend_execute_data) -> bool {
    // SAFETY: the frame is live and has its function; a class outlives its methods.
    unsafe {
        let function = (*frame).func;
        let class = (*function).common.scope;
        !class.is_null() && (*class).destructor == function
    }
}

/// Whether a generator's live frame runs because the generator is destroyed.
pub(crate) fn is_closing(frame: *const zend_execute_data) -> bool {
    // SAFETY: a generator's live frame returns into it.
    unsafe {
        let generator = (*frame).return_value.cast::<Generator>();
        (*generator).std.gc.u.type_info & IS_OBJ_DESTRUCTOR_CALLED != 0
    }
}

/// Whether a frame whose end is reported belongs to a generator that yields.
pub(crate) fn is_yielding(frame: *const zend_execute_data) -> bool {
    // SAFETY: the frame is live, and a generator's frame returns into it; the
    // globals are this thread's.
    unsafe {
        if (*frame).This.u1.type_info & ZEND_CALL_GENERATOR == 0 {
            return false;
        }
        let generator = (*frame).return_value.cast::<Generator>();
        let has_returned = (*generator).retval.u1.type_info != ffi::IS_UNDEF;
        !has_returned && (*ffi::ext_php_rs_executor_globals()).exception.is_null()
    }
}

/// Whether `opline` is one of the engine's `exception_op`.
pub(crate) fn is_exception_opline(opline: *const zend_op) -> bool {
    // SAFETY: this thread's globals.
    let operations = unsafe { &(*ffi::ext_php_rs_executor_globals()).exception_op };
    operations.as_ptr_range().contains(&opline)
}
