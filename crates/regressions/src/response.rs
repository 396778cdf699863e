//! How each path follows what is common to its route.

use crate::making::Making;
use crate::window::{Regression, median};

/// The variance of the responses of paths around 1, before anything is known.
const RESPONSE_PRIOR: f64 = 0.25;

impl Making<'_> {
    /// How each path follows the deviations that are common to the route's paths:
    /// its response.
    ///
    /// A function that depends on neither load nor input follows nothing, and
    /// sorting a long list more than all. The response is the regression of a
    /// path's blocks on the common deviation before the release, moved towards 1
    /// by as much as its error is likely to be: the posterior mean for a normal
    /// prior with mean 1 (A. Gelman et al., "Bayesian Data Analysis", section 2.5).
    pub(crate) fn responses(&self) -> Vec<f64> {
        let of: Vec<Regression> = (0..self.route.paths.len())
            .map(|path| self.regression(path))
            .collect();
        let most = of.iter().map(|of| of.blocks).fold(0.0, f64::max);
        let usual: Vec<&Regression> = of.iter().filter(|of| of.blocks >= 0.9 * most).collect();
        let middle = |value: fn(&Regression) -> f64| {
            median(&mut usual.iter().map(|of| value(of)).collect::<Vec<f64>>())
        };
        // The median of the paths has an error of its own: π/2 times the variance
        // of a mean. That part of it is not common, and every path seems to follow.
        let noise = std::f64::consts::FRAC_PI_2 * middle(|of| of.rest) / usual.len().max(1) as f64;
        let noise = noise / middle(|of| of.common).max(f64::MIN_POSITIVE);
        let response = |of: &Regression| {
            let signal = of.common * (1.0 - noise);
            if signal <= 0.0 || of.blocks < 1.0 || !noise.is_finite() {
                return 1.0;
            }
            let estimate = (of.both - noise * of.common) / signal;
            let error = of.rest / of.blocks * of.common / (signal * signal);
            let trust = RESPONSE_PRIOR / (RESPONSE_PRIOR + error);
            (1.0 + trust * (estimate - 1.0)).clamp(-0.5, 3.0)
        };
        of.iter().map(response).collect()
    }

    /// The sums of a path's regression over the windows before the release.
    fn regression(&self, path: usize) -> Regression {
        let mut sum = Regression::default();
        for details in self.details.iter().take(self.route.history) {
            sum += details.paths[path].deviations.regression();
        }
        sum
    }
}
