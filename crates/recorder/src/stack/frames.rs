//! Frames, and a stack of them whose growth is off the hot path.
//!
//! Every slot holds a frame, old or blank, so that a push only writes to a
//! slot. A plain `Vec` would inline its growth into every function that pushes;
//! here a push without a free slot takes the slow path. One check covers the
//! topmost frame, the slot above it, and the depth limit: the check requires
//! one more slot, and there are at most `limit` + 2.

use std::ops::{Deref, DerefMut};

use super::site::CallSite;
use crate::Reading;
use crate::table::Place;

/// One open call, in one line of the processor's cache.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Frame {
    /// Identifies the frame for its engine: a C stack address, below which are
    /// all callees, or the address of PHP's own frame.
    pub(crate) mark: usize,
    pub(crate) place: Place,
    pub(crate) start: Reading,
}

impl Frame {
    /// The mark of the bottom of every stack, which always exists.
    pub(crate) const BASE_MARK: usize = usize::MAX;

    /// The bottom of a stack: never popped, its own cost is discarded.
    pub(crate) fn base(context: u32, start: Reading) -> Self {
        Self {
            mark: Self::BASE_MARK,
            place: Place {
                context,
                ..Place::NOWHERE
            },
            start,
        }
    }

    /// Becomes the frame of a call that is recorded as an event, except its
    /// start. All frames of such a profile have the other fields in common.
    #[inline(always)]
    pub(crate) fn become_event(&mut self, mark: usize, symbol: u32) {
        self.mark = mark;
        self.place.context = symbol;
    }

    #[inline(always)]
    pub(crate) fn is_stale(&self, site: &impl CallSite) -> bool {
        site.is_stale(self.mark)
    }
}

/// Frames, the innermost last.
#[derive(Debug, Clone)]
pub(crate) struct Frames {
    slots: Vec<Frame>,
    /// The slot of the topmost frame, if there are slots: then there is at
    /// least the bottom. A `u32`, so that the compiler knows that adding to it
    /// as a `usize` cannot overflow.
    top: u32,
    /// The maximum number of frames above the bottom.
    limit: usize,
}

/// The slots of a stack that has never been deeper.
const FEWEST: usize = 256;
/// The largest stack that is kept for the next profile.
const MOST_REUSED: usize = 1024;

impl Default for Frames {
    fn default() -> Self {
        Self::none()
    }
}

impl Frames {
    /// A stack without slots, not even for the bottom.
    pub(crate) const fn none() -> Self {
        Self {
            slots: Vec::new(),
            top: 0,
            limit: 0,
        }
    }

    /// A stack for `limit` frames above `bottom`.
    pub(crate) fn new(limit: usize, bottom: Frame) -> Self {
        Self::new_in(Self::none(), limit, bottom)
    }

    /// The same in the memory of an earlier one.
    pub(crate) fn new_in(earlier: Self, limit: usize, bottom: Frame) -> Self {
        let mut frames = Self {
            slots: earlier.slots,
            limit: limit.min(u32::MAX as usize - 8),
            ..Self::none()
        };
        frames.slots.truncate(frames.limit + 2);
        // Blank, as new ones: frames of events have only some fields.
        frames.slots.fill(bottom);
        if frames.slots.is_empty() {
            frames.grow(bottom);
        }
        frames
    }

    /// The same stack, to be used by [`new_in`](Self::new_in), unless it is too large to
    /// be kept.
    pub(crate) fn reusable(self) -> Self {
        if self.slots.len() > MOST_REUSED {
            return Self::none();
        }
        self
    }

    pub(crate) fn len(&self) -> usize {
        if self.slots.is_empty() {
            0
        } else {
            self.top as usize + 1
        }
    }

    /// The innermost frame.
    #[inline(always)]
    pub(crate) fn last(&self) -> Option<&Frame> {
        self.slots.get(self.top as usize)
    }

    /// The innermost frame, and the slot of the next one; none if there is no
    /// slot, or the limit is reached.
    #[inline(always)]
    pub(crate) fn top_and_slot(&mut self) -> Option<(&Frame, &mut Frame)> {
        let top = self.top as usize;
        match self.slots.get_mut(top..top + 3) {
            Some([top, slot, _]) => Some((top, slot)),
            _ => None,
        }
    }

    /// Counts the frame that was written to the next slot.
    #[inline(always)]
    pub(crate) fn pushed(&mut self) {
        self.top += 1;
    }

    /// Pops the innermost frame, which is not the bottom.
    #[inline(always)]
    pub(crate) fn popped(&mut self) {
        self.top = self.top.wrapping_sub(1);
    }

    /// Pushes a frame regardless of the limit; allocates a slot if necessary. Without
    /// memory for one, nothing is pushed: the caller asks [`reserve`](Self::reserve)
    /// before, where that matters.
    pub(crate) fn push(&mut self, frame: Frame) {
        if self.len() + 2 > self.slots.len() {
            self.grow(frame);
        }
        if let Some(slot) = self.slots.get_mut(self.top as usize + 1) {
            *slot = frame;
            self.top += 1;
        }
    }

    /// Makes room for two more frames: a call, and what a pause lays on top. False without
    /// memory for them.
    pub(crate) fn reserve(&mut self, blank: Frame) -> bool {
        if self.len() + 3 > self.slots.len() {
            self.grow(blank);
        }
        self.len() + 2 <= self.slots.len()
    }

    fn grow(&mut self, blank: Frame) {
        let len = self.len();
        let wanted = (len * 2).max(FEWEST).min(self.limit + 2).max(len + 2);
        let more = wanted.saturating_sub(self.slots.len());
        if self.slots.try_reserve_exact(more).is_ok() {
            self.slots.resize(self.slots.len() + more, blank);
        }
    }

    /// Pops the innermost frame; none if only the bottom is left.
    pub(crate) fn pop(&mut self) -> Option<Frame> {
        if self.top == 0 {
            return None;
        }
        let frame = *self.last()?;
        self.popped();
        // A frame beyond the limit must not leave a slot behind.
        self.slots.truncate((self.limit + 2).max(self.len()));
        Some(frame)
    }

    /// Moves the starts of all frames forward, by time in which they did not run.
    pub(crate) fn delay(&mut self, pause: Reading) {
        for frame in self.iter_mut() {
            frame.start = frame.start.delayed_by(pause);
        }
    }

    pub(crate) fn pop_if(&mut self, is_wanted: impl FnOnce(&Frame) -> bool) -> Option<Frame> {
        if self.last().is_some_and(is_wanted) {
            self.pop()
        } else {
            None
        }
    }
}

impl Deref for Frames {
    type Target = [Frame];

    fn deref(&self) -> &[Frame] {
        let frames = self.slots.get(..self.len());
        debug_assert!(frames.is_some(), "a frame has a slot");
        frames.unwrap_or_default()
    }
}

impl DerefMut for Frames {
    fn deref_mut(&mut self) -> &mut [Frame] {
        let len = self.len();
        let frames = self.slots.get_mut(..len);
        debug_assert!(frames.is_some(), "a frame has a slot");
        frames.unwrap_or_default()
    }
}
