//! The units of costs.

use profile::{Metric, Profile, WallUnit};

use crate::WriteError;

/// The unit of a cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Time.
    Nanoseconds,
    /// Memory.
    Bytes,
    /// Calls or samples.
    Count,
}

impl Unit {
    /// The unit of `metric` in `profile`.
    pub(crate) fn of(metric: Metric, profile: &Profile) -> Self {
        match metric {
            Metric::Wall if profile.metrics.wall_unit == WallUnit::Samples => Self::Count,
            Metric::Wall | Metric::Cpu => Self::Nanoseconds,
            Metric::Memory | Metric::Peak => Self::Bytes,
            Metric::Calls => Self::Count,
        }
    }
}

/// The error if the profile counts something else than time: for formats whose
/// readers would take the counts for a time.
pub(crate) fn needs_time(profile: &Profile, format: &'static str) -> Result<(), WriteError> {
    match profile.metrics.wall_unit {
        WallUnit::Nanoseconds => Ok(()),
        WallUnit::Samples => Err(WriteError::NeedsTime {
            format,
            counted: profile.counted().to_owned(),
        }),
    }
}

/// As [`needs_time`], but samples are taken: each has a duration.
pub(crate) fn needs_time_or_samples(
    profile: &Profile,
    format: &'static str,
) -> Result<(), WriteError> {
    match profile.meta.counts {
        None => Ok(()),
        Some(_) => needs_time(profile, format),
    }
}

/// Nanoseconds as exact milliseconds, with at least `decimals` decimals.
pub(crate) fn milliseconds(nanoseconds: i64, decimals: usize) -> String {
    let whole = nanoseconds.unsigned_abs() / 1_000_000;
    let rest = nanoseconds.unsigned_abs() % 1_000_000;
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let mut text = format!("{sign}{whole}.{rest:06}");
    let point = text.len() - 6;
    while text.len() > point + decimals && text.ends_with('0') {
        text.pop();
    }
    if text.ends_with('.') {
        text.pop();
    }
    text
}

/// Nanoseconds as exact microseconds, without trailing zeros.
pub(crate) fn microseconds(nanoseconds: u64) -> String {
    let (whole, rest) = (nanoseconds / 1_000, nanoseconds % 1_000);
    if rest == 0 {
        return whole.to_string();
    }
    let text = format!("{whole}.{rest:03}");
    text.trim_end_matches('0').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn microseconds_are_exact() {
        assert_eq!(microseconds(100_050), "100.05");
        assert_eq!(microseconds(1), "0.001");
        assert_eq!(microseconds(20_000), "20");
    }

    #[test]
    fn milliseconds_are_exact() {
        assert_eq!(milliseconds(100_000, 3), "0.100");
        assert_eq!(milliseconds(100_050, 3), "0.10005");
        assert_eq!(milliseconds(-1, 3), "-0.000001");
        assert_eq!(milliseconds(5_000_000, 0), "5");
        assert_eq!(milliseconds(5_000_000, 3), "5.000");
        assert_eq!(milliseconds(i64::MIN, 0), "-9223372036854.775808");
    }
}
