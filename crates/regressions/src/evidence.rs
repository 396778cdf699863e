//! The test: the windows after a release against the windows before it.
//!
//! A t test of the mean of `m` new values against the mean of `K` old ones, with
//! the variance moderated as in [`bayes`](crate::bayes). Its unit is the window,
//! because runs of the same day are not independent of each other.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::bayes::{Prior, Spread};
use crate::series::{Family, Series, mean};

/// What a test says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Evidence {
    /// New minus old: a logarithm, or KiB for memory.
    pub(crate) effect: f64,
    /// The standard error of the effect.
    pub(crate) error: f64,
    pub(crate) t: f64,
    pub(crate) freedom: f64,
    /// The probability of such an increase without a change.
    pub(crate) p: f64,
    /// The same of such a decrease.
    pub(crate) p_less: f64,
}

impl Evidence {
    /// The stronger of two tests of the same change. That there were two makes
    /// both probabilities twice as large (C. E. Bonferroni, 1936).
    fn stronger(self, other: Self) -> Self {
        let p = |of: Self| of.p.min(of.p_less);
        let stronger = if p(other) < p(self) { other } else { self };
        Self {
            p: (2.0 * stronger.p).min(1.0),
            p_less: (2.0 * stronger.p_less).min(1.0),
            ..stronger
        }
    }
}

/// How a series varies, as far as other series tell.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Habits {
    /// The distribution of the variances.
    pub(crate) prior: Option<Prior>,
    /// The correlation of neighbouring windows.
    pub(crate) correlation: f64,
}

/// A series' history: what its new windows are compared with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Past {
    mean: f64,
    correlation: f64,
    windows: usize,
    within: f64,
    variance: f64,
    freedom: f64,
}

/// The variance between the windows of the history, and inside them.
pub(crate) fn spread(series: &Series, history: usize) -> Spread {
    let center = mean(&series.values, history);
    let old = series.values.iter().take(history);
    let squares: f64 = old.map(|value| (value - center).powi(2)).sum();
    let freedom = history.saturating_sub(1).max(1) as f64;
    Spread {
        between: squares / freedom,
        freedom,
        within: mean(&series.within, history),
    }
}

/// One series' test.
#[derive(Debug, Clone)]
pub(crate) struct Test {
    pub(crate) route: usize,
    /// The number of the series in its route.
    pub(crate) series: usize,
    pub(crate) past: Past,
    /// Whether the evidence at the last look is that of what other functions leave.
    pub(crate) is_rest: bool,
    /// The number of tests that the evidence was chosen from.
    pub(crate) tries: f64,
    pub(crate) weight: f64,
    /// The evidence at each look.
    pub(crate) looks: Vec<Evidence>,
    /// The first look at which it is an alarm.
    pub(crate) slower: Option<usize>,
    /// The first look at which it is an improvement.
    pub(crate) faster: Option<usize>,
    /// The p value that a finding takes.
    pub(crate) p_needed: f64,
}

impl Test {
    /// Tests a series as it is, and what other functions leave of it. A change that
    /// looks like another input is seen only by the first; the second sees smaller
    /// ones.
    pub(crate) fn new(
        (route, number): (usize, usize),
        series: &Series,
        past: Past,
        rest: Option<(&Series, Past)>,
        looks: usize,
        inflation: f64,
    ) -> Self {
        let mut test = Self {
            route,
            series: number,
            past,
            is_rest: false,
            tries: if rest.is_some() { 2.0 } else { 1.0 },
            weight: series.weight,
            looks: Vec::with_capacity(looks),
            slower: None,
            faster: None,
            p_needed: 0.0,
        };
        for look in 1..=looks {
            let plain = past.compare(series, look, inflation);
            let Some((of, rest)) = rest else {
                test.looks.push(plain);
                continue;
            };
            let left = rest.compare(of, look, inflation);
            let stronger = plain.stronger(left);
            test.is_rest = stronger.t == left.t;
            test.past = if test.is_rest { rest } else { past };
            test.looks.push(stronger);
        }
        test
    }

