//! Parses `--since`: a date, or an age.

use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use profile::Date;

const SECOND: u64 = 1_000_000;

/// The start of the time range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// Microseconds before now.
    Ago(u64),
    /// Microseconds since the beginning of 1970.
    At(u64),
}

impl Since {
    /// As microseconds since 1970.
    pub fn microseconds(self, now: SystemTime) -> u64 {
        match self {
            Self::At(moment) => moment,
            Self::Ago(time) => {
                let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
                let now = u64::try_from(now.as_micros()).unwrap_or(u64::MAX);
                now.saturating_sub(time)
            }
        }
    }
}

impl FromStr for Since {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = "not a time, such as 30m, 2h, 7d, 2026-11-22 or 2026-11-22T10:30, in UTC";
        ago(text).or_else(|| date(text)).ok_or(error)
    }
}

/// `90s`, `30m`, `2h`, `7d`, `2w`.
fn ago(text: &str) -> Option<Since> {
    let unit = text.chars().next_back()?;
    let seconds: u64 = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        'w' => 7 * 86_400,
        _ => return None,
    };
    let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
    let time = number.checked_mul(seconds)?.checked_mul(SECOND)?;
    Some(Since::Ago(time))
}

/// `2026-11-22`, optionally with hour, minutes and seconds.
fn date(text: &str) -> Option<Since> {
    let text = text.trim_end_matches('Z');
    let (day, time) = match text.split_once(['T', ' ']) {
        Some((day, time)) => (day, time),
        None => (text, "00:00"),
    };
    let date = Date::parse(day)?;
    let mut parts = time.split(':').map(|part| part.parse::<u64>().ok());
    let hour = parts.next()??;
    let minute = parts.next().unwrap_or(Some(0))?;
    let second = parts.next().unwrap_or(Some(0))?;
    let is_time = hour < 24 && minute < 60 && second < 60 && parts.next().is_none();
    if !is_time {
        return None;
    }
    let seconds = (date.days() * 24 + hour) * 3600 + minute * 60 + second;
    Some(Since::At(seconds * SECOND))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_ago_or_a_date() {
        let ago = |seconds: u64| Ok(Since::Ago(seconds * SECOND));
        assert_eq!("90s".parse(), ago(90));
        assert_eq!("2h".parse(), ago(7200));
        assert_eq!("7d".parse(), ago(7 * 86_400));
        let at = |seconds: u64| Ok(Since::At(seconds * SECOND));
        assert_eq!("1970-01-01".parse(), at(0));
        assert_eq!("2000-02-29".parse(), at(951_782_400));
        assert_eq!("2023-11-14T22:13:20Z".parse(), at(1_700_000_000));
        assert_eq!("2023-11-14 22".parse(), at(1_699_999_200));
        for wrong in [
            "",
            "yesterday",
            "5",
            "h",
            "2026-13-01",
            "2026-1-1",
            "2026-01-01T25:00",
        ] {
            assert!(wrong.parse::<Since>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_ago_is_counted_from_now() {
        let now = UNIX_EPOCH + std::time::Duration::from_secs(100);
        assert_eq!(Since::Ago(40 * SECOND).microseconds(now), 60 * SECOND);
        assert_eq!(Since::Ago(400 * SECOND).microseconds(now), 0);
    }
}
