//! Random numbers of the distributions that the models use.

use rand::RngExt;
use rand_distr::{Distribution, Exp1, StandardNormal};

use super::Rng;

/// A number of the standard normal distribution.
pub(crate) fn normal(rng: &mut Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// A number of the exponential distribution with that mean.
pub(crate) fn exponential(rng: &mut Rng, mean: f64) -> f64 {
    let of: f64 = Exp1.sample(rng);
    of * mean
}

/// A number between 0 and 1.
pub(crate) fn uniform(rng: &mut Rng) -> f64 {
    rng.random()
}

/// A count of the Poisson distribution: Knuth's product of uniform numbers, and
/// from 30 on the rounded normal distribution.
pub(crate) fn poisson(rng: &mut Rng, mean: f64) -> u64 {
    if mean > 30.0 {
        return (mean + mean.sqrt() * normal(rng)).round().max(0.0) as u64;
    }
    let limit = (-mean).exp();
    let (mut count, mut product) = (0, uniform(rng));
    while product > limit {
        count += 1;
        product *= uniform(rng);
    }
    count
}

/// A series in which neighbours are alike: an autoregressive process of order 1
/// with this standard deviation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Drift {
    correlation: f64,
    deviation: f64,
    pub(crate) value: f64,
}

impl Drift {
    pub(crate) fn new(rng: &mut Rng, correlation: f64, deviation: f64) -> Self {
        Self {
            correlation,
            deviation,
            value: deviation * normal(rng),
        }
    }

    pub(crate) fn step(&mut self, rng: &mut Rng) -> f64 {
        let fresh = (1.0 - self.correlation * self.correlation).sqrt();
        self.value = self.correlation * self.value + fresh * self.deviation * normal(rng);
        self.value
    }
}
