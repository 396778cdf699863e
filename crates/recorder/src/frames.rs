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
    /// The slot above the topmost frame. A `u32`, so that adding to it as a
    /// `usize` cannot overflow, and the compiler knows it.
    len: u32,
    /// How many frames above the bottom there may be.
    limit: usize,
}

impl Default for Frames {
    fn default() -> Self {
        Self::new(0)
    }
}

impl Frames {
    /// An empty stack for `limit` frames and the bottom.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            slots: Vec::new(),
            len: 0,
            limit: limit.min(u32::MAX as usize - 8),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    /// The innermost frame.
    #[inline(always)]
    pub(crate) fn last(&self) -> Option<&Frame> {
        self.slots.get((self.len as usize).wrapping_sub(1))
    }

    /// The innermost frame, and where the next one goes; none if there is no
    /// room, or should not be.
    #[inline(always)]
    pub(crate) fn top_and_slot(&mut self) -> Option<(&Frame, &mut Frame)> {
        let len = self.len as usize;
        match self.slots.get_mut(len.wrapping_sub(1)..len + 2) {
            Some([top, slot, _]) => Some((top, slot)),
            _ => None,
        }
    }

    /// Counts the frame that was written where the next one goes.
    #[inline(always)]
    pub(crate) fn pushed(&mut self) {
        self.len += 1;
    }

    /// Takes the innermost frame off.
    #[inline(always)]
    pub(crate) fn popped(&mut self) {
        self.len = self.len.wrapping_sub(1);
    }

    /// Pushes a frame, whatever the limit, making room if there is none.
    pub(crate) fn push(&mut self, frame: Frame) {
        let len = self.len as usize;
        if len + 2 > self.slots.len() {
            let wanted = (len * 2).max(256).min(self.limit + 2).max(len + 1);
            self.slots.resize(wanted.max(self.slots.len()), frame);
        }
        if let Some(slot) = self.slots.get_mut(len) {
            *slot = frame;
            self.len += 1;
        }
    }

    pub(crate) fn pop(&mut self) -> Option<Frame> {
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
        self.slots.get(..self.len as usize).unwrap_or_default()
    }
}

impl DerefMut for Frames {
    fn deref_mut(&mut self) -> &mut [Frame] {
        self.slots.get_mut(..self.len as usize).unwrap_or_default()
    }
}
