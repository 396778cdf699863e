//! Examines all releases of an application, one after the other.

use crate::detector::Detector;
use crate::finding::Report;
use crate::input::{Hours, Release};
use crate::options::Options;

/// A release, and the hours that its examination needs.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// The release.
    pub release: &'a Release,
    /// Its number in the blocks.
    pub number: u32,
    /// The first hour, and the one after the last. From the release on, only its
    /// own runs are needed.
    pub hours: (i64, i64),
}

/// A report for each release after the first, oldest first.
///
/// The releases have their numbers beside them and are in the order of their first
/// runs; the data are complete up to the hour `until`. `read` gives the sums of a
/// route around a release. It is called for each route and each release that is
/// old enough, and what it gave is dropped before the next call: the sums of one
/// route are in memory at a time.
///
/// # Errors
///
/// The first error of `read`.
pub fn reports<'r, R, H: Hours, E>(
    releases: &[(Release, u32)],
    until: i64,
    options: Options,
    routes: &'r [R],
    mut read: impl FnMut(&'r R, &Around<'_>) -> Result<H, E>,
) -> Result<Vec<Report>, E> {
    let mut detector = Detector::new(options);
    let mut reports = Vec::new();
    for (place, (release, number)) in releases.iter().enumerate().skip(1) {
        let around = Around {
            release,
            number: *number,
            hours: detector.hours(release),
        };
        let next = releases.get(place + 1).map(|next| next.0.since);
        let mut failed = None;
        let hours = routes.iter().map_while(|route| {
            let sums = read(route, &around);
            sums.map_err(|error| failed = Some(error)).ok()
        });
        let report = detector.examine(release, *number, next, until, hours);
        if let Some(error) = failed {
            return Err(error);
        }
        reports.push(report);
    }
    Ok(reports)
}
