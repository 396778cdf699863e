//! How long runs are kept, and what an inspection of the store found.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Error, Result, Taken};

/// How many runs of an application are kept, and how long; and how many are taken.
///
/// Labelled runs are always kept. The slowest and the latest failed runs of
/// each route are kept for `keep_notable_days`, whatever the other limits are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
// A field with a wrong name must not silently become the default.
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// The age of the oldest run, in days since it was stored.
    pub days: Option<u32>,
    /// The number of runs.
    pub runs: Option<u64>,
    /// The size of all runs' files, in bytes.
    pub bytes: Option<u64>,
    /// How many of the slowest and of the failed runs of each route are notable.
    pub notable: u32,
    /// The age of the oldest notable run, in days since it was stored.
    pub keep_notable_days: u32,
    /// The age of the oldest sums, in days; none keeps them.
    pub sums_days: Option<u32>,
    /// The quota: how many runs a server takes on a day of UTC.
    pub runs_a_day: Option<u64>,
    /// The quota: the size of the files of the runs that a server takes on a day of
    /// UTC, in bytes. The run that passes it is taken, too.
    pub bytes_a_day: Option<u64>,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            days: Some(30),
            runs: None,
            bytes: Some(20 << 30),
            notable: 20,
            keep_notable_days: 180,
            sums_days: Some(800),
            runs_a_day: None,
            bytes_a_day: None,
        }
    }
}

impl Policy {
    /// The most notable runs of a route.
    pub const MAX_NOTABLE: u32 = 10_000;

    /// Refuses a policy that would remove everything, or keep too much to look
    /// for it.
    ///
    /// # Errors
    ///
    /// [`Error::Query`], which names the field.
    pub fn check(&self) -> Result<()> {
        let zero = [
            ("days", self.days.map(u64::from)),
            ("runs", self.runs),
            ("bytes", self.bytes),
            ("sums_days", self.sums_days.map(u64::from)),
        ];
        let zero = zero.iter().find(|(_, limit)| *limit == Some(0));
        if let Some((name, _)) = zero {
            return Err(Error::Query(format!(
                "{name}: 0 would remove everything; null is no limit"
            )));
        }
        let quotas = [
            ("runs_a_day", self.runs_a_day),
            ("bytes_a_day", self.bytes_a_day),
        ];
        let zero = quotas.iter().find(|(_, quota)| *quota == Some(0));
        if let Some((name, _)) = zero {
            return Err(Error::Query(format!(
                "{name}: 0 would refuse every run; null is no quota"
            )));
        }
        if self.notable > Self::MAX_NOTABLE {
            return Err(Error::Query(format!(
                "notable: at most {} runs of a route",
                Self::MAX_NOTABLE
            )));
        }
        Ok(())
    }
}

/// The policies of a store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Policies {
    /// That of the applications without one of their own.
    pub default: Policy,
    /// False if no user set the default: then it is the program's.
    pub is_default_set: bool,
    /// Those of applications, by name.
    pub apps: Vec<AppPolicy>,
}

impl Policy {
    /// The quotas, which only an administrator of all applications sets.
    #[must_use]
    pub fn quotas(&self) -> (Option<u64>, Option<u64>) {
        (self.runs_a_day, self.bytes_a_day)
    }

    /// Whether the quota of a day is used up by the runs `taken` on it.
    #[must_use]
    pub fn is_used_up(&self, taken: Taken) -> bool {
        let reached = |taken: u64, quota: Option<u64>| quota.is_some_and(|quota| taken >= quota);
        reached(taken.runs, self.runs_a_day) || reached(taken.bytes, self.bytes_a_day)
    }
}

impl Policies {
    /// The policy of an application.
    #[must_use]
    pub fn of(&self, app: &str) -> &Policy {
        let own = self.apps.iter().find(|own| own.app == app);
        own.map_or(&self.default, |own| &own.policy)
    }

    /// Adds the policy of an application; without a name, the default.
    pub(crate) fn add(&mut self, app: String, policy: Policy) {
        if app.is_empty() {
            self.default = policy;
            self.is_default_set = true;
        } else {
            self.apps.push(AppPolicy { app, policy });
        }
    }
}

/// An application with a policy of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AppPolicy {
    /// The application.
    pub app: String,
    /// Its policy.
    pub policy: Policy,
}

/// Why a policy removed something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Runs older than `days`, or than `keep_notable_days`.
    Age,
    /// More runs than `runs`.
    Count,
    /// More bytes than `bytes`.
    Size,
    /// Hourly sums older than `sums_days`.
    Sums,
}

impl Reason {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Age, Self::Count, Self::Size, Self::Sums];

    /// Its name in files and answers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Age => "age",
            Self::Count => "count",
            Self::Size => "size",
            Self::Sums => "sums",
        }
    }
}

/// What a policy removes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Removed {
    /// The number of runs.
    pub runs: u64,
    /// The size of their files, in bytes.
    pub bytes: u64,
    /// The runs that were too old.
    pub by_age: u64,
    /// The runs that were too many.
    pub by_count: u64,
    /// The runs that took too much space.
    pub by_size: u64,
    /// The number of hourly sums.
    pub cells: u64,
}

impl Removed {
    /// Counts a run.
    pub fn add(&mut self, reason: Reason, bytes: u64) {
        self.runs += 1;
        self.bytes += bytes;
        match reason {
            Reason::Age => self.by_age += 1,
            Reason::Count => self.by_count += 1,
            Reason::Size => self.by_size += 1,
            Reason::Sums => {}
        }
    }
}

/// What a policy removed for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Removal {
    /// The day, in seconds since 1970.
    pub day_s: i64,
    /// The application.
    pub app: String,
    /// The reason.
    pub reason: Reason,
    /// The number of runs; with the reason `sums`, of hourly sums.
    pub count: u64,
    /// The size of their files, in bytes.
    pub bytes: u64,
}

/// What all policies removed for one reason since the store was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RemovedFor {
    /// The reason.
    pub reason: Reason,
    /// The number of runs; with the reason `sums`, of hourly sums.
    pub count: u64,
    /// The size of their files, in bytes.
    pub bytes: u64,
}

/// The result of an inspection.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    /// The number of runs that were read.
    pub runs: u64,
    /// The number of hourly sums that were read.
    pub cells: u64,
    /// Those sums whose runs are all there, and which were therefore compared.
    pub compared: u64,
    /// The damage.
    pub problems: Vec<Problem>,
}

/// One damaged item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The item: `run 0123…`, `sums of /cart, 2026-11-22 13:00`.
    pub item: String,
    /// What is wrong with it.
    pub reason: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_that_removes_everything_is_refused() {
        assert!(Policy::default().check().is_ok());
        let wrong = [
            Policy {
                days: Some(0),
                ..Policy::default()
            },
            Policy {
                runs: Some(0),
                ..Policy::default()
            },
            Policy {
                bytes: Some(0),
                ..Policy::default()
            },
            Policy {
                sums_days: Some(0),
                ..Policy::default()
            },
            Policy {
                runs_a_day: Some(0),
                ..Policy::default()
            },
            Policy {
                bytes_a_day: Some(0),
                ..Policy::default()
            },
            Policy {
                notable: u32::MAX,
                ..Policy::default()
            },
        ];
        for policy in wrong {
            assert!(policy.check().is_err(), "{policy:?}");
        }
    }
}
