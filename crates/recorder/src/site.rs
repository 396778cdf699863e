//! The call site, as the engine sees it.
//!
//! Exits are not guaranteed: a fatal error (bailout) skips frames. So each
//! frame has a *mark*, and the next call decides for each open frame whether it
//! still exists.

/// What an open frame is known by. Marks of calls are addresses of the program, with or
/// without flags, and those are in the lower half of all numbers. The recorder's own marks
/// are in the upper half, and nobody else can make them: the two never meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark(usize);

impl Mark {
    /// The mark of the bottom of every stack, which always exists.
    pub const BOTTOM: Self = Self(usize::MAX);
    /// The mark of the frame on top during a pause.
    pub(crate) const PAUSE: Self = Self(usize::MAX - 1);

    /// The mark of the call with that address.
    #[inline(always)]
    #[must_use]
    pub fn of_call(address: usize) -> Self {
        debug_assert!(
            address <= usize::MAX / 2,
            "an address of the program is in the lower half"
        );
        Self(address)
    }

    /// Its number: of a call's mark the address.
    #[inline(always)]
    #[must_use]
    pub fn number(self) -> usize {
        self.0
    }
}

/// A call that begins, as its engine reports it.
pub trait CallSite {
    /// What its frame is known by: [`Recorder::end_marked`] wants it again.
    ///
    /// [`Recorder::end_marked`]: crate::Recorder::end_marked
    fn mark(&self) -> Mark;

    /// Whether a frame marked `open` no longer exists, now that this call
    /// begins. The bottom of a stack, [`Mark::BOTTOM`], always exists.
    fn is_stale(&self, open: Mark) -> bool;
}

/// A call on the C stack, at that address: callees have lower addresses than
/// their callers, and frames at or below a new call's address have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackAddress(pub usize);

impl CallSite for StackAddress {
    #[inline(always)]
    fn mark(&self) -> Mark {
        Mark::of_call(self.0)
    }

    #[inline(always)]
    fn is_stale(&self, open: Mark) -> bool {
        open.number() <= self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_calls_are_none_of_the_recorders() {
        for address in [0, 2, usize::MAX / 2] {
            let mark = Mark::of_call(address);
            assert!(mark != Mark::BOTTOM && mark != Mark::PAUSE);
            assert_eq!(mark.number(), address);
        }
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "lower half")]
    fn the_upper_half_is_no_address() {
        Mark::of_call(usize::MAX / 2 + 1);
    }
}
