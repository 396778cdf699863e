//! Hourly sums of profiles, for runs that are in no store.

use std::collections::BTreeMap;
use std::convert::Infallible;

use profile::{Profile, WallUnit};

use crate::finding::Report;
use crate::input::Release;
use crate::options::Options;
use crate::search::{Around, reports};
use crate::sums::RouteSums;

const HOUR_US: u64 = 3_600_000_000;

/// Adds profiles up by route, release, hour and host.
#[derive(Debug, Default)]
pub struct Collector {
    routes: BTreeMap<String, RouteSums>,
    /// Each release's number and first hour.
    releases: BTreeMap<String, (u32, i64)>,
    hosts: BTreeMap<String, u32>,
    until: i64,
}

/// Why a profile is not a part of the sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAdded {
    /// It does not say when it began.
    Time,
    /// It has samples or another unit than time.
    Unit,
}

impl Collector {
    /// Adds a run of a route under a release.
    ///
    /// # Errors
    ///
    /// [`NotAdded`], and then nothing is added.
    pub fn add(&mut self, route: &str, release: &str, profile: &Profile) -> Result<(), NotAdded> {
        if profile.metrics.wall_unit != WallUnit::Nanoseconds
            || !profile.metrics.calls
            || profile.meta.counts.is_some()
        {
            return Err(NotAdded::Unit);
        }
        let start = profile.meta.started_unix_us.ok_or(NotAdded::Time)?;
        let hour = i64::try_from(start / HOUR_US).map_err(|_| NotAdded::Time)?;
        let release = self.release(release, hour);
        let host = profile.meta.host.clone().unwrap_or_default();
        let next = u32::try_from(self.hosts.len()).unwrap_or(u32::MAX);
        let host = *self.hosts.entry(host).or_insert(next);
        let sums = self.routes.entry(route.to_owned());
        let route = sums.or_insert_with(|| RouteSums::new(route));
        route.add_run((hour, release, host), profile);
        Ok(())
    }

    /// The number of a release that has runs in that hour.
    fn release(&mut self, name: &str, hour: i64) -> u32 {
        self.until = self.until.max(hour + 1);
        let next = u32::try_from(self.releases.len()).unwrap_or(u32::MAX);
        let known = self.releases.entry(name.to_owned());
        let (number, since) = known.or_insert((next, hour));
        *since = hour.min(*since);
        *number
    }

    /// The releases in the order of their first runs, with their numbers.
    #[must_use]
    pub fn releases(&self) -> Vec<(Release, u32)> {
        let mut releases: Vec<(Release, u32)> = self
            .releases
            .iter()
            .map(|(name, (number, since))| {
                let release = Release {
                    name: name.clone(),
                    since: *since,
                };
                (release, *number)
            })
            .collect();
        releases.sort_by_key(|(release, number)| (release.since, *number));
        releases
    }

    /// A report for each release after the first, oldest first.
    #[must_use]
    pub fn reports(&self, options: Options) -> Vec<Report> {
        let routes: Vec<&RouteSums> = self.routes.values().collect();
        let releases = self.releases();
        let read = |route, _: &Around<'_>| Ok::<&&RouteSums, Infallible>(route);
        let Ok(reports) = reports(&releases, self.until, options, &routes, read);
        reports
    }
}
