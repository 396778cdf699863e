//! Formats numbers for people: three significant digits, and a unit.
//!
//! The unit always takes two columns, so that numbers in a table are aligned.

use profile::{Metric, Metrics, WallUnit};

/// One of the costs, in its unit.
#[must_use]
pub fn amount(metric: Metric, metrics: Metrics, value: i64) -> String {
    match metric {
        Metric::Wall if metrics.wall_unit == WallUnit::Samples => signed_count(value),
        Metric::Wall | Metric::Cpu => time(value),
        Metric::Memory | Metric::Peak => size(value),
        Metric::Calls => signed_count(value),
    }
}

/// The same, with a sign if it is positive: for changes.
#[must_use]
pub fn change(metric: Metric, metrics: Metrics, value: i64) -> String {
    let sign = if value > 0 { "+" } else { "" };
    format!("{sign}{}", amount(metric, metrics, value))
}

/// A relative change: `+14.1%`, `×12.3`.
#[must_use]
pub fn relative(share: f64) -> String {
    let percents = share * 100.0;
    if percents >= 1_000.0 {
        format!("×{:.1}", share + 1.0)
    } else if percents >= 0.05 {
        format!("+{percents:.1}%")
    } else {
        percent(percents)
    }
}

/// A count that may be below zero.
#[must_use]
pub fn signed_count(value: i64) -> String {
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{}", count(value.unsigned_abs()))
}

/// A time in nanoseconds: `263 µs`, `1.25 s `.
#[must_use]
pub fn time(nanoseconds: i64) -> String {
    scaled(nanoseconds, 1_000, &["ns", "µs", "ms", "s "])
}

/// A size in bytes: `48 B `, `1.54 kB`.
#[must_use]
pub fn size(bytes: i64) -> String {
    scaled(bytes, 1_000, &["B ", "kB", "MB", "GB", "TB"])
}

/// A share: `38.0%`.
#[must_use]
pub fn percent(share: f64) -> String {
    // No "-0.0%" for values that are rounded to zero.
    let share = if share.abs() < 0.05 { 0.0 } else { share };
    format!("{share:.1}%")
}

/// A count with thousands separators: `1,234,567`.
#[must_use]
pub fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 call`, `2 calls`.
#[must_use]
pub fn counted(number: u64, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", count(number))
}

fn scaled(value: i64, step: u64, units: &[&str]) -> String {
    let sign = if value < 0 { "-" } else { "" };
    let magnitude = value.unsigned_abs();
    if magnitude == 0 {
        // Zero has no unit; three blanks keep the column.
        return "0   ".to_owned();
    }
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let (mut number, mut digits) = (magnitude as f64, 0);
    let mut units = units.iter();
    let mut unit = units.next().copied().unwrap_or_default();
    // 999.5 would be shown as 1000.
    #[expect(clippy::cast_precision_loss, reason = "a power of ten")]
    let step = step as f64;
    while number >= step - 0.5
        && let Some(next) = units.next()
    {
        number /= step;
        unit = next;
        digits = match number {
            small if small < 9.995 => 2,
            middle if middle < 99.95 => 1,
            _ => 0,
        };
    }
    format!("{sign}{number:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_a_unit() {
        for (nanoseconds, expected) in [
            (0, "0   "),
            (7, "7 ns"),
            (999, "999 ns"),
            (1_000, "1.00 µs"),
            (9_996, "10.0 µs"),
            (263_000, "263 µs"),
            (999_499, "999 µs"),
            (999_600, "1.00 ms"),
            (1_254_000_000, "1.25 s "),
            (86_400_000_000_000, "86400 s "),
            (-1_500, "-1.50 µs"),
            (i64::MIN, "-9223372037 s "),
        ] {
            assert_eq!(time(nanoseconds), expected);
        }
        assert_eq!(size(-512), "-512 B ");
        assert_eq!(size(1_536), "1.54 kB");
    }

    #[test]
    fn changes_have_a_sign_and_large_ones_are_factors() {
        let metrics = Metrics::default();
        assert_eq!(change(Metric::Wall, metrics, 37_000), "+37.0 µs");
        assert_eq!(change(Metric::Wall, metrics, 0), "0   ");
        assert_eq!(change(Metric::Calls, metrics, -1_234), "-1,234");
        assert_eq!(change(Metric::Memory, metrics, 48), "+48 B ");
        assert_eq!(relative(0.141), "+14.1%");
        assert_eq!(relative(-1.0), "-100.0%");
        assert_eq!(relative(11.3), "×12.3");
        assert_eq!(relative(0.0001), "0.0%");
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_000), "1,000");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(counted(1, "call"), "1 call");
        assert_eq!(counted(0, "call"), "0 calls");
    }

    #[test]
    fn nothing_has_no_sign() {
        assert_eq!(percent(-0.01), "0.0%");
        assert_eq!(percent(38.02), "38.0%");
        assert_eq!(percent(-12.5), "-12.5%");
    }
}
