//! Which hours are compared with which.
//!
//! A window after a release is compared with the same hours of earlier days, so
//! that the time of day does not matter. A release that the next one replaces
//! within a day has one shorter window.

use crate::{Options, Release};

/// A day, in hours.
const DAY: i64 = 24;

/// From this length on, a window leaves out the hour of the deployment, in which
/// caches are cold.
const LONG: i64 = 8;

/// The windows of one release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The first hours of the windows before the release, oldest first.
    pub(crate) before: Vec<i64>,
    /// The first hours of the windows after the release.
    pub(crate) after: Vec<i64>,
    /// The length of each.
    pub(crate) hours: i64,
}

/// Why a release cannot be examined yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TooEarly {
    /// Its first window ends in that many hours.
    HoursLeft(i64),
    /// The next release replaced it after that many hours.
    ReplacedAfter(i64),
}

impl Plan {
    /// The windows of `release`, if the next one came at `next` and the data end
    /// before the hour `until`.
    pub(crate) fn new(
        release: &Release,
        next: Option<i64>,
        until: i64,
        options: &Options,
    ) -> Result<Self, TooEarly> {
        let age = next.map_or(until, |next| next.min(until)) - release.since;
        let is_replaced = next.is_some_and(|next| next <= until);
        let (length, windows) = match age {
            age if age >= DAY => (DAY, usize::try_from(age / DAY).unwrap_or(1)),
            age if is_replaced && age >= options.least_hours => (age, 1),
            age if is_replaced => return Err(TooEarly::ReplacedAfter(age)),
            age => return Err(TooEarly::HoursLeft(DAY - age)),
        };
        let skipped = i64::from(length >= LONG);
        let first = release.since + skipped;
        let days = i64::try_from(options.history).unwrap_or(i64::MAX / DAY);
        Ok(Self {
            before: (1..=days).rev().map(|day| first - day * DAY).collect(),
            after: (0..windows.min(options.looks))
                .map(|window| first + i64::try_from(window).unwrap_or(0) * DAY)
                .collect(),
            hours: length - skipped,
        })
    }

    /// The hours that the windows lie in: the first, and the one after the last.
    pub(crate) fn range(&self) -> (i64, i64) {
        let first = self.before.first().copied().unwrap_or(0);
        let last = self.after.last().copied().unwrap_or(0);
        (first, last + self.hours)
    }

    /// The number of the window that an hour belongs to, windows before the
    /// release first; none if it is in no window.
    pub(crate) fn window(&self, hour: i64, is_released: bool) -> Option<usize> {
        let starts = if is_released {
            &self.after
        } else {
            &self.before
        };
        let first = *starts.first()?;
        let index = usize::try_from((hour - first).div_euclid(DAY)).ok()?;
        let is_inside = index < starts.len() && (hour - first).rem_euclid(DAY) < self.hours;
        let place = if is_released {
            self.before.len() + index
        } else {
            index
        };
        is_inside.then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release() -> Release {
        Release {
            name: "2026.11".to_owned(),
            since: 1000,
        }
    }

    #[test]
    fn a_day_is_compared_with_the_same_hours_of_earlier_days() {
        let plan = Plan::new(&release(), None, 1050, &Options::default()).unwrap();
        assert_eq!(plan.before.len(), 14);
        assert_eq!(plan.before.last(), Some(&977));
        assert_eq!(plan.after, [1001, 1025]);
        assert_eq!(plan.hours, 23);
        assert_eq!(plan.window(1000, true), None, "the deployment");
        assert_eq!(plan.window(1001, true), Some(14));
        assert_eq!(plan.window(1047, true), Some(15));
        assert_eq!(plan.window(1048, true), None, "the hour of the deployment");
        assert_eq!(plan.window(976, false), None);
        assert_eq!(plan.window(999, false), Some(13));
        assert_eq!(plan.window(1000 - 14 * 24 + 1, false), Some(0));
        assert_eq!(plan.window(1000 - 14 * 24 - 1, false), None);
    }

    #[test]
    fn a_release_that_is_replaced_early_has_one_short_window() {
        let plan = Plan::new(&release(), Some(1006), 1500, &Options::default()).unwrap();
        assert_eq!((plan.after.as_slice(), plan.hours), (&[1000][..], 6));
        let early = Plan::new(&release(), Some(1003), 1500, &Options::default());
        assert_eq!(early, Err(TooEarly::ReplacedAfter(3)));
        let young = Plan::new(&release(), None, 1010, &Options::default());
        assert_eq!(young, Err(TooEarly::HoursLeft(14)));
    }
}
