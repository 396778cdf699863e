//! A thread's CPU time, from the cycle counter between two system calls.
//!
//! The kernel's CPU time excludes what it does for others on this CPU:
//! interrupts, and time that a hypervisor takes. The cycle counter includes
//! them. So after a switch the kernel's count may be less than an earlier
//! reading, by some microseconds. A clock that steps back would make a function
//! that was open across the switch cost less CPU time than its callees. This
//! clock stands still until the kernel's count has caught up.
//!
//! **Invariant:** unless the counter steps back, no reading is less than an
//! earlier one, and errors do not accumulate.

use std::cell::Cell;

use super::ticks::Ticks;

/// CPU time in ticks of the cycle counter.
#[derive(Debug, Default)]
pub struct CpuClock {
    /// The difference between the counter and CPU time.
    ahead: Cell<Ticks>,
    /// The last reading.
    last: Cell<Ticks>,
}

impl CpuClock {
    /// A clock that was never set.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            ahead: Cell::new(Ticks::ZERO),
            last: Cell::new(Ticks::ZERO),
        }
    }

    /// CPU time at the counter value `counter`. Only valid while the clock [has
    /// caught up](Self::catch_up), and the thread was not switched out since.
    #[inline(always)]
    pub fn read(&self, counter: Ticks) -> Ticks {
        let time = counter.wrapping_sub(self.ahead.get());
        self.last.set(time);
        time
    }

    /// Sets the clock to the kernel's count, which was `used` ticks at the
    /// counter value `counter`. Call [`catch_up`](Self::catch_up) next.
    pub fn resynchronise(&self, counter: Ticks, used: Ticks) {
        self.ahead.set(counter.wrapping_sub(used));
    }

    /// CPU time at the counter value `counter`, after
    /// [`resynchronise`](Self::resynchronise); and whether the kernel's count
    /// has caught up with earlier readings.
    pub fn catch_up(&self, counter: Ticks) -> (Ticks, bool) {
        let time = counter.wrapping_sub(self.ahead.get());
        let last = self.last.get();
        if last.is_after(time) {
            return (last, false);
        }
        self.last.set(time);
        (time, true)
    }

    /// Forgets all readings, which had another tick rate.
    pub fn forget(&self) {
        self.ahead.set(Ticks::ZERO);
        self.last.set(Ticks::ZERO);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_counter_until_the_kernel_is_asked() {
        let clock = CpuClock::new();
        clock.resynchronise(Ticks(10_000), Ticks(400));
        assert_eq!(clock.catch_up(Ticks(10_000)), (Ticks(400), true));
        assert_eq!(clock.read(Ticks(10_500)), Ticks(900));
        // Switched out for 99,000 ticks.
        clock.resynchronise(Ticks(110_000), Ticks(1_300));
        assert_eq!(clock.catch_up(Ticks(110_100)), (Ticks(1_400), true));
    }

    #[test]
    fn stands_still_where_the_kernel_left_interrupts_out() {
        let clock = CpuClock::new();
        clock.resynchronise(Ticks(10_000), Ticks(400));
        assert_eq!(clock.read(Ticks(20_000)), Ticks(10_400));
        // 3,000 of those ticks were an interrupt's. The kernel is asked twice.
        clock.resynchronise(Ticks(40_000), Ticks(7_400));
        clock.resynchronise(Ticks(50_000), Ticks(7_500));
        assert_eq!(clock.catch_up(Ticks(50_000)), (Ticks(10_400), false));
        assert_eq!(clock.catch_up(Ticks(52_899)), (Ticks(10_400), false));
        assert_eq!(clock.catch_up(Ticks(52_900)), (Ticks(10_400), true));
        assert_eq!(clock.read(Ticks(53_000)), Ticks(10_500));
    }

    #[test]
    fn readings_never_decrease_and_their_error_does_not_add_up() {
        let clock = CpuClock::new();
        let mut seed = 88_172_645_463_325_252_u64;
        let mut random = move |below: u64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 11) % below
        };
        let (mut counter, mut used, mut last) = (1_u64 << 60, 0_u64, 0_u64);
        clock.resynchronise(Ticks(counter), Ticks(used));
        let mut has_caught_up = false;
        for _ in 0..100_000 {
            let ran = random(5_000);
            counter += ran;
            // An interrupt takes some of it occasionally.
            used += if random(10) == 0 { ran / 2 } else { ran };
            if random(20) == 0 {
                counter += random(100_000);
                clock.resynchronise(Ticks(counter), Ticks(used));
                has_caught_up = false;
            }
            let Ticks(now) = if has_caught_up {
                clock.read(Ticks(counter))
            } else {
                let (now, is_over) = clock.catch_up(Ticks(counter));
                has_caught_up = is_over;
                now
            };
            assert!(now >= last, "{now} after {last}");
            assert!(now.abs_diff(used) < 50_000, "{now} of {used}");
            last = now;
        }
    }

    #[test]
    fn other_ticks_begin_anew() {
        let clock = CpuClock::new();
        clock.resynchronise(Ticks(1_000_000), Ticks(900_000));
        assert_eq!(clock.read(Ticks(1_000_500)), Ticks(900_500));
        clock.forget();
        clock.resynchronise(Ticks(2_000), Ticks(300));
        assert_eq!(clock.catch_up(Ticks(2_100)), (Ticks(400), true));
    }
}