    /// The series whose evidence it has at the last look.
    pub(crate) fn of<'s>(&self, series: &'s Series) -> &'s Series {
        match &series.rest {
            Some(rest) if self.is_rest => rest,
            _ => series,
        }
    }

    /// The evidence at the last look.
    pub(crate) fn last(&self) -> Option<&Evidence> {
        self.looks.last()
    }

    /// What a finding takes, in standard errors.
    pub(crate) fn t_needed(&self) -> f64 {
        let freedom = self.last().map_or(1.0, |evidence| evidence.freedom);
        quantile(self.p_needed / self.tries, freedom)
    }
}

impl Past {
    pub(crate) fn new(series: &Series, history: usize, habits: Habits) -> Self {
        let spread = spread(series, history);
        let (variance, freedom) = match habits.prior {
            Some(prior) => prior.moderate(spread),
            None => (spread.between, spread.freedom),
        };
        // The smallest variance that a series can have: clocks and counts have
        // a resolution, and ratios of small counts vary at least as in a window.
        let least = match series.family {
            Family::Time | Family::Route => 1e-6,
            Family::Calls => f64::max(1e-6, 0.5 * spread.within),
            Family::Memory => 0.25,
        };
        Self {
            mean: mean(&series.values, history),
            correlation: habits.correlation,
            windows: history,
            within: spread.within,
            variance: variance.max(least),
            freedom,
        }
    }

    /// Compares the first `looks` windows after the release.
    pub(crate) fn compare(&self, series: &Series, looks: usize, inflation: f64) -> Evidence {
        let new = |values: &[f64]| {
            let new = values.iter().skip(self.windows).take(looks);
            new.sum::<f64>() / looks.max(1) as f64
        };
        let effect = new(&series.values) - self.mean;
        let error = self.error(new(&series.within), looks as f64, inflation);
        let t = effect / error;
        Evidence {
            effect,
            error,
            t,
            freedom: self.freedom,
            p: upper_tail(t, self.freedom),
            p_less: upper_tail(-t, self.freedom),
        }
    }

    /// The standard error with `looks` new windows of that variance inside.
    fn error(&self, within: f64, looks: f64, inflation: f64) -> f64 {
        // Windows with fewer runs than those of the history vary more.
        let new = self.variance + (within - self.within).max(0.0);
        let new = new / looks * repetition(looks, self.correlation);
        (new + self.variance / self.windows as f64).sqrt() * inflation
    }

    /// How many windows it takes until an effect of that size is a finding, if
    /// `t` is what a finding takes; none if a hundred are not enough.
    pub(crate) fn windows_needed(&self, effect: f64, t: f64, inflation: f64) -> Option<usize> {
        let is_enough =
            |&looks: &usize| effect >= t * self.error(self.within, looks as f64, inflation);
        (1..=100).find(is_enough)
    }
}

/// How much more the mean of correlated values varies than that of independent
/// ones, for an autoregressive process of order 1.
fn repetition(count: f64, correlation: f64) -> f64 {
    let (mut sum, mut distance, mut power) = (1.0, 1.0, correlation);
    while distance < count {
        sum += 2.0 * (1.0 - distance / count) * power;
        distance += 1.0;
        power *= correlation;
    }
    sum
}

/// The correlation of neighbouring windows before the release, from all series
/// together that vary more between windows than inside them.
///
/// The sample correlation of short series is too low; it is corrected by F. H. C.
/// Marriott and J. A. Pope, "Bias in the estimation of autocorrelations",
/// Biometrika 41 (1954).
pub(crate) fn correlation<'s>(series: impl Iterator<Item = (&'s Series, usize)>) -> f64 {
    let (mut sum, mut squares, mut windows, mut count) = (0.0, 0.0, 0.0, 0.0);
    for (series, history) in series {
        let spread = spread(series, history);
        if spread.between <= 2.0 * spread.within || spread.between <= 0.0 {
            continue;
        }
        let center = mean(&series.values, history);
        let old = series
            .values
            .iter()
            .take(history)
            .map(|value| value - center);
        let next = old.clone().skip(1);
        // Each series counts the same, however much it varies.
        sum += old.zip(next).map(|(a, b)| a * b).sum::<f64>() / spread.between;
        squares += spread.freedom;
        windows += history as f64;
        count += 1.0;
    }
    if count < MIN_CORRELATED {
        return MIN_CORRELATION;
    }
    let length = windows / count;
    let biased = sum / squares;
    ((biased + 1.0 / length) / (1.0 - 4.0 / length)).clamp(MIN_CORRELATION, 0.8)
}

