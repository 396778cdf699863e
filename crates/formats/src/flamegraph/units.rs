//! Costs as text.

use profile::{Metric, Metrics, Profile, WallUnit};

/// A metric's name for people: `wall time`.
pub(crate) fn title(metric: Metric, profile: &Profile) -> &str {
    match (metric, profile.metrics.wall_unit) {
        (Metric::Wall, WallUnit::Samples) => profile.counted(),
        (Metric::Wall, WallUnit::Nanoseconds) => "wall time",
        (Metric::Cpu, _) => "CPU time",
        (Metric::Memory, _) => "memory",
        (Metric::Peak, _) => "peak memory",
        (Metric::Calls, _) => "calls",
    }
}

/// A metric's unit: `ns`, `bytes`, or empty for plain numbers.
pub(crate) fn unit(metric: Metric, metrics: Metrics) -> &'static str {
    match (metric, metrics.wall_unit) {
        (Metric::Wall, WallUnit::Nanoseconds) | (Metric::Cpu, _) => "ns",
        (Metric::Memory | Metric::Peak, _) => "bytes",
        (Metric::Wall, WallUnit::Samples) | (Metric::Calls, _) => "",
    }
}

/// A cost with its unit: `1.25 ms`, `48 B`, `1,234`.
pub(crate) fn amount(value: i64, unit: &str) -> String {
    match unit {
        "ns" => scaled(value, &["ns", "µs", "ms", "s"]),
        "bytes" => scaled(value, &["B", "kB", "MB", "GB", "TB"]),
        _ => count(value),
    }
}

/// `part` of `whole`: `38.02%`.
pub(crate) fn percent(part: i64, whole: i64) -> String {
    if whole == 0 {
        return "0.00%".to_owned();
    }
    // Hundredths of a percent, in integers: the same digits everywhere.
    let (part, whole) = (i128::from(part), i128::from(whole));
    let parts = part * 20_000 / whole;
    let rounded = (parts + parts.signum()) / 2;
    let sign = if rounded < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}%", rounded.abs() / 100, rounded.abs() % 100)
}

/// `part` of `whole`, none if sums of the metric may be negative: with freed
/// memory a sum can be of any size.
pub(crate) fn share(metric: Metric, part: i64, whole: i64) -> Option<String> {
    (!metric.is_signed()).then(|| percent(part, whole))
}

/// A count with thousands separators: `1,234,567`.
pub(crate) fn count(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut text = String::from(if value < 0 { "-" } else { "" });
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Three significant digits.
fn scaled(value: i64, units: &[&str]) -> String {
    let sign = if value < 0 { "-" } else { "" };
    let magnitude = u128::from(value.unsigned_abs());
    let mut scale = 1_u128;
    let mut units = units.iter().peekable();
    while let Some(unit) = units.next() {
        // 999.5 would be shown as 1000.
        if units.peek().is_some() && magnitude * 2 >= scale * 1999 {
            scale *= 1000;
            continue;
        }
        // 9.995 is shown as 10.0, and 99.95 as 100.
        let digits = if scale == 1 || magnitude * 100 >= scale * 9995 {
            0
        } else if magnitude * 1000 >= scale * 9995 {
            1
        } else {
            2
        };
        let power = 10_u128.pow(digits);
        let rounded = (magnitude * power * 2 + scale) / (scale * 2);
        let (whole, part) = (rounded / power, rounded % power);
        return match digits {
            0 => format!("{sign}{whole} {unit}"),
            1 => format!("{sign}{whole}.{part} {unit}"),
            _ => format!("{sign}{whole}.{part:02} {unit}"),
        };
    }
    count(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_that_may_be_below_zero_have_no_shares() {
        assert_eq!(share(Metric::Wall, 1, 4).as_deref(), Some("25.00%"));
        for metric in [Metric::Memory, Metric::Peak] {
            assert_eq!(share(metric, 1, 4), None);
        }
    }

    #[test]
    fn costs_have_three_digits_and_a_unit() {
        let text = [0, 999, 1_000, 1_999, 9_996, 99_960, 999_500, -1_234_567];
        assert_eq!(
            text.map(|value| amount(value, "ns")),
            [
                "0 ns", "999 ns", "1.00 µs", "2.00 µs", "10.0 µs", "100 µs", "1.00 ms", "-1.23 ms"
            ]
        );
        assert_eq!(amount(i64::MIN, "bytes"), "-9223372 TB");
        assert_eq!(amount(1_234_567, ""), "1,234,567");
    }

    #[test]
    fn shares_are_rounded_to_hundredths() {
        assert_eq!(percent(1, 3), "33.33%");
        assert_eq!(percent(2, 3), "66.67%");
        assert_eq!(percent(-1, 1000), "-0.10%");
        assert_eq!(percent(1, 0), "0.00%");
        assert_eq!(percent(i64::MAX, 1), "922337203685477580700.00%");
    }
}
