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

use crate::call_table::{ROOT, Row};
use crate::callees::Place;
use crate::frames::Frame;
use crate::stalls::Stalls;
use crate::trust::{Limits, Trust};
use crate::{Plan, Reading, Recorder, Ticks, Token};

/// A call is long, and a row's behaviour has changed, from so many times the time on
/// that is short on average.
const LONG: f64 = 6.0;

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
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdaptiveTiming {
    /// Rows whose calls take longer on average are always timed: in ticks of the wall
    /// clock…
    pub short: Ticks,
    /// … and the same time in ticks of the CPU clock.
    pub short_cpu: Ticks,
    /// The error that all estimates together may have, as a part of the profile's time, at
    /// 95 %.
    pub error: f64,
    /// What a timed call takes longer for the profiler where most calls are untimed, so
    /// that the processor expected another one: in wall and in CPU time.
    pub surprise: [Ticks; 2],
    /// Begins the random numbers.
    pub seed: u64,
}

/// The state of adaptive timing.
#[derive(Debug, Clone)]
pub(crate) struct Timing {
    pub(crate) last: Last,
    /// What the untimed calls usually take that ended since the last reading at an entry
    /// or exit: zero if there are none.
    expected: [u64; 2],
    /// That reading.
    read_at: Reading,
    /// The beginning of the profile.
    start: Ticks,
    limits: Limits,
    random: u64,
    pub(crate) stalls: Stalls,
    /// What is known of each row that made no calls; a row's number is its place.
    pub(crate) trusts: Vec<Trust>,
}

impl Timing {
    /// The state of a profile with exact timing.
    pub(crate) const fn none() -> Self {
        Self {
            last: Last::Other,
            expected: [0; 2],
            read_at: Reading::ZERO,
            start: Ticks::ZERO,
            limits: Limits::NONE,
            random: 0,
            stalls: Stalls::none(),
            trusts: Vec::new(),
        }
    }

    /// A timed call was entered by a caller with that context.
    #[inline(always)]
    pub(crate) fn entered<P: Plan>(&mut self, caller: u32, start: Reading) {
        self.last = Last::Timed;
        self.read::<P>(caller, start);
    }

    /// An untimed call of that row ended.
    #[inline(always)]
    fn ended_untimed<P: Plan>(&mut self, row: &Row) {
        self.last = Last::Other;
        let [wall, cpu] = &mut self.expected;
        *wall += u64::from(row.means[0]);
        if P::CPU {
            *cpu += u64::from(row.means[1]);
        }
    }

    /// The clocks were read at an entry or an exit; before, the call with that context
    /// ran, and the untimed calls that it made.
    #[inline(always)]
    fn read<P: Plan>(&mut self, context: u32, now: Reading) {
        if self.expected[0] > 0 {
            self.look_for_a_stall::<P>(context, now);
        }
        self.read_at.wall = now.wall;
        if P::CPU {
            self.read_at.cpu = now.cpu;
        }
    }

    /// Notes the time since the last reading, if it is far more than the untimed calls
    /// usually take that ended since.
    #[inline(never)]
    fn look_for_a_stall<P: Plan>(&mut self, context: u32, now: Reading) {
        let [expected, expected_cpu] = std::mem::take(&mut self.expected);
        let wall = length(self.read_at.wall, now.wall);
        let cpu = if P::CPU {
            length(self.read_at.cpu, now.cpu)
        } else {
            0.0
        };
        let [longest, longest_cpu] = self.limits.long;
        let wall = [wall, expected as f64, longest];
        let cpu = [cpu, expected_cpu as f64, longest_cpu];
        self.stalls.add(context, [wall, cpu]);
    }

    /// A timed call at that place, with that row, returned.
    #[inline(always)]
    pub(crate) fn left<P: Plan>(
        &mut self,
        place: Place,
        row: &mut Row,
        now: Reading,
        start: Reading,
    ) {
        let has_made_no_call = self.last == Last::Timed;
        self.last = Last::Other;
        self.read::<P>(place.context, now);
        // A row may be timed although it need not be: that says nothing about the rest.
        if has_made_no_call && row.untimed == 0 {
            self.learn::<P>(place.row, row, now, start);
        }
    }

    #[inline(never)]
    fn learn<P: Plan>(&mut self, number: u32, row: &mut Row, now: Reading, start: Reading) {
        let place = number as usize;
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
        let wall = length(start.wall, now.wall);
        if number > ROOT
            && let Some(trust) = self.trusts.get_mut(place)
        {
            row.untimed = trust.learn([wall, cpu], passed, &self.limits, random);
            row.means = trust.means();
        }
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
        let (short, short_cpu) = (timing.short.0 as f64, timing.short_cpu.0 as f64);
        self.timing = Timing {
            start: self.start.wall,
            read_at: self.start,
            limits: Limits {
                // 95 % of values are within 1.96 standard errors.
                allowed: (timing.error / 1.96) * (timing.error / 1.96),
                short,
                long: [short * LONG, short_cpu * LONG],
                surprise: timing.surprise.map(|Ticks(cost)| cost as f64),
            },
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
        let unknown = length(self.timing.read_at.wall, now.wall);
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
