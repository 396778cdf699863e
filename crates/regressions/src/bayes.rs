//! Variances that borrow strength from each other: moderated t tests.
//!
//! With 14 windows of history, the variance of one series is a poor estimate.
//! Thousands of series together tell how variances are distributed, and each is
//! moved towards what the others make likely.
//!
//! Source: G. K. Smyth, "Linear models and empirical Bayes methods for assessing
//! differential expression in microarray experiments", Statistical Applications
//! in Genetics and Molecular Biology 3 (2004), section 6.2; the trend is that of
//! limma's `eBayes(trend = TRUE)`, with one straight line.

use statrs::function::gamma::digamma;

/// The largest weight of the prior, in degrees of freedom. Real variances differ
/// for more reasons than the model knows, so the prior is never certain.
const MAX_PRIOR_FREEDOM: f64 = 60.0;

/// One series' variance, and what predicts it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    /// The variance between the windows of the history.
    pub(crate) between: f64,
    /// Its degrees of freedom: windows − 1.
    pub(crate) freedom: f64,
    /// The mean variance of one window's value, estimated inside windows.
    pub(crate) within: f64,
}

/// The distribution of all variances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Prior {
    /// Its weight in degrees of freedom.
    freedom: f64,
    /// ln(variance) = offset + slope · ln(within).
    offset: f64,
    slope: f64,
}

impl Prior {
    /// Fits the prior to the spreads; none if there are fewer than ten.
    pub(crate) fn fit(spreads: &[Spread]) -> Option<Self> {
        let points: Vec<(f64, f64, f64)> = spreads
            .iter()
            .filter(|spread| spread.between > 0.0 && spread.within > 0.0 && spread.freedom > 0.0)
            .map(|spread| (spread.within.ln(), spread.between.ln(), spread.freedom))
            .collect();
        if points.len() < 10 {
            return None;
        }
        let count = points.len() as f64;
        let mean_x = points.iter().map(|point| point.0).sum::<f64>() / count;
        let mean_y = points.iter().map(|point| point.1).sum::<f64>() / count;
        let xx: f64 = points.iter().map(|point| (point.0 - mean_x).powi(2)).sum();
        let xy: f64 = points
            .iter()
            .map(|point| (point.0 - mean_x) * (point.1 - mean_y))
            .sum();
        // Without any spread of x there is no trend to fit.
        let slope = if xx > 1e-9 {
            (xy / xx).clamp(0.0, 1.5)
        } else {
            0.0
        };
        // E[ln s²] = ln σ² + digamma(d/2) − ln(d/2): Smyth's e_g.
        let residuals: Vec<f64> = points
            .iter()
            .map(|&(x, y, freedom)| {
                let half = freedom / 2.0;
                y - slope * x - digamma(half) + half.ln()
            })
            .collect();
        let mean = residuals.iter().sum::<f64>() / count;
        let spread = residuals.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / (count - 2.0);
        let sampling = points
            .iter()
            .map(|point| trigamma(point.2 / 2.0))
            .sum::<f64>()
            / count;
        let excess = spread - sampling;
        let freedom = if excess > 1e-3 {
            (2.0 * inverse_trigamma(excess)).min(MAX_PRIOR_FREEDOM)
        } else {
            MAX_PRIOR_FREEDOM
        };
        let half = freedom / 2.0;
        Some(Self {
            freedom,
            offset: mean + digamma(half) - half.ln(),
            slope,
        })
    }

    /// The moderated variance of a series, and its degrees of freedom.
    pub(crate) fn moderate(self, spread: Spread) -> (f64, f64) {
        if spread.within <= 0.0 {
            return (spread.between, spread.freedom);
        }
        let expected = (self.offset + self.slope * spread.within.ln()).exp();
        let freedom = self.freedom + spread.freedom;
        let variance = (self.freedom * expected + spread.freedom * spread.between) / freedom;
        (variance, freedom)
    }
}

/// The second derivative of ln Γ.
///
/// Recurrence up to 6, then the asymptotic series: Abramowitz and Stegun,
/// "Handbook of Mathematical Functions", 6.4.6 and 6.4.12.
fn trigamma(x: f64) -> f64 {
    let (mut x, mut sum) = (x, 0.0);
    while x < 6.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series = y * (1.0 / 6.0 - y * (1.0 / 30.0 - y * (1.0 / 42.0 - y / 30.0)));
    sum + 1.0 / x + y / 2.0 + series / x
}

/// The x whose trigamma is `value`: Newton's method on its reciprocal, as in the
/// appendix of Smyth (2004).
fn inverse_trigamma(value: f64) -> f64 {
    if value > 1e7 {
        return value.sqrt().recip();
    }
    let mut x = 0.5 + value.recip();
    for _ in 0..50 {
        let tri = trigamma(x);
        let step = tri * (1.0 - tri / value) / tetragamma(x);
        x += step;
        if (step / x).abs() < 1e-10 {
            break;
        }
    }
    x
}

/// The derivative of [`trigamma`], by the same two steps.
fn tetragamma(x: f64) -> f64 {
    let (mut x, mut sum) = (x, 0.0);
    while x < 6.0 {
        sum -= 2.0 / (x * x * x);
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    sum - y - y / x - y * y * (0.5 - y * (1.0 / 6.0 - y * (1.0 / 6.0 - y * 0.3)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trigamma_has_its_known_values() {
        let sixth_of_pi_squared = std::f64::consts::PI.powi(2) / 6.0;
        assert!((trigamma(1.0) - sixth_of_pi_squared).abs() < 1e-9);
        assert!((trigamma(0.5) - 3.0 * sixth_of_pi_squared).abs() < 1e-9);
        // ψ″(1) = −2 ζ(3).
        assert!((tetragamma(1.0) + 2.404_113_806_319_188_5).abs() < 1e-7);
    }

    #[test]
    fn the_inverse_of_trigamma_is_one() {
        for x in [0.1, 0.5, 1.0, 3.0, 30.0, 500.0] {
            let back = inverse_trigamma(trigamma(x));
            assert!((back / x - 1.0).abs() < 1e-6, "{x}: {back}");
        }
    }

    #[test]
    fn equal_variances_are_moved_to_their_common_value() {
        // Chi-squared values with 13 degrees of freedom around 4, by quantile.
        use statrs::distribution::{ChiSquared, ContinuousCDF};
        let law = ChiSquared::new(13.0).unwrap();
        let spreads: Vec<_> = (0..200)
            .map(|i| Spread {
                between: 4.0 * law.inverse_cdf((f64::from(i) + 0.5) / 200.0) / 13.0,
                freedom: 13.0,
                within: 1.0,
            })
            .collect();
        let prior = Prior::fit(&spreads).unwrap();
        assert!(prior.freedom > 50.0, "{prior:?}");
        let (low, freedom) = prior.moderate(spreads[0]);
        assert!((3.0..4.0).contains(&low), "{low}");
        assert!(freedom > 60.0);
    }

    #[test]
    fn the_trend_follows_the_variance_inside_windows() {
        let spreads: Vec<_> = (0..100)
            .map(|i| {
                let within = (f64::from(i) / 20.0).exp();
                Spread {
                    between: 3.0 * within * if i % 2 == 0 { 1.3 } else { 0.75 },
                    freedom: 13.0,
                    within,
                }
            })
            .collect();
        let prior = Prior::fit(&spreads).unwrap();
        assert!((prior.slope - 1.0).abs() < 0.05, "{prior:?}");
    }
}
