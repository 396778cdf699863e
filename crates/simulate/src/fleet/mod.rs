//! Runs of a fleet: many applications on many hosts, their routes by Zipf's law,
//! call trees of any size.
//!
//! Each run is made from the options and its number alone, so threads make them in
//! any order. **Invariant:** the same options give the same runs, byte for byte.

mod names;
mod plan;
mod record;
mod small_shop;

use std::fmt;
use std::sync::OnceLock;

use profile::Profile;
use rand_distr::Zipf;

use crate::noise::Random;
use plan::Plan;
pub use small_shop::{RunAt, SmallShop};

const HOUR_US: u64 = 3_600_000_000;

/// How much traffic a burst adds to its hour, and which part of it goes to one route.
const BURST: f64 = 5.0;
const BURST_SHARE: f64 = 0.5;

/// The part of the hours with a burst.
const BURSTS: f64 = 0.01;

/// Streams of random numbers, above those of the runs.
const STREAM_HOURS: u64 = 1 << 60;
const STREAM_ROUTES: u64 = 2 << 60;
const STREAM_APPS: u64 = 3 << 60;
const STREAM_HOSTS: u64 = 4 << 60;

/// What a fleet is made with.
#[derive(Debug, Clone, PartialEq)]
pub struct FleetOptions {
    /// Another seed makes other routes, trees and times.
    pub seed: u64,
    /// The number of runs.
    pub runs: u64,
    /// The days over which they are spread.
    pub days: u32,
    /// The end of the last day, in microseconds since the Unix epoch.
    pub end_unix_us: u64,
    /// The applications.
    pub apps: u32,
    /// The routes of all applications.
    pub routes: u32,
    /// Zipf's exponent: the traffic of the route of rank k is 1 / k to this power.
    pub exponent: f64,
    /// The hosts. Each serves all applications.
    pub hosts: u32,
    /// The releases of each application.
    pub releases: u32,
    /// The least and the most call paths of a route.
    pub paths: (u32, u32),
}

impl Default for FleetOptions {
    /// 10,000 runs in the week before 22 November 2026.
    fn default() -> Self {
        Self {
            seed: 1,
            runs: 10_000,
            days: 7,
            end_unix_us: 1_795_305_600_000_000,
            apps: 5,
            routes: 500,
            exponent: 1.1,
            hosts: 50,
            releases: 4,
            paths: (200, 20_000),
        }
    }
}

/// An option that no fleet can have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutOfRange {
    /// The option's name.
    pub option: &'static str,
    /// What it may be.
    pub range: &'static str,
}

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} must be {}", self.option, self.range)
    }
}

impl std::error::Error for OutOfRange {}

/// A fleet; its runs are made when they are asked for.
pub struct Fleet {
    options: FleetOptions,
    traffic: Zipf<f64>,
    begin: u64,
    /// The sums of the hours' traffic, up to each hour.
    hours: Vec<f64>,
    /// The route that each hour's burst is of.
    bursts: Vec<Option<u32>>,
    plans: Vec<OnceLock<Plan>>,
}

/// When and where a run happens.
#[derive(Debug, Clone, Copy)]
struct At {
    number: u64,
    started_us: u64,
    hour: u64,
    route: u32,
    app: u32,
    release: u32,
    host: u32,
}

impl Fleet {
    /// Plans a fleet.
    ///
    /// # Errors
    ///
    /// An option that no fleet can have.
    pub fn new(options: FleetOptions) -> Result<Self, OutOfRange> {
        options.check()?;
        let out_of_range = |_| OutOfRange {
            option: "the exponent",
            range: "from 0 to 5",
        };
        let traffic =
            Zipf::new(f64::from(options.routes), options.exponent).map_err(out_of_range)?;
        let mut random = Random::new(options.seed, STREAM_HOURS);
        let (mut sum, mut hours, mut bursts) = (0.0, Vec::new(), Vec::new());
        for hour in 0..u64::from(options.days) * 24 {
            // Least at four in the morning, most in the evening.
            let angle = std::f64::consts::TAU * (hour % 24) as f64 / 24.0;
            let usual = (1.0 + 0.6 * (angle - 2.62).sin()) * random.factor(0.1);
            let is_burst = random.uniform() < BURSTS;
            let route = random.below(u64::from(options.routes)) as u32;
            bursts.push(is_burst.then_some(route));
            sum += usual * if is_burst { 1.0 + BURST } else { 1.0 };
            hours.push(sum);
        }
        let length = u64::from(options.days) * 24 * HOUR_US;
        Ok(Self {
            begin: options.end_unix_us.saturating_sub(length),
            plans: (0..options.routes).map(|_| OnceLock::new()).collect(),
            options,
            traffic,
            hours,
            bursts,
        })
    }

