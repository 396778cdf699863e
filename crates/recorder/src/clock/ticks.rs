//! Raw clock units, and how long they last.
//!
//! Ticks are summed up as integers and converted to nanoseconds once, at the
//! end, by a [`TickRate`]. Converting each call would cost a multiplication and
//! add a rounding error each time.

/// Raw clock units. Only a [`TickRate`] knows how long they last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Ticks(pub u64);

impl Ticks {
    /// No ticks.
    pub const ZERO: Self = Self(0);
    /// More ticks than any clock reaches.
    pub const MAX: Self = Self(u64::MAX);

    /// The ticks since `earlier`, or zero if the clock stepped back.
    #[inline]
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }

    /// This instant or length, longer by `length`; at most [`MAX`](Self::MAX).
    #[inline]
    #[must_use]
    pub const fn saturating_add(self, length: Self) -> Self {
        Self(self.0.saturating_add(length.0))
    }

    /// The sum of two lengths, or an instant moved forward, modulo 2⁶⁴.
    #[inline]
    #[must_use]
    pub const fn wrapping_add(self, length: Self) -> Self {
        Self(self.0.wrapping_add(length.0))
    }

    /// The difference of two lengths or instants, modulo 2⁶⁴: sums stay exact even
    /// if a clock steps back.
    #[inline]
    #[must_use]
    pub const fn wrapping_sub(self, other: Self) -> Self {
        Self(self.0.wrapping_sub(other.0))
    }

    /// Whether this instant comes after `other`, on a clock that may wrap.
    #[inline]
    #[must_use]
    pub const fn is_after(self, other: Self) -> bool {
        self.0.wrapping_sub(other.0).cast_signed() > 0
    }
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
    pub fn nanoseconds(self, ticks: Ticks) -> u64 {
        let Ticks(ticks) = ticks;
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

    /// The same for a sum that may be negative, because of clocks of two CPUs.
    pub(crate) fn signed_nanoseconds(self, ticks: i64) -> i128 {
        if ticks == 0 {
            // Always so for CPU time that is not recorded.
            return 0;
        }
        let ns = i128::from(self.nanoseconds(Ticks(ticks.unsigned_abs())));
        if ticks < 0 { -ns } else { ns }
    }

    /// The ticks that pass in `nanoseconds`, rounded down.
    #[must_use]
    pub fn ticks_in_nanoseconds(self, nanoseconds: u64) -> Ticks {
        let ticks = u128::from(nanoseconds) * u128::from(self.hertz) / 1_000_000_000;
        Ticks(u64::try_from(ticks).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_become_nanoseconds_without_drift() {
        let rate = TickRate::new(2_499_998_123);
        assert_eq!(rate.nanoseconds(Ticks(2_499_998_123)), 1_000_000_000);
        assert_eq!(
            rate.nanoseconds(Ticks(2_499_998_123 * 86_400)),
            86_400_000_000_000
        );
        assert_eq!(TickRate::NANOSECONDS.nanoseconds(Ticks(7)), 7);
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
                TickRate::new(hertz).nanoseconds(Ticks(ticks)),
                exact,
                "{ticks} at {hertz}"
            );
        }
    }

    #[test]
    fn a_rate_of_zero_does_not_divide_by_zero() {
        assert_eq!(TickRate::new(0).nanoseconds(Ticks(1)), 1_000_000_000);
    }

    #[test]
    fn an_instant_before_another_is_zero_ticks_since_it() {
        assert_eq!(Ticks(7).since(Ticks(9)), Ticks::ZERO);
        assert_eq!(Ticks(9).since(Ticks(7)), Ticks(2));
    }

    #[test]
    fn instants_keep_their_order_where_a_clock_wraps() {
        assert!(Ticks(1).is_after(Ticks::MAX));
        assert!(!Ticks::MAX.is_after(Ticks(1)));
        assert!(!Ticks(5).is_after(Ticks(5)));
    }
}
