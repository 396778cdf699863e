//! Where a call comes from, as far as its engine can tell.
//!
//! Leaving is not promised: a fatal error jumps over our frames. So each frame
//! keeps a *mark*, and the next call says of the frames it finds open whether
//! they can still be there.

/// A call that begins, seen by the engine that reports it.
pub trait CallSite {
    /// What its frame is known by: [`Recorder::end_marked`] wants it again.
    ///
    /// [`Recorder::end_marked`]: crate::Recorder::end_marked
    fn mark(&self) -> usize;

    /// Whether a frame marked `open` can no longer be there, now that this
    /// call begins. The bottom of a stack, marked `usize::MAX`, always is.
    fn is_stale(&self, open: usize) -> bool;

    /// Whether this call was made by the frame marked `ended`, whose end has
    /// been reported already.
    ///
    /// For engines that report an end before the call's variables are
    /// destroyed: a destructor that runs then is still the function's callee.
    fn is_made_by_ended(&self, ended: usize) -> bool {
        let _ = ended;
        false
    }
}

/// A call on the C stack, at that address: callees are below their callers,
/// and what is at or below a new call's address is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackAddress(pub usize);

impl CallSite for StackAddress {
    #[inline(always)]
    fn mark(&self) -> usize {
        self.0
    }

    #[inline(always)]
    fn is_stale(&self, open: usize) -> bool {
        open <= self.0
    }
}
