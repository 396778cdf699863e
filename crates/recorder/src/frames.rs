//! A stack of frames that grows apart from the hot path.
//!
//! Every slot holds a frame, old or blank, so that pushing is writing into a
//! slot: where a plain `Vec` would carry its growing into every function that
//! pushes, here the one that finds no slot goes elsewhere. One check then
//! answers for the topmost frame, for the slot above it, and for the depth: a
//! slot more than those is asked for, and there are no more than `limit` + 2.

use std::ops::{Deref, DerefMut};

use crate::recorder::Frame;

/// Frames, the innermost last.
#[derive(Debug, Clone)]
pub(crate) struct Frames {
    slots: Vec<Frame>,
    /// The slot of the topmost frame, if there are slots: then there is the
    /// bottom at least. A `u32`, so that adding to it as a `usize` cannot
    /// overflow, and the compiler knows it.
    top: u32,
    /// How many frames above the bottom there may be.
    limit: usize,
}

impl Default for Frames {
    fn default() -> Self {
        Self::none()
    }
}

impl Frames {
    /// No stack, not even the bottom of one.
    pub(crate) const fn none() -> Self {
        Self {
            slots: Vec::new(),
            top: 0,
            limit: 0,
        }
    }

    /// A stack for `limit` frames above `bottom`.
    pub(crate) fn new(limit: usize, bottom: Frame) -> Self {
        let mut frames = Self {
            limit: limit.min(u32::MAX as usize - 8),
            ..Self::none()
        };
        frames.grow(bottom);
        frames
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

    /// The innermost frame, and where the next one goes; none if there is no
    /// room, or should not be.
    #[inline(always)]
    pub(crate) fn top_and_slot(&mut self) -> Option<(&Frame, &mut Frame)> {
        let top = self.top as usize;
        match self.slots.get_mut(top..top + 3) {
            Some([top, slot, _]) => Some((top, slot)),
            _ => None,
        }
    }

    /// Counts the frame that was written where the next one goes.
    #[inline(always)]
    pub(crate) fn pushed(&mut self) {
        self.top += 1;
    }

    /// Takes the innermost frame off, which is not the bottom.
    #[inline(always)]
    pub(crate) fn popped(&mut self) {
        self.top = self.top.wrapping_sub(1);
    }

    /// Pushes a frame, whatever the limit, making room if there is none.
    pub(crate) fn push(&mut self, frame: Frame) {
        if self.len() + 2 > self.slots.len() {
            self.grow(frame);
        }
        if let Some(slot) = self.slots.get_mut(self.top as usize + 1) {
            *slot = frame;
            self.top += 1;
        }
    }

    fn grow(&mut self, blank: Frame) {
        let len = self.len();
        let wanted = (len * 2).max(256).min(self.limit + 2).max(len + 1);
        self.slots.resize(wanted.max(self.slots.len()), blank);
    }

    /// Takes the innermost frame off; none if only the bottom is left.
    pub(crate) fn pop(&mut self) -> Option<Frame> {
        if self.top == 0 {
            return None;
        }
        let frame = *self.last()?;
        self.popped();
        // What was pushed past the limit leaves no slot behind.
        self.slots.truncate((self.limit + 2).max(self.len()));
        Some(frame)
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
        self.slots.get(..self.len()).unwrap_or_default()
    }
}

impl DerefMut for Frames {
    fn deref_mut(&mut self) -> &mut [Frame] {
        let len = self.len();
        self.slots.get_mut(..len).unwrap_or_default()
    }
}
