//! One cost in several runs: its mean and standard deviation.

/// The mean of some runs, and their standard deviation.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Statistic {
    /// The mean.
    pub mean: f64,
    /// The standard deviation of a sample; zero for one run.
    pub spread: f64,
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
    /// together. Single runs have no spread, so only a difference of zero is within it.
    #[must_use]
    pub fn is_within_spread(&self) -> bool {
        self.absolute().abs() <= self.base.spread + self.new.spread
    }
}

/// Sums up runs, in integers while they fit: equal runs have no spread.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    sum: i128,
    squares: i128,
}

impl Sums {
    pub(super) fn add(&mut self, value: i64) {
        let value = i128::from(value);
        self.sum = self.sum.saturating_add(value);
        self.squares = self.squares.saturating_add(value * value);
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
            return Statistic { mean, spread: 0.0 };
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
        Statistic { mean, spread }
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
