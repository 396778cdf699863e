//! How each engine identifies frames, and detects frames that a bailout removed.

use recorder::{CallLine, CallSite, Recorder, StackAddress, SymbolId, Token};

use super::call_line::call_line;
use crate::zend::{Call, Frame, stack};

/// A way of marking frames.
pub(in crate::engine) trait Marks {
    /// What the engine knows of a call.
    type Site<'a>: CallSite;

    /// Whether the engine reports a function's end before its variables are
    /// destroyed.
    const ENDS_EARLY: bool;

    /// The site of a call.
    fn site(call: Call<'_>) -> Self::Site<'_>;

    /// Calls `act` with the site of something without a frame of its own, called by
    /// the current function.
    ///
    /// # Safety
    ///
    /// PHP must not run before `act` has returned: it may free the current frame.
    unsafe fn with_site_now<R>(act: impl FnOnce(Self::Site<'_>) -> R) -> R;
}

/// By the address on the C stack: in the *execute* engine every PHP call is a
/// C call.
pub(in crate::engine) struct ByStack;

/// A call on the C stack.
pub(in crate::engine) struct StackedCall<'a> {
    address: StackAddress,
    /// The caller's frame.
    caller: Option<Frame<'a>>,
}

impl CallSite for StackedCall<'_> {
    #[inline(always)]
    fn mark(&self) -> usize {
        self.address.mark()
    }

    #[inline(always)]
    fn is_stale(&self, open: usize) -> bool {
        self.address.is_stale(open)
    }

    #[inline(always)]
    fn line(&self, caller: SymbolId) -> CallLine {
        call_line(self.caller, caller)
    }
}

impl Marks for ByStack {
    type Site<'a> = StackedCall<'a>;

    const ENDS_EARLY: bool = false;

    #[inline(always)]
    fn site(call: Call<'_>) -> StackedCall<'_> {
        StackedCall {
            address: StackAddress(stack::address()),
            caller: call.frame().caller(),
        }
    }

    #[inline(always)]
    unsafe fn with_site_now<R>(act: impl FnOnce(StackedCall<'_>) -> R) -> R {
        // SAFETY: the caller's promise.
        let caller = unsafe { Frame::current() };
        act(StackedCall {
            address: StackAddress(stack::address()),
            caller,
        })
    }
}

/// By the address of PHP's own frame: in the *observer* engine calls are not C
/// calls, but each PHP frame points to its caller's.
pub(in crate::engine) struct ByChain;

/// A call as PHP's frames know it.
pub(in crate::engine) struct ChainedCall<'a> {
    mark: usize,
    /// The caller's frame.
    caller: Option<Frame<'a>>,
}

/// A flag in a mark: the call has no frame of its own, and the address is its
/// caller's. Frames are aligned to 16 bytes.
const NO_FRAME: usize = 0b0010;

/// How many frames up a recorded caller is searched. Only functions that are not
/// recorded are in between, or a function that has ended and destroys its variables;
/// an unbounded search would make deep recursion of such functions slow.
const MAX_SKIPPED_FRAMES: usize = 64;

impl Marks for ByChain {
    type Site<'a> = ChainedCall<'a>;

    const ENDS_EARLY: bool = true;

    #[inline(always)]
    fn site(call: Call<'_>) -> ChainedCall<'_> {
        let frame = call.frame();
        ChainedCall {
            mark: mark(frame),
            caller: frame.caller(),
        }
    }

    unsafe fn with_site_now<R>(act: impl FnOnce(ChainedCall<'_>) -> R) -> R {
        // SAFETY: the caller's promise.
        let caller = unsafe { Frame::current() };
        act(ChainedCall {
            mark: address(caller) | NO_FRAME,
            caller,
        })
    }
}

/// The mark of the call with that frame, in the observer engine.
#[inline(always)]
pub(in crate::engine) fn mark(frame: Frame<'_>) -> usize {
    frame.address()
}

/// The token of that call, in the observer engine.
#[inline(always)]
pub(in crate::engine) fn token(call: Call<'_>) -> Token {
    Token::of_mark(mark(call.frame()))
}

/// Zero if there is no frame.
#[inline(always)]
fn address(frame: Option<Frame<'_>>) -> usize {
    frame.map_or(0, Frame::address)
}

impl CallSite for ChainedCall<'_> {
    #[inline(always)]
    fn mark(&self) -> usize {
        self.mark
    }

    #[inline(always)]
    fn is_stale(&self, open: usize) -> bool {
        // Nearly always the open frame is the caller itself.
        let frame = open & !NO_FRAME;
        address(self.caller) != frame && open != Recorder::BASE_MARK && !self.is_far_caller(frame)
    }

    #[inline(always)]
    fn line(&self, caller: SymbolId) -> CallLine {
        call_line(self.caller, caller)
    }
}

impl ChainedCall<'_> {
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
