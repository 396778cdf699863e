//! Converts a sample's metric to text and back without loss, and the notes that
//! state its unit.

use profile::{Metric, SelfCost};

use crate::shared::unit::{Unit, milliseconds};

/// What introduces the metric in the notes.
const NOTE: &str = "metric: ";

/// The unit of the metric that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counts {
    /// A time, in milliseconds, as PerfView's guide recommends.
    Time(Metric),
    /// Samples, or calls: the file does not distinguish them.
    Samples,
    /// Bytes.
    Memory(Metric),
}

/// The number of millionths in one.
pub(super) const MILLIONTHS: i64 = 1_000_000;

impl Counts {
    /// The cost of a sample of this many millionths. It may be negative, as in a
    /// difference of two profiles.
    pub(super) fn self_cost(self, millionths: i64) -> SelfCost {
        let whole = millionths / MILLIONTHS;
        let mut own = SelfCost::default();
        match self {
            Self::Time(Metric::Cpu) => own.cpu = millionths,
            Self::Time(_) => own.wall = millionths,
            Self::Samples => own.wall = whole,
            Self::Memory(Metric::Peak) => own.peak = whole,
            Self::Memory(_) => own.memory = whole,
        }
        own
    }
}

/// Whether it is 1, which the format leaves out.
pub(super) fn is_one(value: i64, unit: Unit) -> bool {
    match unit {
        Unit::Nanoseconds => value == 1_000_000,
        Unit::Bytes | Unit::Count => value == 1,
    }
}

/// A metric; times are in milliseconds, without decimals or with at least
/// three.
pub(super) fn written(value: i64, unit: Unit) -> String {
    match unit {
        Unit::Nanoseconds if value % 1_000_000 == 0 => milliseconds(value, 0),
        Unit::Nanoseconds => milliseconds(value, 3),
        Unit::Bytes | Unit::Count => value.to_string(),
    }
}

/// The profiled program and the metric's unit; none if both are unknown.
pub(super) fn notes(title: Option<&str>, metric: Metric, unit: Unit) -> Option<String> {
    let in_unit = match unit {
        Unit::Nanoseconds => "in milliseconds",
        Unit::Bytes => "in bytes",
        Unit::Count if metric == Metric::Wall => "in samples",
        Unit::Count => "counted",
    };
    let note = format!("{NOTE}{}, {in_unit}", metric.name());
    match title {
        Some(title) => Some(format!("{title}\n{note}")),
        None if metric == Metric::Wall && unit == Unit::Nanoseconds => None,
        None => Some(note),
    }
}

/// The title and the metric's unit, from notes that this crate wrote.
pub(super) fn from_notes(notes: &str) -> Option<(Option<&str>, Counts)> {
    let (title, note) = match notes.trim().rsplit_once('\n') {
        Some((title, note)) => (Some(title.trim()), note),
        None => (None, notes),
    };
    let (metric, in_unit) = note.trim().strip_prefix(NOTE)?.split_once(", ")?;
    let metric = Metric::ALL
        .into_iter()
        .find(|candidate| candidate.name() == metric)?;
    let counts = match (metric, in_unit) {
        (Metric::Wall | Metric::Cpu, "in milliseconds") => Counts::Time(metric),
        (Metric::Memory | Metric::Peak, "in bytes") => Counts::Memory(metric),
        (Metric::Wall, "in samples") | (Metric::Calls, "counted") => Counts::Samples,
        _ => return None,
    };
    Some((title, counts))
}

/// A decimal number times a million, rounded: milliseconds as nanoseconds,
/// without binary fractions in between. A comma is a thousands separator.
pub(super) fn millionths(text: &str) -> Option<i64> {
    let text = text.trim();
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if !fraction.bytes().all(|byte| byte.is_ascii_digit())
        || whole.is_empty() && fraction.is_empty()
    {
        return scientific(text);
    }
    let mut value = 0_i64;
    for byte in whole.bytes().filter(|&byte| byte != b',') {
        if !byte.is_ascii_digit() {
            return scientific(text);
        }
        value = value.checked_mul(10)?.checked_add(i64::from(byte - b'0'))?;
    }
    let mut decimals = fraction.bytes().map(|byte| i64::from(byte - b'0'));
    for _ in 0..6 {
        let digit = decimals.next().unwrap_or(0);
        value = value.checked_mul(10)?.checked_add(digit)?;
    }
    if decimals.next().is_some_and(|digit| digit >= 5) {
        value = value.checked_add(1)?;
    }
    Some(if is_negative { -value } else { value })
}

/// A number with an exponent: its writer does not have exact numbers.
fn scientific(text: &str) -> Option<i64> {
    if !text.contains(['e', 'E']) {
        return None;
    }
    let value = text.parse::<f64>().ok()? * 1e6;
    let rounded = value.round();
    #[expect(clippy::cast_possible_truncation, reason = "checked to fit")]
    (rounded.abs() < 9e18).then_some(rounded as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again_to_the_nanosecond() {
        // None of these fits into 32 bits, the last not even into 64.
        for value in [
            0,
            1,
            -1,
            1_500,
            1_000_000,
            123_456_789_012_345,
            9_007_199_254_740_993,
        ] {
            let text = written(value, Unit::Nanoseconds);
            assert_eq!(millionths(&text), Some(value), "{text}");
        }
        assert_eq!(written(20_000, Unit::Nanoseconds), "0.020");
        assert_eq!(written(2_000_000, Unit::Nanoseconds), "2");
        assert_eq!(written(-16_777_217, Unit::Bytes), "-16777217");
    }

    #[test]
    fn numbers_are_read_as_perfview_reads_them() {
        for (text, value) in [
            ("1,5", Some(15_000_000)),
            (" 0.0000005 ", Some(1)),
            (".5", Some(500_000)),
            ("5.", Some(5_000_000)),
            ("1.5E-05", Some(15)),
            ("+2e3", Some(2_000_000_000)),
            ("", None),
            (".", None),
            ("-", None),
            ("NaN", None),
            ("1e999", None),
            ("0x5", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(millionths(text), value, "{text}");
        }
    }

    #[test]
    fn notes_say_what_is_counted_and_others_are_left_alone() {
        let round = |title, metric, unit| {
            let notes = notes(title, metric, unit).unwrap_or_default();
            from_notes(&notes).map(|(title, counts)| (title.map(str::to_owned), counts))
        };
        assert_eq!(round(None, Metric::Wall, Unit::Nanoseconds), None);
        assert_eq!(
            round(Some("a, b"), Metric::Peak, Unit::Bytes),
            Some((Some("a, b".to_owned()), Counts::Memory(Metric::Peak)))
        );
        assert_eq!(
            round(None, Metric::Wall, Unit::Count),
            Some((None, Counts::Samples))
        );
        assert_eq!(from_notes("what I saw\nmetric: something, else"), None);
    }
}
