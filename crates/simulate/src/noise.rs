//! How the hosts, the database and single runs vary.

use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Exp1, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The generator of all random numbers.
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    /// Numbers of a seed and a stream: each run has a stream of its own.
    #[must_use]
    pub fn new(seed: u64, stream: u64) -> Self {
        let mixed = seed ^ stream.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17);
        Self(Xoshiro256PlusPlus::seed_from_u64(mixed))
    }

    /// Between 0 and 1.
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0.random()
    }

    /// A whole number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        ((self.uniform() * end as f64) as u64).min(end.saturating_sub(1))
    }

    /// Of any distribution.
    pub(crate) fn of(&mut self, distribution: &impl Distribution<f64>) -> f64 {
        distribution.sample(&mut self.0)
    }

    /// A number of the standard normal distribution.
    pub fn normal(&mut self) -> f64 {
        StandardNormal.sample(&mut self.0)
    }

    /// A factor around 1 whose logarithm has this standard deviation.
    pub(crate) fn factor(&mut self, deviation: f64) -> f64 {
        (deviation * self.normal() - 0.5 * deviation * deviation).exp()
    }

    /// Of the exponential distribution with mean 1.
    pub(crate) fn exponential(&mut self) -> f64 {
        Exp1.sample(&mut self.0)
    }

    /// A count around `mean`, at least 1: a page has a few items or many.
    pub(crate) fn items(&mut self, mean: f64) -> u32 {
        let of = mean * 0.5 * (self.exponential() + self.exponential());
        1 + of.min(10.0 * mean) as u32
    }
}

/// One hour of all hosts.
pub(crate) struct Hour {
    /// By how much each host is slower than usual.
    pub(crate) hosts: Vec<f64>,
    /// The same for the database, Redis and other servers.
    pub(crate) waiting: f64,
}

/// The hosts over time.
pub(crate) struct Servers {
    speeds: Vec<f64>,
    loads: Vec<f64>,
    /// Hours that a host is still disturbed.
    disturbed: Vec<u32>,
    waiting: f64,
}

impl Servers {
    pub(crate) fn new(random: &mut Random, hosts: usize) -> Self {
        Self {
            speeds: (0..hosts).map(|_| 0.06 * random.normal()).collect(),
            loads: vec![0.0; hosts],
            disturbed: vec![0; hosts],
            waiting: 0.0,
        }
    }

    /// The next hour; `busy` is the traffic over its mean.
    pub(crate) fn hour(&mut self, random: &mut Random, busy: f64) -> Hour {
        self.waiting = 0.8 * self.waiting + 0.6 * 0.06 * random.normal();
        let hosts = self
            .loads
            .iter_mut()
            .zip(&mut self.disturbed)
            .zip(&self.speeds);
        let hosts = hosts.map(|((load, disturbed), speed)| {
            *load = 0.7 * *load + 0.7 * 0.07 * random.normal();
            *disturbed = match *disturbed {
                0 if random.uniform() < 0.008 => 1 + random.below(6) as u32,
                hours => hours.saturating_sub(1),
            };
            let neighbour = if *disturbed > 0 { 0.5 } else { 0.0 };
            speed + *load + 0.12 * (busy - 1.0) + neighbour
        });
        Hour {
            hosts: hosts.collect(),
            waiting: self.waiting + 0.1 * (busy - 1.0),
        }
    }
}
