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

use crate::call_table::ROOT;
use crate::frames::Frame;
use crate::trust::Trust;
use crate::{Plan, Reading, Recorder, Ticks, Token};

/// The last entry or exit. Of a frame that was entered last, the call has made no
/// call so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Last {
    /// An exit, or something else.
    Other,
    /// The entry of the topmost frame, which is timed.
    Timed,
    /// The entry of the topmost frame, which is not timed.
    Untimed,
    /// The same frame's end was reported, see `ending.rs`.
    EndedUntimed,
}

/// How an adaptive profile times calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdaptiveTiming {
    /// Rows whose calls take longer on average are always timed.
    pub short: Ticks,
    /// Begins the random numbers.
    pub seed: u64,
}

/// The state of adaptive timing.
#[derive(Debug, Clone)]
pub(crate) struct Timing {
    pub(crate) last: Last,
    /// The wall clock's last reading at an entry or exit.
    pub(crate) read_at: Ticks,
    /// The beginning of the profile.
    start: Ticks,
    short: f64,
    random: u64,
    /// What is known of each row that made no calls; a row's number is its place.
    pub(crate) trusts: Vec<Trust>,
}

impl Timing {
    /// The state of a profile with exact timing.
    pub(crate) const fn none() -> Self {
        Self {
            last: Last::Other,
            read_at: Ticks::ZERO,
            start: Ticks::ZERO,
            short: 0.0,
            random: 0,
            trusts: Vec::new(),
        }
    }

    /// A timed call was entered.
    #[inline(always)]
    pub(crate) fn entered(&mut self, start: Reading) {
        self.last = Last::Timed;
        self.read_at = start.wall;
    }

    /// A timed call of the row numbered `row` returned, which had `untimed` calls to
    /// leave untimed. Returns how many it has now.
    #[inline(always)]
    pub(crate) fn left<P: Plan>(
        &mut self,
        row: u32,
        untimed: u32,
        now: Reading,
        start: Reading,
    ) -> u32 {
        let has_made_no_call = self.last == Last::Timed;
        self.last = Last::Other;
        self.read_at = now.wall;
        // A row may be timed although it need not be: that says nothing about the rest.
        if has_made_no_call && untimed == 0 {
            return self.learn::<P>(row, now, start);
        }
        untimed
    }

    #[inline(never)]
    fn learn<P: Plan>(&mut self, row: u32, now: Reading, start: Reading) -> u32 {
        let place = row as usize;
        if place >= self.trusts.len() {
            self.trusts
                .resize((place + 1).next_power_of_two(), Trust::NEW);
        }
        let random = self.random();
        let passed = length(self.start, now.wall);
        let cpu = if P::CPU {
            length(start.cpu, now.cpu)
        } else {
            0.0
        };
        let Some(trust) = self.trusts.get_mut(place).filter(|_| row > ROOT) else {
            return 0;
        };
        trust.learn(
            length(start.wall, now.wall),
            cpu,
            passed,
            self.short,
            random,
        )
    }

    /// Knuth's linear congruential generator, its upper half.
    fn random(&mut self) -> u32 {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 32) as u32
    }
}

/// The ticks from one instant to another, or zero if the clock stepped back.
fn length(from: Ticks, to: Ticks) -> f64 {
    to.since(from).0 as f64
}

impl Recorder {
    /// Times calls by this rule, for [`Plan::ADAPTIVE`].
    pub fn time_adaptively(&mut self, timing: AdaptiveTiming) {
        self.timing = Timing {
            start: self.start.wall,
            read_at: self.start.wall,
            short: timing.short.0 as f64,
            random: timing.seed,
            ..Timing::none()
        };
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
        self.timing.last = Last::Other;
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
        let unknown = length(self.timing.read_at, now.wall);
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
                    if P::MEMORY {
                        row.add_memory(
                            now.memory.wrapping_sub(frame.start.memory),
                            now.peak.wrapping_sub(frame.start.peak),
                        );
                    }
                }
                self.timing.last = Last::Other;
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
    pub(crate) fn learn<P: Plan>(&mut self, row: u32, now: Reading, start: Reading) {
        if let Some(found) = self.table.rows.get_mut(row as usize) {
            found.untimed = self.timing.left::<P>(row, found.untimed, now, start);
        }
    }
}
