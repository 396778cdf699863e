//! How each engine identifies frames, and detects frames that a bailout removed.

use std::cell::Cell;

use ext_php_rs::ffi::{zend_execute_data, zend_function, zend_op};
use policy::ended::{CallFromC, EndedFrame, Place, is_made_by_ended};
use recorder::{CallSite, Recorder, StackAddress};

use crate::zend::per_thread::per_thread;
use crate::zend::{self, Call, Frame, stack};

/// A way of marking frames.
pub(super) trait Marks {
    /// What the engine knows of a call.
    type Site<'a>: CallSite;

    /// Whether the engine reports a function's end before its variables are
    /// destroyed.
    const ENDS_EARLY: bool;

    /// The site of a call.
    fn site(call: Call<'_>) -> Self::Site<'_>;

    /// Calls `act` with the site of something without a frame of its own, called by
    /// the current function.
    fn with_site_now<R>(act: impl FnOnce(Self::Site<'_>) -> R) -> R;
}

/// By the address on the C stack: in the *execute* engine every PHP call is a
/// C call.
pub(super) struct ByStack;

impl Marks for ByStack {
    type Site<'a> = StackAddress;

    const ENDS_EARLY: bool = false;

    #[inline(always)]
    fn site(_call: Call<'_>) -> StackAddress {
        StackAddress(stack::address())
    }

    #[inline(always)]
    fn with_site_now<R>(act: impl FnOnce(StackAddress) -> R) -> R {
        act(StackAddress(stack::address()))
    }
}

/// By the address of PHP's own frame: in the *observer* engine calls are not C
/// calls, but each PHP frame points to its caller's.
pub(super) struct ByChain;

/// A call as PHP's frames know it.
pub(super) struct ChainedCall<'a> {
    mark: usize,
    /// The call's own frame; none if it has none.
    frame: Option<Frame<'a>>,
    /// The caller's frame.
    caller: Option<Frame<'a>>,
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

/// The call that ended last, and its call site: the caller's frame and opline. Only
/// addresses, which are compared.
#[derive(Clone, Copy)]
struct Ended {
    frame: usize,
    function: *const zend_function,
    caller: usize,
    caller_function: *const zend_function,
    opline: *const zend_op,
    /// Whether the call ended for good, and not by `yield`.
    leaves: bool,
}

per_thread! {
    static ENDED: Cell<Ended> = Cell::new(Ended {
        frame: 0,
        function: std::ptr::null(),
        caller: 0,
        caller_function: std::ptr::null(),
        opline: std::ptr::null(),
        leaves: false,
    });
}

impl Marks for ByChain {
    type Site<'a> = ChainedCall<'a>;

    const ENDS_EARLY: bool = true;

    #[inline(always)]
    fn site(call: Call<'_>) -> ChainedCall<'_> {
        let frame = call.frame();
        ChainedCall {
            mark: mark(frame),
            frame: Some(frame),
            caller: frame.caller(),
        }
    }

    fn with_site_now<R>(act: impl FnOnce(ChainedCall<'_>) -> R) -> R {
        // SAFETY: PHP does not run until `act` has returned: it belongs to the
        // recorder, which knows no PHP.
        let caller = unsafe { Frame::current() };
        act(ChainedCall {
            mark: address(caller) | NO_FRAME,
            frame: None,
            caller,
        })
    }
}

/// The mark of the call with that frame.
#[inline(always)]
pub(super) fn mark(frame: Frame<'_>) -> usize {
    if !frame.is_from_c() {
        return frame.address();
    }
    let generator = if frame.is_generator() { GENERATOR } else { 0 };
    frame.address() | FROM_C | generator
}

/// Zero if there is no frame.
#[inline(always)]
fn address(frame: Option<Frame<'_>>) -> usize {
    frame.map_or(0, Frame::address)
}

/// Null if there is no frame, or a dummy frame.
#[inline(always)]
fn function_of(frame: Option<Frame<'_>>) -> *const zend_function {
    frame.map_or(std::ptr::null(), Frame::function_address)
}

/// Saves the call site of a call that ends, for
/// [`is_made_by_ended`](CallSite::is_made_by_ended).
#[inline(always)]
pub(super) fn note_end(call: Call<'_>) {
    let frame = call.frame();
    let caller = frame.caller();
    let (caller_function, opline) = match caller {
        Some(caller) => (caller.function_address(), caller.opline()),
        None => (std::ptr::null(), std::ptr::null()),
    };
    ENDED.get().set(Ended {
        frame: frame.address(),
        function: frame.function_address(),
        caller: address(caller),
        caller_function,
        opline,
        leaves: !frame.is_yielding(),
    });
}

impl Ended {
    /// Where PHP is at a call from C, after the function with its frame at `ended`.
    fn place(&self, ended: usize, on_stack: Option<Frame<'_>>, call: Frame<'_>) -> Place {
        let caller = call.caller();
        // Another function's frame may have the same address.
        let function = function_of(caller);
        let runs_php = caller.filter(|caller| caller.runs_php());
        let is_second = self.caller == ended;
        if address(caller) == ended {
            let is_itself = is_second && self.caller_function == function
                || self.frame == ended && self.function == function;
            return match runs_php {
                Some(_) if is_itself => Place::Itself,
                _ => Place::Elsewhere,
            };
        }
        if on_stack.is_some() && !zend::is_still_below(ended, call.address()) {
            return Place::Elsewhere;
        }
        if is_second {
            return Place::AfterItsDestructor;
        }
        let is_its_caller = address(caller) == self.caller && function == self.caller_function;
        if !is_its_caller || !self.leaves {
            return Place::Elsewhere;
        }
        match runs_php.map(Frame::opline) {
            None => Place::InC,
            Some(opline) if opline == self.opline => Place::AtItsCall,
            Some(opline) if zend::is_exception_opline(opline) => Place::AtException,
            Some(_) => Place::Elsewhere,
        }
    }
}

impl CallSite for ChainedCall<'_> {
    #[inline(always)]
    fn mark(&self) -> usize {
        self.mark
    }

    #[inline(always)]
    fn is_stale(&self, open: usize) -> bool {
        // Nearly always the open frame is the caller itself.
        let frame = open & !FLAGS;
        address(self.caller) != frame && open != Recorder::BASE_MARK && !self.is_far_caller(frame)
    }

    /// See [`policy::ended`] for the rule.
    fn is_made_by_ended(&self, ended: usize) -> bool {
        let last = ENDED.get().get();
        if self.mark & FROM_C == 0 && address(self.caller) == last.caller {
            return false;
        }
        let place = ended & !FLAGS;
        if ended & GENERATOR != 0 {
            return self.is_made_by(&last, place, None);
        }
        if !zend::is_still_below(place, self.mark & !FLAGS) {
            return false;
        }
        // SAFETY: a frame on PHP's stack below the new call can be read, even if its
        // call has ended, until PHP pushes another one.
        let frame = unsafe { Frame::new(place as *mut zend_execute_data) };
        frame.is_some() && self.is_made_by(&last, place, frame)
    }
}

impl<'a> ChainedCall<'a> {
    /// Whether the function that had its frame at `ended` makes the call. `on_stack`
    /// is that frame, if it is on PHP's stack.
    fn is_made_by(&self, last: &Ended, ended: usize, on_stack: Option<Frame<'_>>) -> bool {
        // A destructor that it called has ended since.
        let is_second = last.caller == ended;
        let left_to = match on_stack {
            Some(frame) if is_second => address(frame.caller()),
            _ => last.caller,
        };
        let Some(call) = self.called_by(left_to, ended) else {
            return false;
        };
        let call_mark = mark(call);
        if call_mark & FROM_C == 0 {
            return false;
        }
        let is_generator = call_mark & GENERATOR != 0;
        let destroys = if is_generator {
            call.is_closing()
        } else {
            call.runs_destructor()
        };
        let kind = match (destroys, is_generator) {
            (true, _) => CallFromC::Destroys,
            (false, false) => CallFromC::Function,
            (false, true) => CallFromC::Generator,
        };
        let frame = on_stack.map_or(EndedFrame::OfGenerator, |frame| EndedFrame::OnStack {
            releases_its_object: frame.releases_its_object(),
        });
        is_made_by_ended(frame, last.place(ended, on_stack, call), kind)
    }

    /// The ancestor of this call, or the call itself, that the function of one of
    /// two frames made. The calls in between are not recorded.
    fn called_by(&self, one: usize, other: usize) -> Option<Frame<'a>> {
        let mut call = self.frame?;
        for _ in 0..MAX_SKIPPED_FRAMES {
            let caller = call.caller();
            let caller_address = address(caller);
            if caller_address == one || caller_address == other {
                return Some(call);
            }
            call = caller?;
        }
        None
    }

    #[cold]
    #[inline(never)]
    fn is_far_caller(&self, open: usize) -> bool {
        let mut frame = self.caller;
        for _ in 0..MAX_SKIPPED_FRAMES {
            let Some(ancestor) = frame else { return false };
            if ancestor.address() == open {
                return true;
            }
            frame = ancestor.caller();
        }
        // After a bailout few frames are open, so with many there was none.
        true
    }
}
