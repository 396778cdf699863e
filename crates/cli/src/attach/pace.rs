//! When to sample.
//!
//! **Invariant:** the weights of a process that is there all the time add up to the time that has passed, however late
//! this program gets its turn.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// How often to look for new processes.
const LOOK: Duration = Duration::from_millis(500);

/// Samples a second, if no rate is asked for.
const RATE: u32 = 99;
/// The most stacks that are read in a second, of all processes together, if no rate is asked for. One takes 7 to 25 µs:
/// nothing of a process that has waited for a while is in the CPU's caches.
const MOST_STACKS: u32 = 1000;

/// The instants at which to sample, until the time is over or a signal comes.
pub(super) struct Pace {
    signals: Signals,
    /// None if it depends on the number of processes.
    rate: Option<u32>,
    interval: Duration,
    began: Instant,
    /// None if only a signal ends it.
    end: Option<Instant>,
    due: Instant,
    last: Instant,
    next_look: Instant,
    second: u64,
}

/// An instant at which to sample.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tick {
    /// Nanoseconds since the beginning.
    pub(super) at: u64,
    /// Nanoseconds since the tick before.
    pub(super) weight: u64,
    /// Whether it is time to look for new processes.
    pub(super) is_time_to_look: bool,
    /// Whether another second has begun.
    pub(super) is_second_over: bool,
}

impl Pace {
    /// `rate` ticks a second, or as [`spread`](Self::spread) finds fit; no end if the duration is zero.
    pub(super) fn new(rate: Option<u32>, duration: Duration) -> Result<Self> {
        let signals =
            Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot install signal handlers")?;
        let now = Instant::now();
        let interval = Duration::from_secs(1) / rate.unwrap_or(RATE);
        Ok(Self {
            signals,
            rate,
            interval,
            began: now,
            end: (!duration.is_zero())
                .then(|| now.checked_add(duration))
                .flatten(),
            due: now + interval,
            last: now,
            next_look: now + LOOK,
            second: 0,
        })
    }

    /// The nominal time between two samples.
    pub(super) fn interval_ns(&self) -> u64 {
        nanoseconds(self.interval)
    }

    /// So many stacks are read at each tick: where they are many, ticks become fewer, unless a rate was asked for.
    pub(super) fn spread(&mut self, stacks: u32) {
        if self.rate.is_none() {
            let second = Duration::from_secs(1);
            // A key, a signal and a new process wait for the next tick.
            self.interval = (second / RATE).max(second / MOST_STACKS * stacks).min(LOOK);
        }
    }

    /// Waits for the next tick; none at the end.
    pub(super) fn next(&mut self) -> Option<Tick> {
        let now = Instant::now();
        if let Some(wait) = self.due.checked_duration_since(now) {
            thread::sleep(wait);
        }
        let now = Instant::now();
        if self.signals.pending().next().is_some() || self.end.is_some_and(|end| now > end) {
            return None;
        }
        self.due += self.interval;
        if self.due < now {
            // Late: what was missed is not made up for, but the weight has the time.
            self.due = now + self.interval;
        }
        let passed = now - self.began;
        let is_second_over = passed.as_secs() > self.second;
        self.second = passed.as_secs();
        let is_time_to_look = now >= self.next_look;
        if is_time_to_look {
            self.next_look = now + LOOK;
        }
        let weight = nanoseconds(now - self.last);
        self.last = now;
        Some(Tick {
            at: nanoseconds(passed),
            weight,
            is_time_to_look,
            is_second_over,
        })
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_processes_are_sampled_at_a_lower_rate_unless_one_is_asked_for() {
        let interval = |rate, stacks| {
            let mut pace = Pace::new(rate, Duration::ZERO).unwrap();
            pace.spread(stacks);
            pace.interval.as_millis()
        };
        assert_eq!(
            [0, 1, 10].map(|stacks| interval(None, stacks)),
            [10, 10, 10]
        );
        assert_eq!(
            [20, 150, 9000].map(|stacks| interval(None, stacks)),
            [20, 150, 500]
        );
        assert_eq!(interval(Some(99), 150), 10);
    }
}
