//! How each engine tells its frames apart, and which of them cannot be there
//! any more after a fatal error jumped over them.

use std::cell::Cell;

use ext_php_rs::ffi::{zend_execute_data, zend_op};
use recorder::{CallSite, Recorder, StackAddress};

use crate::zend::per_thread::per_thread;
use crate::zend::{self, stack};

/// A way of marking frames.
pub(super) trait Marks {
    /// What the engine knows of a call.
    type Site: CallSite + 'static;

    /// The engine reports ends before variables are destroyed.
    const ENDS_EARLY: bool;

    /// The call whose frame is `data`.
    fn site(data: *mut zend_execute_data) -> Self::Site;

    /// Something that runs in the function that is running now, and has no
    /// frame of its own.
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

/// By the address of PHP's own frame: the observer sees calls that are no C
/// calls, but each PHP frame knows its caller's.
pub(super) struct ByChain;

/// A call as PHP's frames know it.
pub(super) struct ChainedCall {
    mark: usize,
    /// The first frame that can be its caller.
    caller: *const zend_execute_data,
}

// Flags in a mark. Frames are aligned to 16 bytes, and the recorder itself
// uses the lowest bit.
const FLAGS: usize = 0b1111;
/// It has no frame of its own; the address is its caller's.
const NO_FRAME: usize = 0b0010;
/// It was called from C: a callback, a destructor, a generator.
const FROM_C: usize = 0b0100;
/// It is an object's destructor.
const DESTRUCTOR: usize = 0b1000;

/// Where the call that ended last was called from: the caller's frame, and
/// where the caller stood.
#[derive(Clone, Copy)]
struct Ended {
    caller: *const zend_execute_data,
    opline: *const zend_op,
}

per_thread! {
    static ENDED: Cell<Ended> = Cell::new(Ended {
        caller: std::ptr::null(),
        opline: std::ptr::null(),
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
    // SAFETY: the engine hands its hooks and observers a live frame.
    let info = unsafe { (*data).This.u1.type_info };
    if info & zend::bindings::ZEND_CALL_TOP == 0 {
        return data as usize;
    }
    let destructor = if zend::runs_destructor(data) {
        DESTRUCTOR
    } else {
        0
    };
    data as usize | FROM_C | destructor
}

/// Notes where a call that ends was called from, for
/// [`is_made_by_ended`](CallSite::is_made_by_ended).
#[inline(always)]
pub(super) fn note_end(data: *mut zend_execute_data) {
    let caller = caller_of(data);
    let opline = if caller.is_null() {
        std::ptr::null()
    } else {
        // SAFETY: a live frame's caller is alive.
        unsafe { (*caller).opline }
    };
    ENDED.get().set(Ended { caller, opline });
}

impl CallSite for ChainedCall {
    #[inline(always)]
    fn mark(&self) -> usize {
        self.mark
    }

    #[inline(always)]
    fn is_stale(&self, open: usize) -> bool {
        // Nearly always it is the very next one.
        let frame = open & !FLAGS;
        self.caller as usize != frame && open != Recorder::BASE_MARK && !self.is_far_caller(frame)
    }

    /// A function's variables are destroyed when PHP's current frame is its
    /// caller's again. But the caller still stands at the instruction that made
    /// the call; and what comes from C while it stands there, destructors and
    /// generators that end, comes from the function that is being left.
    ///
    /// A caller written in C stands nowhere. There a destructor after a
    /// callback is taken for one of the callback's variables.
    fn is_made_by_ended(&self, ended: usize) -> bool {
        let last = ENDED.get().get();
        if self.mark & FROM_C == 0 || self.caller.is_null() || self.caller != last.caller {
            return false;
        }
        if zend::runs_php(self.caller) {
            // SAFETY: the caller of a live frame.
            let opline = unsafe { (*self.caller).opline };
            ended & FROM_C == 0 && (opline == last.opline || zend::is_exception_opline(opline))
        } else {
            ended & FROM_C != 0 && ended & DESTRUCTOR == 0 && self.mark & DESTRUCTOR != 0
        }
    }
}

impl ChainedCall {
    #[cold]
    #[inline(never)]
    fn is_far_caller(&self, open: usize) -> bool {
        let mut frame = self.caller;
        while !frame.is_null() {
            if frame as usize == open {
                return true;
            }
            frame = caller_of(frame);
        }
        false
    }
}

#[inline(always)]
fn caller_of(frame: *const zend_execute_data) -> *const zend_execute_data {
    // SAFETY: the engine keeps the callers of a live frame alive.
    unsafe { (*frame).prev_execute_data }
}
