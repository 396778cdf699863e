//! The state of adaptive timing: what the last entry or exit was, and what is known of
//! each row.

use crate::call_table::{ROOT, Row};
use crate::callees::Place;
use crate::stalls::Stalls;
use crate::trust::{Limits, Trust};
use crate::{Plan, Reading, Ticks};

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
    /// The beginning of the profile.
    start: Ticks,
    pub(crate) limits: Limits,
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

    /// The state at the beginning of a profile.
    pub(crate) fn new(timing: AdaptiveTiming, start: Reading) -> Self {
        let (short, short_cpu) = (timing.short.0 as f64, timing.short_cpu.0 as f64);
        Self {
            start: start.wall,
            read_at: start,
            limits: Limits {
                // 95 % of values are within 1.96 standard errors.
                allowed: (timing.error / 1.96) * (timing.error / 1.96),
                short,
                long: [short * LONG, short_cpu * LONG],
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

    /// A timed call was entered by a caller with that context.
    #[inline(always)]
    pub(crate) fn entered<P: Plan>(&mut self, caller: u32, start: Reading) {
        self.last = Last::Timed;
        self.read::<P>(caller, start);
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
