//! The state of adaptive timing: what the last entry or exit was, and what is known of
//! each row.

use crate::call_table::{ROOT, Row};
use crate::callees::Place;
use crate::stalls::Stalls;
use crate::trust::{Limits, Trust};
use crate::{Plan, Reading, Ticks};

/// A call is long, and a row's behaviour has changed, from so many times the time on
/// that is short on average.
const LONG: u64 = 6;

/// The last entry or exit. Of a frame that was entered last, the call has made no
/// call so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Last {
    /// An exit, or something else.
    Other,
    /// The entry of the topmost frame, which is timed.
    Timed,
    /// The same, and the time before it may be a stall, which is not noted yet: the fast
    /// path of an entry calls nothing, so that it need not save registers.
    TimedAfterStall,
    /// The entry of the topmost frame, which is not timed.
    Untimed,
    /// The same frame's end was reported, see `ending.rs`.
    EndedUntimed,
}

impl Last {
    /// Whether the fast path of the next entry applies.
    #[inline(always)]
    pub(crate) fn is_settled(self) -> bool {
        self <= Self::Timed
    }
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
    /// 95 %. With 2 or more, estimates may be more than their caller's time.
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
    /// No time between two readings is a stall that is not longer, by each clock.
    longest: [u64; 2],
    pub(crate) stalls: Stalls,
    /// The beginning of the profile.
    start: Ticks,
    pub(crate) limits: Limits,
    random: u64,
    /// What is known of each row; a row's number is its place.
    pub(crate) trusts: Vec<Trust>,
}

impl Timing {
    /// The state of a profile with exact timing.
    pub(crate) const fn none() -> Self {
        Self {
            last: Last::Other,
            expected: [0; 2],
            read_at: Reading::ZERO,
            longest: [0; 2],
            stalls: Stalls::none(),
            start: Ticks::ZERO,
            limits: Limits::NONE,
            random: 0,
            trusts: Vec::new(),
        }
    }

    /// The state at the beginning of a profile.
    pub(crate) fn new(timing: AdaptiveTiming, start: Reading) -> Self {
        let long = [timing.short, timing.short_cpu].map(|Ticks(short)| short.saturating_mul(LONG));
        Self {
            start: start.wall,
            read_at: start,
            longest: long,
            limits: Limits {
                // 95 % of values are within 1.96 standard errors.
                allowed: (timing.error / 1.96) * (timing.error / 1.96),
                short: timing.short.0 as f64,
                long: long.map(|long| long as f64),
                surprise: timing.surprise.map(|Ticks(cost)| cost as f64),
            },
            random: timing.seed,
            ..Self::none()
        }
    }

    /// The ticks since the clocks were read at an entry or exit.
    pub(crate) fn since_reading(&self, now: Reading) -> f64 {
        length(self.read_at.wall, now.wall)
    }

    /// A timed call was entered.
    #[inline(always)]
    pub(crate) fn entered<P: Plan>(&mut self, start: Reading) {
        self.last = if self.read::<P>(start) {
            Last::Timed
        } else {
            Last::TimedAfterStall
        };
    }

    /// An untimed call of that row ended.
    #[inline(always)]
    pub(crate) fn ended_untimed<P: Plan>(&mut self, row: &Row) {
        self.last = Last::Other;
        let [wall, cpu] = &mut self.expected;
        *wall += u64::from(row.means[0]);
        if P::CPU {
            *cpu += u64::from(row.means[1]);
        }
    }

