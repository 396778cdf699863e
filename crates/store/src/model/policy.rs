//! How long runs are kept, and what an inspection of the store found.

use serde::{Deserialize, Serialize};

/// How many runs of an application are kept, and how long.
///
/// Labelled runs are always kept. The slowest and the latest failed runs of
/// each route are kept for `keep_notable_days`, whatever the other limits are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Policy {
    /// The age of the oldest run, in days.
    pub days: Option<u32>,
    /// The number of runs.
    pub runs: Option<u64>,
    /// The size of all runs' files, in bytes.
    pub bytes: Option<u64>,
    /// How many of the slowest and of the failed runs of each route are notable.
    pub notable: u32,
    /// The age of the oldest notable run, in days.
    pub keep_notable_days: u32,
    /// The age of the oldest sums, in days; none keeps them.
    pub sums_days: Option<u32>,
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
        }
    }
}

/// What was removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Removed {
    /// The number of runs.
    pub runs: u64,
    /// The size of their files, in bytes.
    pub bytes: u64,
    /// The number of hourly sums.
    pub cells: u64,
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
