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
use crate::{Plan, Reading, Recorder, Ticks, Token};

/// How a call ended, with [`Plan::ADAPTIVE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// The clocks were read.
    Timed,
    /// The call is counted, and was not timed.
    Untimed,
    /// The profile has no such call.
    Nowhere,
}

impl Recorder {
    /// Times calls by this rule, for [`Plan::ADAPTIVE`].
    pub fn time_adaptively(&mut self, timing: AdaptiveTiming) {
        self.timing = Timing::new(timing, self.start);
    }

    /// [`leave_again`](Self::leave_again) with [`Plan::ADAPTIVE`].
    ///
    /// `memory` returns the memory and the peak of a reading.
    #[inline(always)]
    pub fn leave_sparing<P: Plan>(
        &mut self,
        token: Token,
        read: impl FnOnce() -> Reading,
        memory: impl FnOnce() -> (i64, i64),
    ) -> Left {
        match self.frames.last() {
            Some(top)
                if Token::new(top.mark) == token && !(P::ENDS_EARLY && self.ending.is_some()) =>
            {
                let place = &top.place;
                if self.timing.last == Last::Untimed {
                    let Some(row) = self.table.rows.get_mut(place.row as usize) else {
                        self.forget_top();
                        return Left::Untimed;
                    };
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
                    return Left::Untimed;
                }
                let now = read();
                let Some(row) = self.table.rows.get_mut(place.row as usize) else {
                    self.forget_top();
                    return Left::Timed;
                };
                row.add_call::<P>(now, top.start);
                let learns = row.is_to_learn();
                if !P::TREE {
                    self.callees.close(place.symbol, place.restore);
                }
                self.frames.popped();
                if !self.timing.left::<P>(learns, now) {
                    self.settle_popped::<P>(now.wall, now.cpu);
                }
                Left::Timed
            }
            _ => {
                if self.leave_skipped::<P>(token.mark(), read) {
                    Left::Timed
                } else {
                    Left::Nowhere
                }
            }
        }
    }

    /// What is left to do for the timed call whose frame was popped last. Last in its
    /// caller, and with few arguments, so that the caller keeps nothing in registers
    /// for it.
    #[cold]
    #[inline(never)]
    fn settle_popped<P: Plan>(&mut self, wall: Ticks, cpu: Ticks) {
        let now = Reading {
            wall,
            cpu,
            ..Reading::default()
        };
        if let (Some(caller), Some(&Frame { place, start, .. })) =
            (self.frames.last(), self.frames.popped_last())
            && let Some(row) = self.table.rows.get_mut(place.row as usize)
        {
            let caller = caller.place.context;
            self.timing.settle_left::<P>(caller, place, row, now, start);
        }
    }

    /// The topmost call, if it is untimed, is timed from `now` on.
    #[cold]
    #[inline(never)]
    pub(crate) fn time_from<P: Plan>(&mut self, now: Reading) {
        if let [.., caller, top] = &*self.frames {
            let caller = caller.place.context;
            self.timing.settle_stall::<P>(caller, top.start);
        }
        let is_untimed = self.timing.last == Last::Untimed;
        self.timing.last = Last::Other;
        if is_untimed && let Some(top) = self.frames.last_mut() {
            top.start.wall = now.wall;
            top.start.cpu = now.cpu;
            let row = top.place.row;
            self.strike(row, now);
        }
    }

    /// Notes that something long begins or ends in the running call, such as a run of a
    /// garbage collector. So its time is that of this call, and is not divided between
    /// calls before it that are not timed.
    #[cold]
    pub fn note_instant<P: Plan>(&mut self, now: Reading) {
        // An ended call whose variables are being destroyed stays as it is: its
        // destructors' calls are its own.
        if !P::ADAPTIVE || self.paused.is_some() || self.ending.is_some() {
            return;
        }
        self.time_from::<P>(now);
        if let Some(top) = self.frames.last() {
            self.timing.note::<P>(top.place.context, now);
        }
    }

    /// The row's calls are timed again: one of them, untimed so far, made a call.
    fn strike(&mut self, row: u32, now: Reading) {
        let place = row as usize;
        let unknown = self.timing.since_reading(now);
        if let Some(row) = self.table.rows.get_mut(place)
            && let Some(trust) = self.timing.trusts.get_mut(place)
        {
            let timed = trust.strike(row.untimed, unknown);
            row.untimed = 0;
            row.learn_after(timed);
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
            Last::Timed | Last::TimedAfterStall | Last::Other => false,
        }
    }

    /// A timed call of that row returned, off the fast path.
    #[inline]
    pub(crate) fn learn<P: Plan>(&mut self, place: Place, now: Reading, start: Reading) {
        if let Some(row) = self.table.rows.get_mut(place.row as usize) {
            let learns = row.is_to_learn();
            if !self.timing.left::<P>(learns, now) {
                let caller = self.frames.last();
                let caller = caller.map_or(place.context, |frame| frame.place.context);
                self.timing.settle_left::<P>(caller, place, row, now, start);
            }
        }
    }
}
