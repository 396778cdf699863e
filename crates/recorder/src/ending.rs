//! Calls that have ended, but may still call.
//!
//! The observer reports the end of a function before its variables are
//! destroyed; a destructor that runs then is called by that function, as the
//! *execute* engine sees it. So a frame that ended stays until the next event
//! tells: if that is a call made by the frame, the frame goes on until that
//! call ends; if it is anything else, the frame ended when it said so.
//!
//! Memory is the exception: what the variables held is given back after the
//! reported end, and the function must not be charged with it. So the lower of
//! both readings counts, that of the end and that of the next event.

use crate::recorder::Frame;
use crate::{CallSite, Plan, Reading, Recorder};

impl Recorder {
    /// Set in the mark of a frame that has ended and goes on for its
    /// destructors. Marks are addresses of PHP's frames, which are aligned.
    pub(crate) const GOES_ON: usize = 1;

    /// Notes that the call marked `mark` ended, though it may still destroy
    /// its variables. Frames above it, whose ends were skipped, are closed.
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

    /// The same while nothing is recorded, when no clock may be looked at.
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

    /// Decides about the frame that has ended, now that a call begins; true if
    /// that frame made the call.
    #[inline]
    pub(crate) fn settle_before_call<P: Plan>(
        &mut self,
        site: &impl CallSite,
        read: impl FnOnce() -> Reading,
    ) -> bool {
        let now = if P::MEMORY {
            read()
        } else {
            Reading::default()
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

    /// Closes the frame that has ended, now that something else happens.
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
        // What it was destroyed by has nothing more to do, unless it calls again.
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
