//! Runs that agents dropped before they came to the store.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Error, Result};

/// How many runs an agent dropped on one day, and why. The number only grows
/// until the day is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct DroppedRuns {
    /// The identity of the agent's counters.
    pub agent: String,
    /// The agent's machine.
    pub host: String,
    /// The day, in seconds since 1970.
    pub day_s: u64,
    /// The application; empty if it is not known.
    pub app: String,
    /// Why: `queue_full`, `refused`, `too_large`, `damaged`; later agents may have
    /// others.
    pub reason: String,
    /// The number of runs.
    pub runs: u64,
    /// Their size, in bytes.
    pub bytes: u64,
}

impl DroppedRuns {
    /// The most counters of one report.
    pub const MAX_COUNTERS: usize = 50_000;

    /// The longest text, in bytes.
    const MAX_TEXT: usize = 1024;

    /// Refuses counters of a report that cannot be what an agent counted until
    /// `now_us`, in microseconds since 1970.
    ///
    /// # Errors
    ///
    /// [`Error::Query`], which names the field.
    pub fn check(rows: &[Self], now_us: u64) -> Result<()> {
        let wrong = |reason: String| Err(Error::Query(reason));
        if rows.len() > Self::MAX_COUNTERS {
            return wrong(format!(
                "a report has at most {} counters",
                Self::MAX_COUNTERS
            ));
        }
        for row in rows {
            let texts = [
                ("agent", &row.agent),
                ("host", &row.host),
                ("app", &row.app),
                ("reason", &row.reason),
            ];
            for (name, text) in texts {
                if text.len() > Self::MAX_TEXT {
                    return wrong(format!("{name}: at most {} bytes", Self::MAX_TEXT));
                }
            }
            if row.agent.is_empty() || row.reason.is_empty() {
                return wrong("agent, reason: they must not be empty".to_owned());
            }
            // Clocks differ: two days.
            if row.day_s > now_us / 1_000_000 + 2 * 86_400 {
                return wrong("day_s: it is in the future".to_owned());
            }
        }
        Ok(())
    }
}
