//! Sizes, durations and times as people type them: in options, filters and forms.

use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::Date;

const SECOND_US: u64 = 1_000_000;

/// A number of bytes: `1048576`, `512M`, `20 GiB`, `7 kB`. All units are powers of 1024.
///
/// # Errors
///
/// What a size looks like.
pub fn parse_size(text: &str) -> Result<u64, &'static str> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit());
    let (digits, unit) = text.split_at(end.unwrap_or(text.len()));
    let shift = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => Some(0),
        "k" | "kb" | "kib" => Some(10),
        "m" | "mb" | "mib" => Some(20),
        "g" | "gb" | "gib" => Some(30),
        "t" | "tb" | "tib" => Some(40),
        _ => None,
    };
    let number = digits.parse::<u64>().ok().zip(shift);
    number
        .and_then(|(number, shift)| number.checked_mul(1 << shift))
        .ok_or("not a size, such as 512M or 20 GiB")
}

/// A duration in nanoseconds: `80us`, `80µs`, `200ms`, `1.5s`; without a unit in milliseconds.
///
/// # Errors
///
/// What a duration looks like.
pub fn parse_duration(text: &str) -> Result<u64, &'static str> {
    let place = text.find(char::is_alphabetic).unwrap_or(text.len());
    let (number, unit) = text.split_at(place);
    let factor = match unit {
        "ns" => 1.0,
        // The micro sign, and the Greek letter.
        "us" | "µs" | "μs" => 1e3,
        "ms" | "" => 1e6,
        "s" => 1e9,
        _ => f64::NAN,
    };
    let number = number.parse::<f64>().unwrap_or(f64::NAN);
    let nanoseconds = number * factor;
    if !(0.0..1e9).contains(&number) || nanoseconds.is_nan() {
        return Err("not a time, such as 80us, 200ms or 1.5s");
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked right above"
    )]
    Ok(nanoseconds as u64)
}

/// The start of a time range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// Microseconds before now.
    Ago(u64),
    /// Microseconds since the beginning of 1970.
    At(u64),
}

impl Since {
    /// As microseconds since 1970.
    #[must_use]
    pub fn microseconds(self, now: SystemTime) -> u64 {
        match self {
            Self::At(time) => time,
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
    let time = number.checked_mul(seconds)?.checked_mul(SECOND_US)?;
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
    Some(Since::At(seconds * SECOND_US))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_the_units_that_people_write() {
        for (text, bytes) in [
            ("0", 0),
            ("1024", 1024),
            ("3k", 3 << 10),
            ("20G", 20 << 30),
            (" 512 mib ", 512 << 20),
            ("7 kB", 7 << 10),
            ("2TiB", 2 << 40),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for wrong in ["", "G", "1.5G", "-1", "1 P", "18446744073709551615K"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn durations_have_a_unit_or_are_milliseconds() {
        for text in ["80us", "80µs", "80\u{3bc}s", "0.08ms", "0.08"] {
            assert_eq!(parse_duration(text), Ok(80_000), "{text}");
        }
        assert_eq!(parse_duration("1.5s"), Ok(1_500_000_000));
        for wrong in ["", "x", "ms", "é", "-1s", "1h", "1e12s", "inf"] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_are_ago_or_a_date() {
        let ago = |seconds: u64| Ok(Since::Ago(seconds * SECOND_US));
        assert_eq!("90s".parse(), ago(90));
        assert_eq!("2h".parse(), ago(7200));
        assert_eq!("7d".parse(), ago(7 * 86_400));
        let at = |seconds: u64| Ok(Since::At(seconds * SECOND_US));
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
        assert_eq!(Since::Ago(40 * SECOND_US).microseconds(now), 60 * SECOND_US);
        assert_eq!(Since::Ago(400 * SECOND_US).microseconds(now), 0);
    }
}
