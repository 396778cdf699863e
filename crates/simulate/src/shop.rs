//! The shop: its releases, its traffic, and its runs in the order of time.

use profile::Profile;

use crate::noise::{Hour, Random, Servers};
use crate::run::{Defects, Request};
use crate::template::{LEAK, LOOP, QUERY, SLOWER, Template};

const HOUR_US: u64 = 3_600_000_000;
const HOSTS: usize = 4;

/// The workers of a host, and the requests after which one is replaced.
const WORKERS: u64 = 12;
const WORKER_REQUESTS: u64 = 500;

/// How much longer the tax rates take, and what the synonyms keep.
const SLOWER_FACTOR: f64 = 2.2;
const LEAK_BYTES: f64 = 190.0 * 1024.0;

/// The days between deployments: they happen at 10 o'clock.
const DEPLOYMENTS: [u32; 9] = [0, 4, 8, 12, 15, 19, 22, 26, 29];

/// Which deployments have the defects.
const WITH_SLOWER: usize = 4;
const WITH_QUERY: usize = 5;
const WITH_LEAK: usize = 7;

/// What the shop is made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Another seed makes other times, with the same defects.
    pub seed: u64,
    /// The number of runs, about.
    pub runs: u64,
    /// The days; the defects are in a month of 30.
    pub days: u32,
    /// The end of the last day, in microseconds since the Unix epoch. It is
    /// rounded down to a day.
    pub end_unix_us: u64,
}

impl Default for Options {
    /// 20,000 runs in the 30 days before 22 November 2026.
    fn default() -> Self {
        Self {
            seed: 1,
            runs: 20_000,
            days: 30,
            end_unix_us: 1_795_305_600_000_000,
        }
    }
}

/// A shop with its history.
pub struct Shop {
    options: Options,
    templates: Vec<Template>,
    releases: Vec<Release>,
    /// The sums of the routes' traffic, up to each route.
    traffic: Vec<f64>,
}

/// A release of the shop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// Its name: `2026.10.2`.
    pub name: String,
    /// Its deployment, in microseconds since the Unix epoch.
    pub since_unix_us: u64,
}

/// One of the three defects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    /// What it is.
    pub kind: DefectKind,
    /// The release that brought it.
    pub release: String,
    /// The function at fault.
    pub function: &'static str,
    /// The function that calls it, for a query in a loop.
    pub caller: Option<&'static str>,
}

/// The kinds of defects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefectKind {
    /// A function takes longer.
    Slower,
    /// A query for each item of a list.
    QueryInLoop,
    /// Memory that no run gives back.
    Leak,
}

impl Shop {
    /// Plans a shop; its runs are made when they are asked for.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let templates = Template::all();
        let mut sum = 0.0;
        let traffic = templates.iter().map(|template| {
            sum += template.spec.traffic;
            sum
        });
        let day = 24 * HOUR_US;
        let end = options.end_unix_us / day * day;
        let begin = end.saturating_sub(u64::from(options.days) * day);
        let deployments = DEPLOYMENTS.iter().filter(|day| **day < options.days);
        let releases = deployments.enumerate().map(|(number, at)| {
            let hours = if number == 0 { 0 } else { 10 };
            Release {
                name: format!("4.{number}.0"),
                since_unix_us: begin + u64::from(*at) * day + hours * HOUR_US,
            }
        });
        Self {
            options,
            traffic: traffic.collect(),
            releases: releases.collect(),
            templates,
        }
    }

    /// The releases, in the order of their deployment.
    #[must_use]
    pub fn releases(&self) -> &[Release] {
        &self.releases
    }

    /// The defects of the releases that the shop has.
    #[must_use]
    pub fn defects(&self) -> Vec<Defect> {
        let all = [
            (WITH_SLOWER, DefectKind::Slower, SLOWER, None),
            (WITH_QUERY, DefectKind::QueryInLoop, QUERY, Some(LOOP)),
            (WITH_LEAK, DefectKind::Leak, LEAK, None),
        ];
        let defects = all
            .into_iter()
            .filter_map(|(release, kind, function, caller)| {
                Some(Defect {
                    kind,
                    release: self.releases.get(release)?.name.clone(),
                    function,
                    caller,
                })
            });
        defects.collect()
    }

    /// All runs, in the order of time.
    #[must_use]
    pub fn runs(&self) -> Runs<'_> {
        let mut random = Random::new(self.options.seed, u64::MAX);
        let servers = Servers::new(&mut random, HOSTS);
        let begin = self.releases.first().map_or(0, |first| first.since_unix_us);
        Runs {
            shop: self,
            random,
            servers,
            hour: 0,
            begin,
            now: Hour {
                hosts: vec![0.0; HOSTS],
                waiting: 0.0,
            },
            starts: Vec::new(),
            number: 0,
            served: vec![0; HOSTS * WORKERS as usize],
        }
    }

    /// The release of a time, with its number.
    fn release(&self, time: u64) -> (usize, Option<&Release>) {
        let number = self
            .releases
            .iter()
            .rposition(|of| of.since_unix_us <= time);
        let number = number.unwrap_or(0);
        (number, self.releases.get(number))
    }
}

