//! Long times between two readings in which calls ended that were not timed.
//!
//! A rare slow call, or another program that takes the processor, cannot hide: the
//! clocks are read again soon, and show that time has passed. But they do not show
//! whether it passed in one of the untimed calls or in their caller. It is divided
//! between them as the rest of their time, and its variance is that of a guess: all of it
//! may have passed in one of them, in all stalls of a caller the same one.
//!
//! Between two readings only one call ran, and the untimed calls that it made. So each
//! of these stalls belongs to one caller and its callees.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

/// The stalls of one caller, by one clock.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stall {
    /// The time of the stalls, without what the untimed calls in them usually take…
    pub(crate) time: f64,
    /// … and what the untimed calls in them usually take.
    pub(crate) expected: f64,
}

/// How a stall's time is divided.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Division {
    /// The time that is divided.
    pub(crate) time: f64,
    /// The part of the callees.
    pub(crate) part: f64,
}

/// Usual times between two readings, in ticks.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Usual {
    /// All of them.
    time: u64,
    /// What the untimed calls in them usually take.
    expected: u64,
}

impl Usual {
    const NONE: Self = Self {
        time: 0,
        expected: 0,
    };

    /// Adds a time, and what the untimed calls in it usually take.
    #[inline(always)]
    pub(crate) fn add(&mut self, time: u64, expected: u64) {
        self.time = self.time.wrapping_add(time);
        self.expected = self.expected.wrapping_add(expected);
    }
}

/// All stalls, in wall time and in CPU time, by the caller's context.
#[derive(Debug, Clone)]
pub(crate) struct Stalls {
    /// All times between two readings with untimed calls and without a stall.
    pub(crate) usual: [Usual; 2],
    callers: HashMap<u32, [Stall; 2], BuildHasherDefault<DefaultHasher>>,
}

/// How many times as long as usual the times are, at least. Else they are what the caller
/// usually takes by itself.
const UNUSUAL: f64 = 5.0;

impl Stall {
    /// The stall in a time in which the calls usually take `expected`, and never
    /// `longest` more; zero if there is none.
    pub(crate) fn within(time: f64, expected: f64, longest: f64) -> Self {
        if time <= longest + 2.0 * expected {
            return Self::default();
        }
        Self {
            time: time - expected,
            expected,
        }
    }

    /// How it is divided between a caller and its untimed callees, which took `estimates`
    /// without it. In usual times, callers take `own` times what their untimed callees
    /// take.
    pub(crate) fn division(&self, estimates: f64, own: f64) -> Division {
        let usual = self.expected * (1.0 + own);
        // Where stalls are the rule, the caller takes that time by itself.
        let is_rare = self.expected < estimates / 2.0;
        if !is_rare || self.time < UNUSUAL * usual || self.time <= 0.0 {
            return Division::default();
        }
        Division {
            time: self.time - self.expected * own,
            part: 1.0 / (1.0 + own),
        }
    }
}

impl Stalls {
    /// No stall.
    pub(crate) const fn none() -> Self {
        Self {
            usual: [Usual::NONE; 2],
            callers: HashMap::with_hasher(BuildHasherDefault::new()),
        }
    }

    /// Adds a time between two readings, by each clock: what passed, what the untimed
    /// calls in it usually take, and what they never take in addition.
    pub(crate) fn add(
        &mut self,
        context: u32,
        times: [u64; 2],
        expected: [u64; 2],
        longest: [f64; 2],
    ) {
        let mut stalls = [Stall::default(); 2];
        let sides = stalls.iter_mut().zip(&mut self.usual);
        for ((stall, usual), ((time, expected), longest)) in
            sides.zip(times.into_iter().zip(expected).zip(longest))
        {
            *stall = Stall::within(time as f64, expected as f64, longest);
            if stall.time <= 0.0 {
                usual.add(time, expected);
            }
        }
        if stalls.iter().all(|stall| stall.time <= 0.0) {
            return;
        }
        let sums = self.callers.entry(context).or_default();
        for (sum, stall) in sums.iter_mut().zip(stalls) {
            sum.time += stall.time;
            sum.expected += stall.expected;
        }
    }

    /// What callers usually take, as a multiple of what their untimed callees take.
    pub(crate) fn own(&self, side: usize) -> f64 {
        let Usual { time, expected } = self.usual.get(side).copied().unwrap_or_default();
        if expected > 0 {
            (time as f64 / expected as f64 - 1.0).max(0.0)
        } else {
            f64::INFINITY
        }
    }

    /// The stalls of a caller.
    pub(crate) fn of(&self, context: u32) -> Option<&[Stall; 2]> {
        self.callers.get(&context)
    }
}