/// The fewest series that a correlation is taken from.
const MIN_CORRELATED: f64 = 20.0;

/// The smallest correlation, and that without enough series. Load lasts for days;
/// functions that follow it are correlated although most are not, and one number
/// for all is too low for them.
const MIN_CORRELATION: f64 = 0.5;

/// The probability that Student's t is above `t`.
pub(crate) fn upper_tail(t: f64, freedom: f64) -> f64 {
    match StudentsT::new(0.0, 1.0, freedom) {
        Ok(law) if t.is_finite() => law.sf(t),
        _ => 1.0,
    }
}

/// The t whose upper tail is `p`.
pub(crate) fn quantile(p: f64, freedom: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while upper_tail(high, freedom) > p && high < 1e6 {
        low = high;
        high *= 2.0;
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if upper_tail(middle, freedom) > p {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(values: &[f64]) -> Series {
        Series {
            family: Family::Time,
            number: 0,
            weight: 1.0,
            values: values.to_vec(),
            within: vec![0.01; values.len()],
            response: 1.0,
            rest: None,
        }
    }

    #[test]
    fn the_tail_is_that_of_the_tables() {
        assert!((upper_tail(2.228, 10.0) - 0.025).abs() < 1e-4);
        assert!((upper_tail(-2.228, 10.0) - 0.975).abs() < 1e-4);
        // R: pt(8, 60, lower.tail = FALSE)
        let far = upper_tail(8.0, 60.0);
        assert!((far / 2.3e-11 - 1.0).abs() < 0.1, "{far}");
        assert!((quantile(0.025, 10.0) - 2.228).abs() < 1e-3);
    }

    #[test]
    fn the_statistic_is_that_of_the_two_sample_test() {
        let series = series(&[1.0, 2.0, 3.0, 5.0]);
        let past = Past::new(&series, 3, Habits::default());
        let evidence = past.compare(&series, 1, 1.0);
        // (5 − 2) / √(1 · (1 + 1/3)), 2 degrees of freedom.
        assert!((evidence.t - 3.0 / (4.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(evidence.freedom, 2.0);
    }

    #[test]
    fn the_mean_of_correlated_windows_varies_more() {
        assert!((repetition(3.0, 0.0) - 1.0).abs() < 1e-12);
        // (3 + 2 · 2 · 0.5 + 2 · 0.25) / 3
        assert!((repetition(3.0, 0.5) - 5.5 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn the_correlation_of_short_series_is_found() {
        // An autoregressive process with 0.6, driven by a fixed sequence.
        let mut state = 12345_u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 40) as f64 / f64::from(1 << 24) - 0.5
        };
        let all: Vec<Series> = (0..2000)
            .map(|_| {
                let mut at = 0.0;
                let mut next = || {
                    at = 0.6 * at + random();
                    at
                };
                for _ in 0..20 {
                    next();
                }
                series(&(0..14).map(|_| next()).collect::<Vec<f64>>())
            })
            .collect();
        let found = correlation(all.iter().map(|series| (series, 14)));
        assert!((found - 0.6).abs() < 0.05, "{found}");
        assert_eq!(
            correlation(all.iter().take(3).map(|series| (series, 14))),
            0.5
        );
    }

    #[test]
    fn a_smaller_effect_needs_more_windows() {
        let series = series(&[0.0, 0.1, -0.1, 0.1, -0.1, 0.0, 0.0, 0.2]);
        let past = Past::new(&series, 7, Habits::default());
        let large = past.windows_needed(0.5, 4.0, 1.1).unwrap();
        let small = past.windows_needed(0.25, 4.0, 1.1).unwrap();
        assert!(large < small, "{large} {small}");
        assert_eq!(past.windows_needed(0.01, 4.0, 1.1), None);
    }
}
