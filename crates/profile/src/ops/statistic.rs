//! One cost in several runs: its mean and standard deviation.

/// The mean of some runs, and their standard deviation.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Statistic {
    /// The mean.
    pub mean: f64,
    /// The standard deviation of a sample; zero for one run.
    pub spread: f64,
    /// The standard error of the mean that comes from [estimates](crate::Estimate);
    /// zero if all calls were timed.
    pub error: f64,
}

/// A cost before and after.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Change {
    /// Before.
    pub base: Statistic,
    /// After.
    pub new: Statistic,
}

impl Change {
    /// The increase; negative if it decreased.
    #[must_use]
    pub fn absolute(&self) -> f64 {
        self.new.mean - self.base.mean
    }

    /// The increase relative to the old value: 0.5 is 50 % more. None if the
    /// old value was zero, or if one of them is negative, as freed memory: then
    /// a ratio is meaningless.
    #[must_use]
    pub fn relative(&self) -> Option<f64> {
        let has_share = self.base.mean > 0.0 && self.new.mean >= 0.0;
        has_share.then(|| self.absolute() / self.base.mean)
    }

    /// Whether the difference is not larger than the spreads of both sides
    /// together, or than the [error](Self::error_margin) of estimates. Single
    /// runs have no spread, so only a difference of zero is within it if all
    /// calls were timed.
    #[must_use]
    pub fn is_within_spread(&self) -> bool {
        let difference = self.absolute().abs();
        difference <= self.base.spread + self.new.spread || difference <= self.error_margin()
    }

    /// Half the width of the 95 % interval of the difference that comes from
    /// estimates: the errors of both sides are independent.
    #[must_use]
    pub fn error_margin(&self) -> f64 {
        1.96 * self.base.error.hypot(self.new.error)
    }
}

/// Sums up runs, in integers while they fit: equal runs have no spread.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    sum: i128,
    squares: i128,
    variance: u128,
    /// The errors that are the same in all runs.
    common: f64,
}

impl Sums {
    pub(super) fn add(&mut self, value: i64) {
        let value = i128::from(value);
        self.sum = self.sum.saturating_add(value);
        self.squares = self.squares.saturating_add(value * value);
    }

    /// Adds the variance of a value that was added, of which a part is `chance`. The
    /// rest is an error that is the same in all runs.
    #[expect(clippy::cast_precision_loss, reason = "an error is read, not summed")]
    pub(super) fn add_variance(&mut self, variance: u128, chance: u128) {
        let chance = chance.min(variance);
        self.variance = self.variance.saturating_add(chance);
        self.common += ((variance - chance) as f64).sqrt();
    }

    /// The standard error of the sum.
    #[expect(clippy::cast_precision_loss, reason = "an error is read, not summed")]
    fn error(&self) -> f64 {
        if self.common == 0.0 {
            return (self.variance as f64).sqrt();
        }
        (self.variance as f64).sqrt().hypot(self.common)
    }

    /// The statistic of this many runs; runs that were not added count as zero.
    #[expect(clippy::cast_precision_loss, reason = "a mean is read, not summed")]
    pub(super) fn statistic(&self, runs: usize) -> Statistic {
        if runs == 0 {
            return Statistic::default();
        }
        // The fast path for a comparison of two files with millions of edges.
        if runs == 1
            && let Ok(sum) = i64::try_from(self.sum)
        {
            let mean = sum as f64;
            return Statistic {
                mean,
                spread: 0.0,
                error: self.error(),
            };
        }
        let count = runs as f64;
        let mean = self.sum as f64 / count;
        let exact = i128::try_from(runs).ok().and_then(|runs| {
            let squares = self.squares.checked_mul(runs)?;
            squares.checked_sub(self.sum.checked_mul(self.sum)?)
        });
        let scaled = exact.map_or_else(
            || self.squares as f64 * count - (self.sum as f64).powi(2),
            |exact| exact as f64,
        );
        let spread = if runs > 1 {
            (scaled.max(0.0) / (count * (count - 1.0))).sqrt()
        } else {
            0.0
        };
        Statistic {
            mean,
            spread,
            error: self.error() / count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[i64], runs: usize) -> Statistic {
        let mut sums = Sums::default();
        for value in values {
            sums.add(*value);
        }
        sums.statistic(runs)
    }

    #[test]
    fn mean_and_spread_are_those_of_the_textbook() {
        let statistic = of(&[2, 4, 4, 4, 5, 5, 7, 9], 8);
        assert!((statistic.mean - 5.0).abs() < 1e-12);
        assert!((statistic.spread - (32.0_f64 / 7.0).sqrt()).abs() < 1e-12);
        // A run without the cost counts as zero.
        assert!((of(&[6], 3).mean - 2.0).abs() < 1e-12);
        let equal = of(&[i64::MAX / 3; 3], 3);
        assert_eq!(equal.spread, 0.0);
        assert_eq!(of(&[], 0), Statistic::default());
    }

    #[test]
    fn a_difference_below_the_error_of_estimates_is_marked() {
        let side = |mean, error| Statistic {
            mean,
            spread: 0.0,
            error,
        };
        // √(3² + 4²) is 5, of which 1.96 times is 9.8.
        let change = |new| Change {
            base: side(100.0, 3.0),
            new: side(new, 4.0),
        };
        assert!(change(109.0).is_within_spread() && change(91.0).is_within_spread());
        assert!(!change(110.0).is_within_spread() && !change(90.0).is_within_spread());
        let mut sums = Sums::default();
        for value in [10, 20, 30, 40] {
            sums.add(value);
            sums.add_variance(100, 100);
        }
        // The mean of four has half the error of one, if it is chance…
        assert!((sums.statistic(4).error - 5.0).abs() < 1e-12);
        let mut sums = Sums::default();
        for value in [10, 20, 30, 40] {
            sums.add(value);
            sums.add_variance(100 + 144, 100);
        }
        // … and the error of one, if it is the same in all.
        assert!((sums.statistic(4).error - 13.0).abs() < 1e-12);
    }

    #[test]
    fn a_difference_below_the_spread_is_marked() {
        let change = |base: &[i64], new: &[i64]| Change {
            base: of(base, base.len()),
            new: of(new, new.len()),
        };
        assert!(change(&[10, 20, 30], &[15, 25, 32]).is_within_spread());
        assert!(!change(&[10, 11, 12], &[30, 31, 32]).is_within_spread());
        assert!(!change(&[10], &[11]).is_within_spread());
        assert!(change(&[10], &[10]).is_within_spread());
        assert_eq!(change(&[0], &[5]).relative(), None);
        assert_eq!(change(&[10], &[5]).relative(), Some(-0.5));
        assert_eq!(change(&[-10], &[-5]).relative(), None);
        assert_eq!(change(&[10], &[-5]).relative(), None);
    }
}