    /// The number of runs.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.options.runs
    }

    /// The run of a number; lower numbers begin earlier.
    #[must_use]
    pub fn run(&self, number: u64) -> Profile {
        let options = &self.options;
        let mut random = Random::new(options.seed, number);
        let (hour, within) = self.hour(number);
        let burst = self.bursts.get(hour as usize).copied().flatten();
        let route = match burst {
            Some(route) if random.uniform() < BURST_SHARE => route,
            // Ranks begin with 1.
            _ => random.of(&self.traffic) as u32 - 1,
        };
        let app = route % self.options.apps;
        let at = At {
            number,
            started_us: self.begin + hour * HOUR_US + (within * HOUR_US as f64) as u64,
            hour,
            route,
            app,
            release: self.release(app, hour, within),
            host: random.below(u64::from(self.options.hosts)) as u32,
        };
        let plan = self.plans.get(route as usize);
        match plan {
            Some(plan) => options.record(plan.get_or_init(|| options.plan(at)), at, random),
            None => options.record(&options.plan(at), at, random),
        }
    }

    /// The hour of a run, and which part of the hour is over.
    fn hour(&self, number: u64) -> (u64, f64) {
        let total = self.hours.last().copied().unwrap_or(1.0);
        let at = (number as f64 + 0.5) / self.options.runs as f64 * total;
        let hour = self.hours.partition_point(|sum| *sum <= at);
        let hour = hour.min(self.hours.len().saturating_sub(1));
        let sum = |hour: usize| self.hours.get(hour).copied().unwrap_or(total);
        let before = if hour == 0 { 0.0 } else { sum(hour - 1) };
        let within = (at - before) / (sum(hour) - before);
        (hour as u64, within.clamp(0.0, 0.999_999))
    }

    /// The release of an application: each has its own days of deployment.
    fn release(&self, app: u32, hour: u64, within: f64) -> u32 {
        let releases = f64::from(self.options.releases);
        let length = f64::from(self.options.days) * 24.0 / releases;
        let shift = f64::from(app) / f64::from(self.options.apps) * length;
        let release = (hour as f64 + within + shift) / length;
        (release as u32).min(self.options.releases - 1)
    }
}

impl FleetOptions {
    fn check(&self) -> Result<(), OutOfRange> {
        let refuse = |option, range| Err(OutOfRange { option, range });
        if self.runs == 0 || self.runs > 1 << 53 {
            return refuse("the number of runs", "from 1 to 2^53");
        }
        if !(1..=3650).contains(&self.days) {
            return refuse("the number of days", "from 1 to 3650");
        }
        if !(1..=100_000).contains(&self.routes) {
            return refuse("the number of routes", "from 1 to 100,000");
        }
        if !(1..=self.routes).contains(&self.apps) {
            return refuse("the number of applications", "from 1 to that of routes");
        }
        if !(1..=1_000_000).contains(&self.hosts) {
            return refuse("the number of hosts", "from 1 to 1,000,000");
        }
        if !(1..=1000).contains(&self.releases) {
            return refuse("the number of releases", "from 1 to 1,000");
        }
        let (least, most) = self.paths;
        if least < 2 || most > 200_000 || least > most {
            return refuse("the paths of a route", "LEAST..MOST from 2 to 200,000");
        }
        if !(0.0..=5.0).contains(&self.exponent) {
            return refuse("the exponent", "from 0 to 5");
        }
        Ok(())
    }
}
