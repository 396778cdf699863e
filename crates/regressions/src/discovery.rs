//! Which of thousands of p values are findings.
//!
//! Source: Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate",
//! Journal of the Royal Statistical Society B 57 (1995); with weights: C. R.
//! Genovese, K. Roeder and L. Wasserman, "False discovery control with p-value
//! weighting", Biometrika 93 (2006).

/// The largest p/weight that is a discovery at the rate `q`; none if there is
/// none. The weights should have the mean 1.
pub(crate) fn threshold(weighted: &[f64], q: f64) -> Option<f64> {
    let mut sorted: Vec<f64> = weighted.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let is_below = |(rank, p): &(usize, &f64)| **p <= q * (*rank as f64 + 1.0) / count;
    let last = sorted.iter().enumerate().rfind(is_below);
    last.map(|(_, p)| *p)
}

/// Scales the weights in place so that their sum is `sum`. A weight is at least
/// `least` times the mean: no test is given up entirely.
pub(crate) fn scale(weights: &mut [f64], least: f64, sum: f64) {
    let total: f64 = weights.iter().sum();
    let mean = total / weights.len().max(1) as f64;
    for weight in weights.iter_mut() {
        *weight = if mean > 0.0 {
            (*weight / mean).max(least)
        } else {
            1.0
        };
    }
    let total: f64 = weights.iter().sum();
    for weight in weights.iter_mut() {
        *weight *= sum / total;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_is_that_of_the_textbook() {
        // Benjamini and Hochberg (1995), section 3.2: four of fifteen at 0.05.
        let p = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
            0.5719, 0.6528, 0.7590, 1.0000,
        ];
        assert_eq!(threshold(&p, 0.05), Some(0.0095));
        assert_eq!(threshold(&[0.2, 0.9], 0.05), None);
        assert_eq!(threshold(&[], 0.05), None);
    }

    #[test]
    fn weights_keep_their_sum_and_their_floor() {
        let mut weights = [0.0, 1.0, 9.0];
        scale(&mut weights, 0.05, 6.0);
        assert!((weights.iter().sum::<f64>() - 6.0).abs() < 1e-12);
        assert!(weights[0] > 0.0);
        assert!((weights[2] / weights[1] - 9.0).abs() < 1e-12);
        let mut none = [0.0, 0.0];
        scale(&mut none, 0.05, 1.0);
        assert_eq!(none, [0.5, 0.5]);
    }
}
