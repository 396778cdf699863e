//! Readings at a function's entry and exit, in the units of their sources.
//!
//! Ticks are summed up as integers and converted to nanoseconds once, at the
//! end, by a [`TickRate`]. Converting each call would cost a multiplication and
//! add a rounding error each time.

/// One reading of the clocks and of PHP's memory.
///
/// `wall` and `cpu` are ticks (of the engine's clock), `memory` and `peak`
/// bytes. Fields that the profile does not record stay zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reading {
    /// Ticks of the wall clock.
    pub wall: u64,
    /// Ticks of the CPU-time clock.
    pub cpu: u64,
    /// Bytes that PHP has in use.
    pub memory: i64,
    /// The highest `memory` so far.
    pub peak: i64,
}

impl Reading {
    /// All fields zero.
    pub(crate) const ZERO: Self = Self {
        wall: 0,
        cpu: 0,
        memory: 0,
        peak: 0,
    };

    /// The cost between `earlier` and this reading.
    ///
    /// A clock that stepped back gives zero instead of centuries. Memory is
    /// signed, because PHP also frees memory.
    #[inline]
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            wall: self.wall.saturating_sub(earlier.wall),
            cpu: self.cpu.saturating_sub(earlier.cpu),
            memory: self.memory.wrapping_sub(earlier.memory),
            peak: self.peak.wrapping_sub(earlier.peak),
        }
    }

    /// Takes a reading of the fields in the plan; the other fields keep their
    /// values, and are not used.
    #[inline(always)]
    pub(crate) fn read<P: Plan>(&mut self, read: impl Fn() -> Self) {
        let now = read();
        self.wall = now.wall;
        if P::CPU {
            self.cpu = now.cpu;
        }
        if P::MEMORY {
            self.memory = now.memory;
            self.peak = now.peak;
        }
    }

    /// Moves this reading forward by the length of `pause`: a frame starts
    /// later by the time in which it did not run.
    pub(crate) fn delayed_by(self, pause: Self) -> Self {
        Self {
            wall: self.wall.wrapping_add(pause.wall),
            cpu: self.cpu.wrapping_add(pause.cpu),
            memory: self.memory.wrapping_add(pause.memory),
            peak: self.peak.wrapping_add(pause.peak),
        }
    }
}

/// The recorded costs, fixed at compile time, so that each combination has its
/// own hot path.
pub trait Plan {
    /// CPU time is read.
    const CPU: bool;
    /// Memory and its peak are read.
    const MEMORY: bool;
    /// Calls are keyed by their whole path ([`Shape::Tree`](crate::Shape)),
    /// else by caller and callee. Must match the recorder's shape.
    const TREE: bool;
    /// Each call is an event ([`Shape::Events`](crate::Shape)). Requires
    /// `TREE`.
    const EVENTS: bool = false;
    /// The engine reports a call's end before the call's variables are
    /// destroyed, by [`Recorder::end_marked`](crate::Recorder::end_marked).
    const ENDS_EARLY: bool = false;
}

/// The duration of a tick: the measured frequency of a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TickRate {
    hertz: u64,
    /// Whole nanoseconds of a tick…
    whole: u64,
    /// … and the fraction, in 2⁻⁶⁴ nanoseconds, rounded down: a division by
    /// `hertz` takes as long as ten multiplications.
    rest: u64,
}

impl TickRate {
    /// A clock whose ticks are nanoseconds.
    pub const NANOSECONDS: Self = Self::new(1_000_000_000);

    /// A clock of `hertz` ticks a second; zero counts as one.
    #[must_use]
    pub const fn new(hertz: u64) -> Self {
        let hertz = if hertz == 0 { 1 } else { hertz };
        let rest = ((1_000_000_000 % hertz) as u128) << 64;
        Self {
            hertz,
            whole: 1_000_000_000 / hertz,
            #[expect(clippy::cast_possible_truncation, reason = "less than one, times 2⁶⁴")]
            rest: (rest / hertz as u128) as u64,
        }
    }

    /// Ticks a second.
    #[must_use]
    pub fn hertz(self) -> u64 {
        self.hertz
    }

    /// Converts a sum of ticks to nanoseconds, rounded to the nearest.
    #[must_use]
    pub fn nanoseconds(self, ticks: u64) -> u64 {
        let Some(whole) = ticks.checked_mul(self.whole) else {
            return u64::MAX;
        };
        let rest = ((u128::from(ticks) * u128::from(self.rest)) >> 64) as u64;
        let below = whole.saturating_add(rest);
        // Rounding down made this too small by less than one; the remainder
        // shows by how much. It is small, so it is right even if the numbers
        // wrapped.
        let left = ticks
            .wrapping_mul(1_000_000_000)
            .wrapping_sub(below.wrapping_mul(self.hertz));
        let half = self.hertz / 2;
        let up = u64::from(left >= self.hertz - half)
            + u64::from(left >= self.hertz.saturating_mul(2) - half);
        below.saturating_add(up)
    }

    /// The ticks that pass in `nanoseconds`, rounded down.
    #[must_use]
    pub fn ticks_in_nanoseconds(self, nanoseconds: u64) -> u64 {
        let ticks = u128::from(nanoseconds) * u128::from(self.hertz) / 1_000_000_000;
        u64::try_from(ticks).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_become_nanoseconds_without_drift() {
        let rate = TickRate::new(2_499_998_123);
        assert_eq!(rate.nanoseconds(2_499_998_123), 1_000_000_000);
        assert_eq!(rate.nanoseconds(2_499_998_123 * 86_400), 86_400_000_000_000);
        assert_eq!(TickRate::NANOSECONDS.nanoseconds(7), 7);
    }

    #[test]
    fn nanoseconds_are_what_a_division_would_give() {
        let mut random = 0x9E37_79B9_7F4A_7C15_u64;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random
        };
        for _ in 0..100_000 {
            let hertz = (next() >> (next() % 60)).clamp(1, 1 << 62);
            let ticks = next() >> (next() % 64);
            let exact =
                (u128::from(ticks) * 1_000_000_000 + u128::from(hertz / 2)) / u128::from(hertz);
            let exact = u64::try_from(exact).unwrap_or(u64::MAX);
            assert_eq!(
                TickRate::new(hertz).nanoseconds(ticks),
                exact,
                "{ticks} at {hertz}"
            );
        }
    }

    #[test]
    fn a_clock_that_steps_back_costs_nothing() {
        let later = Reading {
            wall: 5,
            ..Reading::default()
        };
        let earlier = Reading {
            wall: 9,
            ..Reading::default()
        };
        assert_eq!(later.since(earlier).wall, 0);
    }

    #[test]
    fn memory_that_is_given_back_is_negative() {
        let later = Reading {
            memory: 10,
            ..Reading::default()
        };
        let earlier = Reading {
            memory: 30,
            ..Reading::default()
        };
        assert_eq!(later.since(earlier).memory, -20);
    }

    #[test]
    fn a_rate_of_zero_does_not_divide_by_zero() {
        assert_eq!(TickRate::new(0).nanoseconds(1), 1_000_000_000);
    }
}