/// The runs of a [`Shop`].
pub struct Runs<'a> {
    shop: &'a Shop,
    random: Random,
    servers: Servers,
    /// The hours that have begun.
    hour: u64,
    begin: u64,
    now: Hour,
    /// The starts of the runs of this hour that are left, the last first.
    starts: Vec<u64>,
    number: u64,
    /// The requests that each worker has served.
    served: Vec<u64>,
}

impl Iterator for Runs<'_> {
    type Item = Profile;

    fn next(&mut self) -> Option<Profile> {
        loop {
            if let Some(start) = self.starts.pop() {
                return Some(self.run(start));
            }
            if self.hour >= u64::from(self.shop.options.days) * 24 {
                return None;
            }
            self.next_hour();
        }
    }
}

impl Runs<'_> {
    fn next_hour(&mut self) {
        let options = self.shop.options;
        // Least at four in the morning, most in the evening; less on Sundays.
        let angle = std::f64::consts::TAU * (self.hour % 24) as f64 / 24.0;
        let is_sunday = self.hour / 24 % 7 == 6;
        let busy = (1.0 + 0.6 * (angle - 2.62).sin()) * if is_sunday { 0.8 } else { 1.0 };
        let busy = busy * self.random.factor(0.1);
        let hours = f64::from(options.days.max(1)) * 24.0;
        let count = options.runs as f64 / hours * busy;
        let more = self.random.uniform() < count.fract();
        let begin = self.begin + self.hour * HOUR_US;
        self.now = self.servers.hour(&mut self.random, busy);
        let starts =
            (0..count as u64 + u64::from(more)).map(|_| begin + self.random.below(HOUR_US));
        self.starts = starts.collect();
        self.starts.sort_unstable_by(|a, b| b.cmp(a));
        self.hour += 1;
    }

    fn run(&mut self, start: u64) -> Profile {
        self.number += 1;
        let shop = self.shop;
        // A stream for each run, so that a defect does not change other runs.
        let mut random = Random::new(shop.options.seed, self.number);
        let total = shop.traffic.last().copied().unwrap_or(1.0);
        let at = random.uniform() * total;
        let route = shop.traffic.partition_point(|sum| *sum < at);
        let route = route.min(shop.templates.len() - 1);
        let host = random.below(HOSTS as u64) as usize;
        let worker = random.below(WORKERS) as usize;
        let (number, release) = shop.release(start);
        let place = host * WORKERS as usize + worker;
        let served = self.served.get(place).copied().unwrap_or(0);
        if let Some(count) = self.served.get_mut(place) {
            *count += 1;
        }
        let template = &shop.templates[route];
        let is_on = |first| number >= first && shop.releases.len() > first;
        let request = Request {
            template,
            started_us: start,
            host,
            load: self.now.hosts.get(host).copied().unwrap_or(0.0),
            waiting: self.now.waiting,
            release: release.map_or("", |release| &release.name),
            is_cold: release
                .is_some_and(|release| number > 0 && start - release.since_unix_us < HOUR_US / 2),
            defects: Defects {
                slower: if is_on(WITH_SLOWER) {
                    SLOWER_FACTOR
                } else {
                    0.0
                },
                query_in_loop: is_on(WITH_QUERY),
                leak: if is_on(WITH_LEAK) { LEAK_BYTES } else { 0.0 },
            },
            served: served % WORKER_REQUESTS,
            process: (2000 + place as u64 + served / WORKER_REQUESTS * 97) as u32,
        };
        request.record(random)
    }
}
