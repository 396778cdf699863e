//! How far the calls of a row are known: which of them to time, and what the others
//! cost.
//!
//! A row's calls come in blocks of `k` calls, of which one is timed: a random one,
//! drawn when the block is planned. It stands for the whole block, so a row that
//! slowly becomes faster or slower is followed, and a loop cannot keep step with the
//! choice. What the timed call took decides only about later blocks: a slow call has
//! the same weight as a fast one, and the estimate has no bias.
//!
//! `k` grows, at most twofold from block to block, while the row's variance allows
//! it: the row may have the part of the error that it has of the profile's time.

use std::ops::AddAssign;

/// The largest block. One reading in 64 calls is 2 % of the cost of all readings, so
/// larger blocks would save nothing, and see less.
pub(crate) const MOST: u32 = 64;
/// So many times the mean, a value is no part of the variance that decides.
const UNUSUAL: f64 = 8.0;
/// The part of what is short that the calls of a row count as, at least, where its part
/// of the error is computed.
const LEAST: f64 = 1.0 / 128.0;
/// Calls that are timed before the first block, and after a change.
const WARM_UP: u32 = 16;
/// The most timed calls that are asked of a row whose calls make calls now and then.
const MOST_STRIKES: u32 = 4;
/// Timed calls until a row is looked at again that may not be left out, as a power of
/// two: at first, and after some times.
const PATIENCE: [u8; 2] = [3, 6];
/// The same after a call that made a call, at most.
const MOST_MISSES: u8 = 10;
/// The weight of a new value in the running mean…
const WEIGHT: f64 = 0.125;
/// … and one divided by the weight of a new value in the running variance, which must
/// not forget rare slow calls soon.
const MEMORY: u32 = 128;
/// Makes the square of a distance from the running mean a variance: the mean of a few
/// values has an error, too.
const OF_MEAN: f64 = 1.0 - WEIGHT / 2.0;

/// What is short and what is long, in ticks.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Limits {
    /// The square of the standard error that a profile's time may have, as a part of
    /// that time.
    pub(crate) allowed: f64,
    /// The mean wall time of a row up to which timing costs too much.
    pub(crate) short: f64,
    /// What no call of such a row takes, in wall and in CPU time, unless something
    /// unusual happens to it.
    pub(crate) long: [f64; 2],
    /// What a timed call takes longer for the profiler where most are untimed.
    pub(crate) surprise: [f64; 2],
}

impl Limits {
    /// No row is short.
    pub(crate) const NONE: Self = Self {
        allowed: 0.0,
        short: 0.0,
        long: [0.0; 2],
        surprise: [0.0; 2],
    };
}

/// The calls of a row that follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Next {
    /// So many are not timed.
    pub(crate) untimed: u32,
    /// Then so many are timed and not learned from.
    pub(crate) timed: u32,
}

/// An estimated sum, and its variance, in ticks.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Estimated {
    pub(crate) sum: f64,
    pub(crate) variance: f64,
}

impl AddAssign for Estimated {
    fn add_assign(&mut self, other: Self) {
        self.sum += other.sum;
        self.variance += other.variance;
    }
}

/// The values of one clock.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Values {
    mean: f64,
    variance: f64,
    last: f64,
    /// Of the calls that were not timed.
    pub(crate) estimate: Estimated,
}

impl Values {
    /// Adds a value: the last of `values`, up to [`MEMORY`].
    #[inline]
    fn learn(&mut self, value: f64, values: u32) {
        if values == 1 {
            self.mean = value;
        }
        let distance = value - self.mean;
        let weight = 1.0 / f64::from(values);
        self.mean += weight.max(WEIGHT) * distance;
        // A rare interruption must not stop a row's blocks for hundreds of calls. Its whole
        // distance is in the stated error, if it was in a block.
        let usual = distance.min(UNUSUAL * self.mean);
        self.variance += weight * (usual * usual - self.variance);
        self.last = value;
    }

    /// Learns a value of a call, which stands for `others` more calls of its block. In
    /// those times it was longer by `surprise`.
    #[inline]
    fn learn_from(&mut self, value: f64, longest: f64, surprise: f64, others: u32, values: u32) {
        let mut value = value.min(longest);
        if others > 0 {
            value = (value - surprise).max(0.0);
            self.stand_for(value, longest - surprise, f64::from(others));
        }
        self.learn(value, values);
    }

    /// The value stands for `others` more calls of its block. A value of `limit` does
    /// not: what so long calls took is found out otherwise, see `stalls.rs`.
    #[inline]
    fn stand_for(&mut self, value: f64, limit: f64, others: f64) {
        let value = if value < limit { value } else { self.mean };
        let distance = value - self.mean;
        // A rare value far away counts in whole; what was seen before counts where
        // one value is near by chance.
        let variance = (distance * distance * OF_MEAN).max(self.variance);
        self.estimate += Estimated {
            sum: others * value,
            // As if the block had all of the variance, as in a loop that keeps step
            // with it: then the others differ from the value more than by chance.
            variance: (others + 1.0) * (others + 1.0) * variance,
        };
    }

    /// Calls of a block that no value stands for (`calls` > 0), or that a value stood
    /// for and that did not happen (< 0).
    fn correct(&mut self, calls: f64) {
        self.estimate += if calls > 0.0 {
            Estimated {
                sum: calls * self.mean,
                variance: calls * (calls * WEIGHT + 1.0) * self.variance,
            }
        } else {
            Estimated {
                sum: calls * self.last,
                variance: 0.0,
            }
        };
    }
}

