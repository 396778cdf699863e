//! The processor's speed, measured as the time of a fixed piece of work.
//!
//! Costs measured at one speed are scaled to another. If a speed is unknown,
//! costs are not scaled.

use crate::{Overhead, Ticks};

/// The ticks of a fixed piece of work; zero if unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Pace(u64);

/// The maximum change of the speed: a larger one means that the measurement was
/// interrupted.
const MOST: u64 = 4;

impl Pace {
    /// No measurement.
    pub const UNKNOWN: Self = Self(0);

    /// A measurement: the work took this many ticks.
    #[must_use]
    pub const fn new(ticks: Ticks) -> Self {
        Self(ticks.0)
    }

    /// Whether the speed is known.
    #[must_use]
    pub const fn is_known(self) -> bool {
        self.0 != 0
    }

    /// The mean of two measurements.
    #[must_use]
    pub const fn between(self, other: Self) -> Self {
        if self.is_known() && other.is_known() {
            Self(self.0.midpoint(other.0))
        } else {
            Self::UNKNOWN
        }
    }

    /// Scales `cost` from this speed to `other`.
    #[must_use]
    pub fn scale(self, cost: u64, other: Self) -> u64 {
        if !self.is_known() || !other.is_known() {
            return cost;
        }
        let least = self.0.div_ceil(MOST);
        let there = other.0.clamp(least, self.0.saturating_mul(MOST));
        let scaled = u128::from(cost) * u128::from(there) + u128::from(self.0 / 2);
        u64::try_from(scaled / u128::from(self.0)).unwrap_or(u64::MAX)
    }

    /// The same for the parts of a call's overhead. The rounding error of one
    /// part is added to the other: the sum is exact.
    #[must_use]
    pub fn scale_overhead(self, cost: Overhead, other: Self) -> Overhead {
        let scaled = |Ticks(cost)| Ticks(self.scale(cost, other));
        let inside = scaled(cost.inside);
        let sum = scaled(cost.inside.saturating_add(cost.outside));
        Overhead {
            inside,
            outside: sum.since(inside),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_grows_and_shrinks_with_the_pace() {
        let fast = Pace(1_000);
        let slow = Pace(1_900);
        assert_eq!(fast.scale(100, slow), 190);
        assert_eq!(slow.scale(190, fast), 100);
        assert_eq!(fast.scale(100, fast), 100);
    }

    #[test]
    fn the_sum_of_a_calls_cost_is_not_rounded_twice() {
        let cost = Overhead {
            inside: Ticks(1),
            outside: Ticks(1),
        };
        let scaled = Pace(1_000).scale_overhead(cost, Pace(1_500));
        assert_eq!(scaled.inside.0 + scaled.outside.0, 3);
    }

    #[test]
    fn what_cannot_be_is_not_believed() {
        let pace = Pace(1_000);
        assert_eq!(pace.scale(10, Pace(1_000_000)), 40);
        assert_eq!(pace.scale(100, Pace(1)), 25);
        assert_eq!(pace.scale(u64::MAX, Pace(4_000)), u64::MAX);
    }

    #[test]
    fn without_a_pace_nothing_is_scaled() {
        assert_eq!(Pace::UNKNOWN.scale(77, Pace(1_000)), 77);
        assert_eq!(Pace(1_000).scale(77, Pace::UNKNOWN), 77);
        assert!(!Pace::UNKNOWN.between(Pace(9)).is_known());
        assert_eq!(Pace(1_000).between(Pace(2_000)), Pace(1_500));
    }
}
