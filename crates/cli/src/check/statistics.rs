//! The noise of two series of runs.
//!
//! The noise is twice the standard error of the difference of the two means:
//! if nothing changed, about 19 of 20 comparisons stay within it.

/// The fewest runs of a side from which a spread is computed.
const FEWEST: usize = 3;

/// The runs of both sides of a comparison.
#[derive(Debug, Clone)]
pub(super) struct Noise {
    base: Vec<f64>,
    new: Vec<f64>,
}

impl Noise {
    pub(super) fn new(base: Vec<f64>, new: Vec<f64>) -> Self {
        Self { base, new }
    }

    /// The mean of the base.
    pub(super) fn base(&self) -> f64 {
        mean(&self.base)
    }

    /// By how much the means differ by chance.
    pub(super) fn width(&self) -> f64 {
        2.0 * (squared_error(&self.base) + squared_error(&self.new)).sqrt()
    }

    /// Refuses runs that are too few, or differ by more than `most`, a share of
    /// the base.
    pub(super) fn check(&self, most: f64) -> Result<(), String> {
        let (base, new) = (self.base.len(), self.new.len());
        if base.min(new) < FEWEST {
            return Err(format!(
                "the noise needs {FEWEST} runs or more of each side, and there are {base} of the base \
                 and {new} now: set repeat: 5, or give --repeat 5"
            ));
        }
        let width = self.width();
        if width == 0.0 {
            return Ok(());
        }
        let share = width / self.base();
        if share <= most {
            return Ok(());
        }
        // The error shrinks with the square root of the runs.
        let runs = (len(&self.base).max(len(&self.new)) * (share / most).powi(2)).ceil();
        let percent = |share: f64| format!("{:.1}%", share * 100.0);
        Err(format!(
            "too noisy: runs differ by {} of the base, and {} are allowed (max_noise); about {runs} runs \
             a side would do",
            percent(share),
            percent(most)
        ))
    }
}

/// The square of the standard error of a mean.
fn squared_error(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    squares / (len(values) - 1.0) / len(values)
}

/// The mean; zero of nothing.
pub(super) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    values.iter().sum::<f64>() / len(values)
}

/// The value in the middle, the lower of two; zero of nothing.
pub(super) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len().saturating_sub(1) / 2;
    sorted.get(middle).copied().unwrap_or_default()
}

/// The largest value; zero of nothing.
pub(super) fn largest(values: &[f64]) -> f64 {
    values
        .iter()
        .copied()
        .max_by(f64::total_cmp)
        .unwrap_or_default()
}

/// The smallest value; zero of nothing.
pub(super) fn smallest(values: &[f64]) -> f64 {
    values
        .iter()
        .copied()
        .min_by(f64::total_cmp)
        .unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "a number of runs")]
fn len(values: &[f64]) -> f64 {
    values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_runs_have_no_noise() {
        let noise = Noise::new(vec![5.0; 3], vec![5.0; 4]);
        assert!(noise.width().abs() < f64::EPSILON && noise.check(0.01).is_ok());
    }

    #[test]
    fn the_noise_is_twice_the_standard_error_of_the_difference() {
        // Variances 1 and 1 of three runs each: 2 * sqrt(1/3 + 1/3).
        let noise = Noise::new(vec![9.0, 10.0, 11.0], vec![19.0, 20.0, 21.0]);
        assert!((noise.width() - 2.0 * (2.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        // 16 % of the base; four times the runs would halve it.
        let why = noise.check(0.0816).unwrap_err();
        assert!(
            why.contains("16.3%") && why.contains("about 13 runs"),
            "{why}"
        );
    }

    #[test]
    fn the_median_of_two_is_the_lower() {
        assert_eq!(
            [median(&[3.0, 1.0]), median(&[3.0, 1.0, 2.0]), median(&[])],
            [1.0, 2.0, 0.0]
        );
    }
}