/// What is known of a row that makes no calls.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Trust {
    pub(crate) wall: Values,
    pub(crate) cpu: Values,
    /// The timed calls until the row is looked at again.
    needed: u32,
    /// The length of this block; 0 or 1 if every call is timed.
    block: u32,
    /// The calls of this block after the timed one.
    after: u32,
    /// The values so far, up to [`MEMORY`].
    values: u32,
    /// How often an untimed call made a call, up to [`MOST_STRIKES`].
    strikes: u32,
    /// How often a timed call made a call, less how often one made none.
    misses: u8,
    /// How often the row may not be left out, from the first [`PATIENCE`] on.
    patience: u8,
    /// The calls that were planned to come untimed before the next timed one.
    planned: u64,
    /// The untimed calls in the estimates.
    estimated: u64,
}

impl Trust {
    /// A row of which nothing is known.
    pub(crate) const NEW: Self = Self {
        wall: Values::NEW,
        cpu: Values::NEW,
        needed: WARM_UP,
        block: 1,
        after: 0,
        values: 0,
        strikes: 0,
        misses: 0,
        patience: PATIENCE[0],
        planned: 0,
        estimated: 0,
    };

    /// Learns a timed call that made no call, by the clocks that are read.
    ///
    /// `passed` is the profile's time so far, `random` below 2³².
    pub(crate) fn learn(
        &mut self,
        wall: f64,
        cpu: Option<f64>,
        passed: f64,
        limits: &Limits,
        random: u32,
    ) -> Next {
        let others = self.block.saturating_sub(1);
        self.estimated += u64::from(others);
        self.values = (self.values + 1).min(MEMORY);
        let [longest, longest_cpu] = limits.long;
        let [surprise, surprise_cpu] = limits.surprise;
        self.wall
            .learn_from(wall, longest, surprise, others, self.values);
        if let Some(cpu) = cpu {
            self.cpu
                .learn_from(cpu, longest_cpu, surprise_cpu, others, self.values);
        }
        self.misses = self.misses.saturating_sub(1);
        let rest = self.after;
        let before = if self.needed > 0 {
            self.needed -= 1;
            self.every_call();
            0
        } else {
            self.plan(limits.allowed * passed, limits.short, random)
        };
        let untimed = rest + before;
        self.planned += u64::from(untimed);
        // The timed call of a block stands for it.
        let skipped = match (self.block > 1, self.needed > 0) {
            (true, _) => 0,
            (_, true) => self.misses,
            _ => self.patience,
        };
        let timed = (1 << skipped) - 1;
        Next { untimed, timed }
    }

    /// A timed call that was to be learned from made a call.
    #[cold]
    pub(crate) fn called(&mut self) -> Next {
        let timed = (1 << self.misses) - 1;
        self.misses = (self.misses + 2).min(MOST_MISSES);
        Next { untimed: 0, timed }
    }

    /// The means by both clocks, as a row keeps them.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a conversion of a float stops at the limits"
    )]
    pub(crate) fn means(&self) -> [u16; 2] {
        [self.wall.mean, self.cpu.mean].map(|mean| (mean as u16).max(1))
    }

    /// Plans the next block, where a row may have `variance_of_mean` for each tick of
    /// its mean.
    /// Returns how many of the block's calls come before the timed one.
    fn plan(&mut self, variance_of_mean: f64, short: f64, random: u32) -> u32 {
        let Values { mean, variance, .. } = self.wall;
        // An empty function takes nothing once the cost of timing it is left out, and an
        // error of nothing cannot be had: it may have that of a call of a few nanoseconds.
        let allowed = variance_of_mean * mean.max(short * LEAST) / variance;
        if mean > short || !(allowed >= 2.0 || variance == 0.0) {
            self.patience = (self.patience + 1).min(PATIENCE[1]);
            self.every_call();
            return 0;
        }
        self.patience = PATIENCE[0];
        let most = f64::from(MOST.min(self.block.max(1) * 2));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 2 to 64"
        )]
        let block = allowed.min(most) as u32;
        self.block = block;
        let before = ((u64::from(random) * u64::from(block)) >> 32) as u32;
        self.after = block - 1 - before;
        before
    }

    fn every_call(&mut self) {
        self.block = 1;
        self.after = 0;
    }

    /// The calls that ended untimed, if `left` of those planned have not happened.
    pub(crate) fn untimed(&self, left: u32) -> u64 {
        self.planned.saturating_sub(u64::from(left))
    }

    /// Ends the blocks, of which `left` untimed calls have not happened: the estimates
    /// become those of the calls that did.
    pub(crate) fn settle(&mut self, left: u32) {
        let untimed = self.untimed(left);
        #[expect(clippy::cast_precision_loss, reason = "calls of two blocks")]
        let missing = untimed.wrapping_sub(self.estimated).cast_signed() as f64;
        if missing != 0.0 {
            self.wall.correct(missing);
            self.cpu.correct(missing);
        }
        self.planned = untimed;
        self.estimated = untimed;
        self.every_call();
    }

    /// An untimed call made a call, with `left` more planned: the row's calls are
    /// timed again. The call began at any time in the `unknown` ticks before. Returns how
    /// many calls nothing is learned from.
    pub(crate) fn strike(&mut self, left: u32, unknown: f64) -> u32 {
        self.settle(left);
        let late = Estimated {
            sum: 0.0,
            variance: unknown * unknown / 3.0,
        };
        self.wall.estimate += late;
        self.cpu.estimate += late;
        self.needed = WARM_UP;
        let timed = (WARM_UP << self.strikes) - WARM_UP;
        self.strikes = (self.strikes + 1).min(MOST_STRIKES);
        timed
    }
}

impl Values {
    const NEW: Self = Self {
        mean: 0.0,
        variance: 0.0,
        last: 0.0,
        estimate: Estimated {
            sum: 0.0,
            variance: 0.0,
        },
    };
}
