//! How each engine identifies frames, and detects frames that a bailout removed.

use std::cell::Cell;

use ext_php_rs::ffi::{zend_execute_data, zend_function, zend_op};
use recorder::{CallSite, Recorder, StackAddress};

use crate::zend::per_thread::per_thread;
use crate::zend::{self, stack};

/// A way of marking frames.
pub(super) trait Marks {
    /// What the engine knows of a call.
    type Site: CallSite + 'static;

    /// Whether the engine reports a function's end before its variables are
    /// destroyed.
    const ENDS_EARLY: bool;

    /// The call whose frame is `data`.
    fn site(data: *mut zend_execute_data) -> Self::Site;

    /// Something without a frame of its own, called by the current function.
    fn site_now() -> Self::Site;
}

/// By the address on the C stack: in the *execute* engine every PHP call is a
/// C call.
pub(super) struct ByStack;

impl Marks for ByStack {
    type Site = StackAddress;

    const ENDS_EARLY: bool = false;

    #[inline(always)]
    fn site(_data: *mut zend_execute_data) -> StackAddress {
        StackAddress(stack::address())
    }

    #[inline(always)]
    fn site_now() -> StackAddress {
        StackAddress(stack::address())
    }
}

/// By the address of PHP's own frame: in the *observer* engine calls are not C
/// calls, but each PHP frame points to its caller's.
pub(super) struct ByChain;

/// A call as PHP's frames know it.
pub(super) struct ChainedCall {
    mark: usize,
    /// The caller's frame.
    caller: *const zend_execute_data,
}

// Flags in a mark. Frames are aligned to 16 bytes, and the recorder itself
// uses the lowest bit.
const FLAGS: usize = 0b1111;
/// The call has no frame of its own; the address is its caller's.
const NO_FRAME: usize = 0b0010;
/// The call was made from C: a callback, a destructor, a generator.
const FROM_C: usize = 0b0100;
/// The frame is a generator's, which is not on PHP's stack.
const GENERATOR: usize = 0b1000;

/// How many frames up a recorded caller is searched. Only functions that are not
/// recorded are in between; an unbounded search would make deep recursion of such
/// functions slow.
const MAX_SKIPPED_FRAMES: usize = 64;

/// The call that ended last, and its call site: the caller's frame and opline.
#[derive(Clone, Copy)]
struct Ended {
    frame: *const zend_execute_data,
    function: *const zend_function,
    caller: *const zend_execute_data,
    caller_function: *const zend_function,
    opline: *const zend_op,
    /// Whether the call ended for good, and not by `yield`.
    leaves: bool,
}

per_thread! {
    static ENDED: Cell<Ended> = Cell::new(Ended {
        frame: std::ptr::null(),
        function: std::ptr::null(),
        caller: std::ptr::null(),
        caller_function: std::ptr::null(),
        opline: std::ptr::null(),
        leaves: false,
    });
}

impl Marks for ByChain {
    type Site = ChainedCall;

    const ENDS_EARLY: bool = true;

    #[inline(always)]
    fn site(data: *mut zend_execute_data) -> ChainedCall {
        ChainedCall {
            mark: mark(data),
            caller: caller_of(data),
        }
    }

    fn site_now() -> ChainedCall {
        let caller = zend::current_frame();
        ChainedCall {
            mark: caller as usize | NO_FRAME,
            caller,
        }
    }
}

/// The mark of the call whose frame is `data`.
#[inline(always)]
pub(super) fn mark(data: *mut zend_execute_data) -> usize {
    // SAFETY: the engine passes a live frame to its hooks and observers.
    let info = unsafe { (*data).This.u1.type_info };
    if info & zend::bindings::ZEND_CALL_TOP == 0 {
        return data as usize;
    }
    let generator = if info & zend::bindings::ZEND_CALL_GENERATOR == 0 {
        0
    } else {
        GENERATOR
    };
    data as usize | FROM_C | generator
}

/// Saves the call site of a call that ends, for
/// [`is_made_by_ended`](CallSite::is_made_by_ended).
#[inline(always)]
pub(super) fn note_end(data: *mut zend_execute_data) {
    let caller = caller_of(data);
    let (caller_function, opline): (*const zend_function, _) = if caller.is_null() {
        (std::ptr::null(), std::ptr::null())
    } else {
        // SAFETY: a live frame's caller is alive.
        unsafe { ((*caller).func, (*caller).opline) }
    };
    ENDED.get().set(Ended {
        frame: data,
        // SAFETY: a live frame has its function.
        function: unsafe { (*data).func },
        caller,
        caller_function,
        opline,
        leaves: !zend::is_yielding(data),
    });
}

