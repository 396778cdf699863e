//! Calls whose end was reported, but that may still call destructors.
//!
//! The observer reports the end of a function before its variables are
//! destroyed. A destructor that runs then is called by that function, as the
//! *execute* engine sees it. So an ended frame stays until the next event: if
//! that is a call made by the frame, the frame stays open until that call ends;
//! otherwise the frame ended at its reported end.
//!
//! Memory is an exception: the variables are freed after the reported end, and
//! the function must not be charged for them. So the lower of both readings
//! counts: at the end and at the next event.

use crate::frames::Frame;
use crate::{CallSite, Plan, Reading, Recorder};

impl Recorder {
    /// Set in the mark of an ended frame that stays open for its destructors.
    /// Marks are addresses of PHP's frames, which are aligned.
    pub(crate) const GOES_ON: usize = 1;

    /// Notes that the call marked `mark` ended, though it may still destroy its
    /// variables. Frames above it, whose ends a bailout skipped, are closed.
    ///
    /// False if there is no such call.
    #[inline]
    pub fn end_marked<P: Plan>(&mut self, mark: usize, read: impl FnOnce() -> Reading) -> bool {
        let now = read();
        if self.ending.is_some() {
            self.settle_all::<P>(now);
        }
        let is_top = self.frames.last().is_some_and(|top| top.mark == mark);
        if is_top || self.cut_back_to_mark::<P>(mark, now) {
            self.ending = Some(now);
            return true;
        }
        self.end_marked_while_paused::<P>(mark)
    }

    /// The same while paused, when no clock may be read.
    pub fn end_marked_while_paused<P: Plan>(&mut self, mark: usize) -> bool {
        self.paused
            .is_some_and(|since| self.end_paused::<P>(mark, since))
    }

    #[cold]
    fn end_paused<P: Plan>(&mut self, mark: usize, since: Reading) -> bool {
        let is_there = self.frames.iter().any(|frame| frame.mark == mark);
        if is_there {
            self.leave_paused::<P>(mark, since);
        }
        is_there
    }

    /// Decides about the ended frame when a call begins; returns true if that
    /// frame made the call.
    #[inline]
    pub(crate) fn settle_before_call<P: Plan>(
        &mut self,
        site: &impl CallSite,
        memory: impl FnOnce() -> (i64, i64),
    ) -> bool {
        let (memory, peak) = if P::MEMORY { memory() } else { (0, 0) };
        let now = Reading {
            memory,
            peak,
            ..Reading::default()
        };
        while let Some(ended_at) = self.ending.take() {
            if let Some(top) = self.frames.last_mut()
                && site.is_made_by_ended(top.mark & !Self::GOES_ON)
            {
                top.mark |= Self::GOES_ON;
                return true;
            }
            self.close_ended::<P>(ended_at, now);
        }
        false
    }

    /// Closes the ended frame when another event happens.
    #[inline]
    pub(crate) fn settle_all<P: Plan>(&mut self, now: Reading) {
        while let Some(ended_at) = self.ending.take() {
            self.close_ended::<P>(ended_at, now);
        }
    }

    #[inline]
    fn close_ended<P: Plan>(&mut self, mut ended_at: Reading, now: Reading) {
        if P::MEMORY {
            ended_at.memory = ended_at.memory.min(now.memory);
        }
        if self.frames.len() > 1
            && let Some(frame) = self.frames.pop()
        {
            self.close::<P>(frame, ended_at);
        }
        // Its destructor has ended too, unless the frame calls another one.
        if self.frames.last().is_some_and(Frame::goes_on) {
            self.ending = Some(ended_at);
        }
    }

    /// Closes frames above the one marked `mark`; false if there is none.
    #[cold]
    fn cut_back_to_mark<P: Plan>(&mut self, mark: usize, now: Reading) -> bool {
        if self.is_paused() {
            return false;
        }
        let depth = self.frames.iter().rposition(|frame| frame.mark == mark);
        depth.is_some_and(|depth| depth > 0 && self.cut_back::<P>(depth, now))
    }
}

impl Frame {
    fn goes_on(&self) -> bool {
        self.mark != Recorder::BASE_MARK && self.mark & Recorder::GOES_ON != 0
    }
}
