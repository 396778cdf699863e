//! Numbers as people read them.

use profile::Date;

/// Nanoseconds, as people read them.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
pub(super) fn time(nanoseconds: u64) -> String {
    span(nanoseconds as f64)
}

/// The same with a sign.
pub(super) fn span(nanoseconds: f64) -> String {
    let (size, unit) = match nanoseconds.abs() {
        size if size >= 1e9 => (1e9, "s"),
        size if size >= 1e6 => (1e6, "ms"),
        size if size >= 1e3 => (1e3, "µs"),
        _ => (1.0, "ns"),
    };
    let value = nanoseconds / size;
    let digits = match value.abs() {
        size if size >= 100.0 || size == 0.0 => 0,
        size if size >= 10.0 => 1,
        _ => 2,
    };
    format!("{value:.digits$} {unit}")
}

/// Bytes, as people read them.
#[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
pub(super) fn bytes(size: u64) -> String {
    match size {
        0..1024 => format!("{size} B"),
        1024..1_048_576 => format!("{:.1} KiB", size as f64 / 1024.0),
        1_048_576..1_073_741_824 => format!("{:.1} MiB", size as f64 / 1_048_576.0),
        _ => format!("{:.1} GiB", size as f64 / 1_073_741_824.0),
    }
}

/// Seconds since 1970 as `2026-11-22 13:05` in UTC.
pub(super) fn date(seconds: i64) -> String {
    let seconds = u64::try_from(seconds).unwrap_or(0);
    let (hour, minute) = (seconds / 3600 % 24, seconds / 60 % 60);
    format!("{} {hour:02}:{minute:02}", Date::of_seconds(seconds))
}

/// Seconds since 1970 as `2026-11-22`, in UTC.
pub(super) fn day(seconds: i64) -> String {
    date(seconds).chars().take(10).collect()
}

/// Microseconds since 1970 as `2026-11-22 13:05`, in UTC.
pub(super) fn date_us(microseconds: u64) -> String {
    date(i64::try_from(microseconds / 1_000_000).unwrap_or(0))
}

/// A relative change: `+12 %`, or `2.4 times` from a doubling on.
pub(super) fn relative(before: f64, after: f64) -> String {
    if before <= 0.0 {
        return if after > 0.0 { "new" } else { "" }.to_owned();
    }
    let ratio = after / before;
    if ratio >= 2.0 {
        format!("{ratio:.1} times")
    } else {
        signed(100.0 * (ratio - 1.0), 0) + " %"
    }
}

/// A number with its sign; a true minus, as all numbers of the pages have.
pub(super) fn signed(value: f64, digits: usize) -> String {
    let text = format!("{:.digits$}", value.abs());
    if text.chars().all(|letter| matches!(letter, '0' | '.')) {
        text
    } else if value < 0.0 {
        format!("−{text}")
    } else {
        format!("+{text}")
    }
}

/// A difference of times, with its sign.
pub(super) fn difference(nanoseconds: f64) -> String {
    match nanoseconds {
        value if value.abs() < 0.5 => "0 ns".to_owned(),
        value if value < 0.0 => format!("−{}", span(-value)),
        value => format!("+{}", span(value)),
    }
}

/// A count for each run, with at most three digits that matter.
pub(super) fn rate(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

/// `1 run`, `2 runs`, `19,000 runs`.
pub(super) fn counted(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", number(count))
}

/// A number with separators.
pub(super) fn number(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_with_three_digits() {
        assert_eq!(time(1_234_567), "1.23 ms");
        assert_eq!(time(0), "0 ns");
        assert_eq!(span(-12_345.0), "-12.3 µs");
        assert_eq!(date(1_795_352_700), "2026-11-22 13:05");
        assert_eq!(date(951_782_400), "2000-02-29 00:00");
        assert_eq!(day(951_782_400), "2000-02-29");
        assert_eq!(
            [rate(1234.5), rate(12.34), rate(0.5)],
            ["1234", "12.3", "0.50"]
        );
    }

    #[test]
    fn changes_have_a_sign() {
        assert_eq!(relative(100.0, 112.0), "+12 %");
        assert_eq!(relative(100.0, 88.0), "−12 %");
        assert_eq!(relative(100.0, 100.1), "0 %");
        assert_eq!(relative(100.0, 250.0), "2.5 times");
        assert_eq!(relative(0.0, 3.0), "new");
        assert_eq!(difference(-1500.0), "−1.50 µs");
        assert_eq!(difference(1500.0), "+1.50 µs");
        assert_eq!(counted(1, "run"), "1 run");
        assert_eq!(counted(1_234_567, "run"), "1,234,567 runs");
    }
}