impl CallSite for ChainedCall {
    #[inline(always)]
    fn mark(&self) -> usize {
        self.mark
    }

    #[inline(always)]
    fn is_stale(&self, open: usize) -> bool {
        // Nearly always the open frame is the caller itself.
        let frame = open & !FLAGS;
        self.caller as usize != frame && open != Recorder::BASE_MARK && !self.is_far_caller(frame)
    }

    /// PHP destroys a function's variables when `current_execute_data` is its
    /// caller's again. At that time the caller's opline is still the call, and the
    /// function's frame is still on PHP's stack. So calls from C, that is
    /// destructors and ending generators, come from the function that is being
    /// left. A generator's frame is not on that stack; there only the opline and
    /// the kind of the call decide.
    ///
    /// The object of a method call is released last. Its destructor is called by
    /// the caller, as in the *execute* engine.
    fn is_made_by_ended(&self, ended: usize) -> bool {
        let last = ENDED.get().get();
        if self.mark & FROM_C == 0 && self.caller == last.caller {
            return false;
        }
        let frame = (ended & !FLAGS) as *const zend_execute_data;
        let is_on_stack = ended & GENERATOR == 0;
        let this = (self.mark & !FLAGS) as *const zend_execute_data;
        if is_on_stack && !zend::is_still_below(frame, this) {
            return false;
        }
        let is_second = last.caller == frame;
        let left_to = if is_second && is_on_stack {
            caller_of(frame)
        } else {
            last.caller
        };
        let Some(call) = self.called_by(left_to, frame) else {
            return false;
        };
        let call_mark = mark(call);
        if call_mark & FROM_C == 0 {
            return false;
        }
        let caller = caller_of(call);
        // Another function's frame may have the same address.
        let caller_function: *const zend_function = if caller.is_null() {
            std::ptr::null()
        } else {
            // SAFETY: a live frame's caller is alive, and has a function or none.
            unsafe { (*caller).func }
        };
        if caller == frame {
            // A temporary freed by an exception, or an unused return value.
            let is_itself = is_second && last.caller_function == caller_function
                || last.frame == frame && last.function == caller_function;
            return is_itself && zend::runs_php(caller);
        }
        if is_on_stack && !zend::is_still_below(frame, call) {
            return false;
        }
        let destroys = if call_mark & GENERATOR == 0 {
            zend::runs_destructor(call)
        } else {
            zend::is_closing(call)
        };
        if is_second {
            return is_on_stack && destroys && !zend::releases_its_object(frame);
        }
        if caller != last.caller || caller_function != last.caller_function || !last.leaves {
            return false;
        }
        if !caller.is_null() && zend::runs_php(caller) {
            // SAFETY: the caller of a live frame.
            let opline = unsafe { (*caller).opline };
            let has_thrown = is_on_stack && zend::is_exception_opline(opline);
            if opline != last.opline && !has_thrown {
                return false;
            }
            if !destroys && (!is_on_stack || call_mark & GENERATOR != 0) {
                return false;
            }
        } else if !destroys {
            return false;
        }
        !is_on_stack || !zend::releases_its_object(frame)
    }
}

impl ChainedCall {
    /// The ancestor of this call, or the call itself, that one of two frames made.
    /// The calls in between are not recorded.
    fn called_by(
        &self,
        one: *const zend_execute_data,
        other: *const zend_execute_data,
    ) -> Option<*mut zend_execute_data> {
        let mut call = (self.mark & !FLAGS) as *mut zend_execute_data;
        if self.mark & NO_FRAME != 0 {
            return None;
        }
        let mut caller: *const zend_execute_data = self.caller;
        for _ in 0..MAX_SKIPPED_FRAMES {
            if caller == one || caller == other {
                return Some(call);
            }
            if caller.is_null() {
                return None;
            }
            call = caller.cast_mut();
            caller = caller_of(call);
        }
        None
    }

    #[cold]
    #[inline(never)]
    fn is_far_caller(&self, open: usize) -> bool {
        let mut frame = self.caller;
        for _ in 0..MAX_SKIPPED_FRAMES {
            if frame.is_null() {
                return false;
            }
            if frame as usize == open {
                return true;
            }
            frame = caller_of(frame);
        }
        // After a bailout few frames are open, so with many there was none.
        true
    }
}

#[inline(always)]
fn caller_of(frame: *const zend_execute_data) -> *const zend_execute_data {
    // SAFETY: the engine keeps the callers of a live frame alive.
    unsafe { (*frame).prev_execute_data }
}