    /// The clocks were read at an entry or an exit. False, and nothing done, if the time
    /// before that may be a stall: then [`look_for_a_stall`](Self::look_for_a_stall) is
    /// left to do. Until it is done, this is false for later readings, too.
    #[inline(always)]
    fn read<P: Plan>(&mut self, now: Reading) -> bool {
        let [expected, expected_cpu] = self.expected;
        if expected > 0 {
            let wall = now.wall.wrapping_sub(self.read_at.wall).0;
            let cpu = if P::CPU {
                now.cpu.wrapping_sub(self.read_at.cpu).0
            } else {
                0
            };
            let [longest, longest_cpu] = self.longest;
            if wall > longest || P::CPU && cpu > longest_cpu {
                return false;
            }
            let [usual, usual_cpu] = &mut self.stalls.usual;
            usual.add(wall, expected);
            if P::CPU {
                usual_cpu.add(cpu, expected_cpu);
            }
            let [wall, cpu] = &mut self.expected;
            *wall = 0;
            if P::CPU {
                *cpu = 0;
            }
        }
        self.read_at.wall = now.wall;
        if P::CPU {
            self.read_at.cpu = now.cpu;
        }
        true
    }

    /// Notes the time since the last reading, if it is far more than the untimed calls
    /// usually take that ended since. The call with that context ran, and made them.
    #[cold]
    #[inline(never)]
    fn look_for_a_stall<P: Plan>(&mut self, context: u32, now: Reading) {
        let expected = std::mem::take(&mut self.expected);
        let times = [
            now.wall.since(self.read_at.wall).0,
            if P::CPU {
                now.cpu.since(self.read_at.cpu).0
            } else {
                0
            },
        ];
        self.stalls.add(context, times, expected, self.limits.long);
        self.read_at = now;
    }

    /// Notes what may have been a stall before the entry of the topmost call, which began
    /// at `start`. Its caller has that context.
    #[cold]
    pub(crate) fn settle_stall<P: Plan>(&mut self, caller: u32, start: Reading) {
        if self.last == Last::TimedAfterStall {
            self.last = Last::Timed;
            self.look_for_a_stall::<P>(caller, start);
        }
    }

    /// The clocks were read within the call of that context, or of one that it calls.
    pub(crate) fn note<P: Plan>(&mut self, context: u32, now: Reading) {
        if !self.read::<P>(now) {
            self.look_for_a_stall::<P>(context, now);
        }
    }

    /// A timed call returned, and was added to its row: whether nothing is left to do. If
    /// not, [`settle_left`](Self::settle_left) does it.
    #[inline(always)]
    pub(crate) fn left<P: Plan>(&mut self, learns: bool, now: Reading) -> bool {
        if self.read::<P>(now) && !learns {
            self.last = Last::Other;
            return true;
        }
        false
    }

    /// What [`left`](Self::left) left to do for a call at that place, with that row, whose
    /// caller has that context.
    #[cold]
    #[inline(never)]
    pub(crate) fn settle_left<P: Plan>(
        &mut self,
        caller: u32,
        place: Place,
        row: &mut Row,
        now: Reading,
        start: Reading,
    ) {
        self.settle_stall::<P>(caller, start);
        if !self.read::<P>(now) {
            self.look_for_a_stall::<P>(place.context, now);
        }
        let has_made_no_call = self.last == Last::Timed;
        self.last = Last::Other;
        // A row may be timed although it need not be: that says nothing about the rest.
        if row.is_to_learn() && row.untimed == 0 && place.row > ROOT {
            self.learn::<P>(has_made_no_call, place.row, row, now, start);
        }
    }

    fn learn<P: Plan>(
        &mut self,
        has_made_no_call: bool,
        number: u32,
        row: &mut Row,
        now: Reading,
        start: Reading,
    ) {
        let place = number as usize;
        if place >= self.trusts.len() {
            self.trusts
                .resize((place + 1).next_power_of_two(), Trust::NEW);
        }
        let random = self.random();
        let Some(trust) = self.trusts.get_mut(place) else {
            return;
        };
        let next = if has_made_no_call {
            let passed = length(self.start, now.wall);
            let wall = length(start.wall, now.wall);
            let cpu = P::CPU.then(|| length(start.cpu, now.cpu));
            let next = trust.learn(wall, cpu, passed, &self.limits, random);
            row.means = trust.means();
            next
        } else {
            trust.called()
        };
        row.untimed = next.untimed;
        row.learn_after(next.timed);
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
