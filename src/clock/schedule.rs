//! When a sampling timer expires.

use recorder::SlotGrid;

use super::calibration::clock_ns;

/// One expiration of the timer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fired {
    /// `CLOCK_MONOTONIC`, in nanoseconds.
    pub(crate) at: u64,
    /// The time since the last expiration, on the sampled clock; of the first one, the
    /// interval and the delay.
    pub(crate) elapsed: u64,
}

/// When to sample.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Schedule {
    clock: libc::clockid_t,
    interval_ns: u64,
    slots: Option<SlotGrid>,
    /// When it expired last, or an interval before the first time…
    last: u64,
    /// … and when it expires next: one delay does not shift later expirations.
    due: u64,
}

/// The shortest sleep on the CPU clock, which stands still while a program waits.
const MIN_CPU_SLEEP_NS: u64 = 50_000;

impl Schedule {
    /// A schedule that begins now. It expires first at a random time in the first
    /// interval: otherwise short requests, and the beginning of long ones, would get
    /// no sample. The interval is on `clock`: `CLOCK_MONOTONIC`, or the CPU clock of a
    /// thread, which has no slots.
    ///
    /// `wakes_at` is a random time on `CLOCK_MONOTONIC` at which the timer's thread
    /// wakes up anyway: the first expiration, if it is in the first interval.
    pub(super) fn starting(
        clock: libc::clockid_t,
        interval_ns: u64,
        slots: Option<SlotGrid>,
        wakes_at: u64,
        random: &mut Random,
    ) -> Self {
        let slots = slots.filter(|_| clock == libc::CLOCK_MONOTONIC);
        let now = clock_ns(clock);
        let is_awake_in_time = wakes_at > now && wakes_at - now <= interval_ns;
        let due = match slots {
            Some(slots) => slots.next_after(now),
            None if clock == libc::CLOCK_MONOTONIC && is_awake_in_time => wakes_at,
            None => now + random.below(interval_ns),
        };
        Self {
            clock,
            interval_ns,
            slots,
            // As if it had expired an interval before: the first sample stands for an
            // interval, as the others do. With the time since the beginning, the samples
            // of many short requests would add up to less than their time, and late code
            // would weigh more than early code.
            last: due.wrapping_sub(interval_ns),
            due,
        }
    }

    /// The interval between two expirations.
    pub(super) fn interval_ns(&self) -> u64 {
        self.interval_ns
    }

    /// The expiration, if it is due. The next one is at least `least_ns` later.
    pub(super) fn fire(&mut self, least_ns: u64, random: &mut Random) -> Option<Fired> {
        let now = clock_ns(self.clock);
        (now >= self.due).then(|| {
            let fired = self.expire(now);
            // Missed expirations are not made up for.
            self.due = match self.slots {
                Some(slots) => slots.next_after(now + least_ns),
                None => (self.due + random.around(self.interval_ns))
                    .max(now + self.interval_ns / 2)
                    .max(now + least_ns),
            };
            fired
        })
    }

    /// At the end: the expiration for a slot that began since the last one.
    pub(super) fn last_fire(&mut self) -> Option<Fired> {
        let now = clock_ns(self.clock);
        let has_begun = self.slots?.next_after(self.last) <= now;
        has_begun.then(|| self.expire(now))
    }

    fn expire(&mut self, now: u64) -> Fired {
        // A CPU clock may have begun less than an interval ago.
        let elapsed = now.wrapping_sub(self.last);
        self.last = now;
        let at = match self.clock {
            libc::CLOCK_MONOTONIC => now,
            _ => clock_ns(libc::CLOCK_MONOTONIC),
        };
        Fired { at, elapsed }
    }

    /// Whether a thread that wakes up at that time on `CLOCK_MONOTONIC` is in time for
    /// the next expiration.
    pub(super) fn is_in_time(&self, wakes_at: u64) -> bool {
        match self.clock {
            libc::CLOCK_MONOTONIC => wakes_at <= self.due,
            _ => wakes_at <= clock_ns(libc::CLOCK_MONOTONIC) + self.pause_ns(),
        }
    }

    /// How long to sleep until the next expiration may be due, in nanoseconds. CPU
    /// time advances no faster than wall time, but may stand still.
    pub(super) fn pause_ns(&self) -> u64 {
        let left = self.due.saturating_sub(clock_ns(self.clock));
        if self.clock == libc::CLOCK_MONOTONIC {
            left
        } else {
            left.max(MIN_CPU_SLEEP_NS)
        }
    }
}

/// Random numbers for the interval: xorshift, seeded by the clock.
#[derive(Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new() -> Self {
        Self(clock_ns(libc::CLOCK_MONOTONIC).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// From three to five quarters of `mean`.
    pub(super) fn around(&mut self, mean: u64) -> u64 {
        mean - mean / 4 + self.below(mean / 2 + 1)
    }

    /// Less than `end`, which is not zero.
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end.max(1)
    }
}
