//! The time of day, as the store has it.

use std::time::{SystemTime, UNIX_EPOCH};

/// The time in microseconds since 1970.
pub(crate) fn now_us() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |since| u64::try_from(since.as_micros()).unwrap_or(0))
}
