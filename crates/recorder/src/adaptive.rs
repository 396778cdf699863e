//! Adaptive timing: calls of short functions that make no calls are timed only now
//! and then.
//!
//! An untimed call pushes a frame, and its end takes one from the row's number of
//! calls that stay untimed. At the end of the profile those calls are added to the
//! rows, with times that are estimated from the timed calls of the same row
//! (`estimates.rs`). [`trust`](crate::trust) decides how many calls stay untimed.
//!
//! If an untimed call makes a call, it is timed from that call on. So only the topmost
//! frame of the running stack can be untimed, and one state is enough: [`Last`].

use crate::callees::Place;
use crate::frames::Frame;
use crate::timing::{AdaptiveTiming, Last, Timing};
use crate::{Plan, Reading, Recorder, Token};

impl Recorder {
    /// Times calls by this rule, for [`Plan::ADAPTIVE`].
    pub fn time_adaptively(&mut self, timing: AdaptiveTiming) {
        self.timing = Timing::new(timing, self.start);
    }

    /// Notes that the call behind `token` returned, if that call is untimed, with
    /// [`Plan::ADAPTIVE`]. False, and nothing done, for any other call.
    ///
    /// `memory` returns the memory and the peak of a reading.
    #[inline(always)]
    pub fn leave_untimed<P: Plan>(
        &mut self,
        token: Token,
        memory: impl FnOnce() -> (i64, i64),
    ) -> bool {
        if self.timing.last != Last::Untimed {
            return false;
        }
        let Some(top) = self.frames.last() else {
            return false;
        };
        let place = &top.place;
        let Some(row) = self.table.rows.get_mut(place.row as usize) else {
            return false;
        };
        if Token::new(top.mark) != token {
            return false;
        }
        row.untimed = row.untimed.wrapping_sub(1);
        self.timing.ended_untimed::<P>(row);
        if P::MEMORY {
            let (memory, peak) = memory();
            row.add_memory(
                memory.wrapping_sub(top.start.memory),
                peak.wrapping_sub(top.start.peak),
            );
        }
        if !P::TREE {
            self.callees.close(place.symbol, place.restore);
        }
        self.frames.popped();
        true
    }

    /// The topmost call, if it is untimed, is timed from `now` on.
    #[cold]
    #[inline(never)]
    pub(crate) fn time_from(&mut self, now: Reading) {
        let is_untimed = self.timing.last == Last::Untimed;
        self.timing.last = Last::Other;
        if is_untimed && let Some(top) = self.frames.last_mut() {
            top.start.wall = now.wall;
            top.start.cpu = now.cpu;
            let row = top.place.row;
            self.strike(row, now);
        }
    }

    /// The row's calls are timed again: one of them, untimed so far, made a call.
    fn strike(&mut self, row: u32, now: Reading) {
        let place = row as usize;
        let unknown = self.timing.since_reading(now);
        if let Some(row) = self.table.rows.get_mut(place)
            && let Some(trust) = self.timing.trusts.get_mut(place)
        {
            trust.strike(row.untimed, unknown);
            row.untimed = 0;
        }
    }

    /// Whether a popped frame was untimed to its end, which is counted here. If it was
    /// untimed but its end was not seen, it is timed from `now` on.
    #[inline]
    pub(crate) fn is_closed_untimed<P: Plan>(&mut self, frame: &mut Frame, now: Reading) -> bool {
        let place = frame.place.row;
        match self.timing.last {
            Last::EndedUntimed => {
                if let Some(row) = self.table.rows.get_mut(place as usize) {
                    row.untimed = row.untimed.wrapping_sub(1);
                    self.timing.ended_untimed::<P>(row);
                    if P::MEMORY {
                        row.add_memory(
                            now.memory.wrapping_sub(frame.start.memory),
                            now.peak.wrapping_sub(frame.start.peak),
                        );
                    }
                }
                true
            }
            Last::Untimed => {
                self.timing.last = Last::Other;
                frame.start.wall = now.wall;
                frame.start.cpu = now.cpu;
                self.strike(place, now);
                false
            }
            Last::Timed | Last::Other => false,
        }
    }

    /// A timed call of that row returned, off the fast path.
    #[inline]
    pub(crate) fn learn<P: Plan>(&mut self, place: Place, now: Reading, start: Reading) {
        if let Some(row) = self.table.rows.get_mut(place.row as usize) {
            self.timing.left::<P>(place, row, now, start);
        }
    }
}
