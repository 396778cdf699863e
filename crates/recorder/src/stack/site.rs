//! The call site, as the engine sees it.
//!
//! Exits are not guaranteed: a fatal error (bailout) skips frames. So each
//! frame has a *mark*, and the next call decides for each open frame whether it
//! still exists.

use profile::CallLine;

use crate::SymbolId;

/// A call that begins, as its engine reports it.
pub trait CallSite {
    /// What its frame is known by, see [`Token`](crate::Token).
    fn mark(&self) -> usize;

    /// Whether a frame marked `open` no longer exists, now that this call
    /// begins. The bottom of a stack, marked `usize::MAX`, always exists.
    fn is_stale(&self, open: usize) -> bool;

    /// The line that the recorded caller, a function with that symbol, calls from; only
    /// plans with [`LINES`](crate::Plan::LINES) ask.
    fn line(&self, _caller: SymbolId) -> CallLine {
        CallLine::UNKNOWN
    }
}

/// A call on the C stack, at that address: callees have lower addresses than
/// their callers, and frames at or below a new call's address have ended.
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
