//! The costs of a line, as `events:` declares them.
//!
//! Xdebug writes `Time_(10ns) Memory_(bytes)`. Valgrind counts instructions,
//! which are not time: they are read as counts, like samples.

use profile::{Metrics, SelfCost, WallUnit};

/// The cost in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    /// Wall time, in units of this many nanoseconds.
    Wall(u64),
    Cpu(u64),
    Memory,
    Peak,
    Ignored,
}

/// The costs in all columns.
#[derive(Debug, Clone, Default)]
pub(super) struct Columns {
    columns: Vec<Column>,
    wall_unit: WallUnit,
    /// The first event, if it is neither time nor samples.
    pub(super) counted: Option<String>,
    /// The events that a profile cannot hold.
    pub(super) not_read: Vec<String>,
}

/// The costs of one line, in nanoseconds and bytes. All of them may be below
/// zero: a foreign file may hold the difference of two profiles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Costs {
    pub(super) wall: i64,
    pub(super) cpu: i64,
    pub(super) memory: i64,
    pub(super) peak: i64,
}

impl From<Costs> for SelfCost {
    fn from(costs: Costs) -> Self {
        let Costs {
            wall,
            cpu,
            memory,
            peak,
        } = costs;
        Self {
            wall,
            cpu,
            memory,
            peak,
        }
    }
}

impl Costs {
    #[inline]
    fn set(&mut self, column: Column, value: i64) {
        let time = |unit: u64| value.saturating_mul(i64::try_from(unit).unwrap_or(i64::MAX));
        match column {
            Column::Wall(unit) => self.wall = time(unit),
            Column::Cpu(unit) => self.cpu = time(unit),
            Column::Memory => self.memory = value,
            Column::Peak => self.peak = value,
            Column::Ignored => {}
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.wall = self.wall.saturating_add(other.wall);
        self.cpu = self.cpu.saturating_add(other.cpu);
        self.memory = self.memory.saturating_add(other.memory);
        self.peak = self.peak.saturating_add(other.peak);
    }
}

impl Columns {
    /// Creates the columns from the names of the events. `time_ns` is the unit
    /// of `Time` without a unit in its name.
    pub(super) fn new(events: &[u8], time_ns: u64) -> Self {
        let mut columns = Vec::new();
        let mut has = |column: Column| {
            let kind = std::mem::discriminant(&column);
            let is_new = columns
                .iter()
                .all(|column| std::mem::discriminant(column) != kind);
            columns.push(if is_new { column } else { Column::Ignored });
        };
        let mut names = Vec::new();
        for name in events
            .split(u8::is_ascii_whitespace)
            .filter(|name| !name.is_empty())
        {
            has(column(name, time_ns));
            names.push(name);
        }
        let mut wall_unit = WallUnit::Nanoseconds;
        let mut counted = None;
        let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        let is_wall = |column: &Column| matches!(column, Column::Wall(_));
        if !columns.iter().any(is_wall)
            && let Some(at) = columns.iter().position(|column| *column == Column::Ignored)
        {
            columns[at] = Column::Wall(1);
            wall_unit = WallUnit::Samples;
            let name = names.get(at).map(|name| text(name));
            counted = name.filter(|name| !name.eq_ignore_ascii_case("samples"));
        }
        let ignored = columns.iter().zip(&names);
        let ignored = ignored.filter(|(column, _)| **column == Column::Ignored);
        let not_read = ignored.map(|(_, name)| text(name)).collect();
        Self {
            columns,
            wall_unit,
            counted,
            not_read,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The costs that the columns hold.
    pub(super) fn metrics(&self) -> Metrics {
        let has = |wanted: fn(&Column) -> bool| self.columns.iter().any(wanted);
        Metrics {
            wall_unit: self.wall_unit,
            cpu: has(|column| matches!(column, Column::Cpu(_))),
            memory: has(|column| matches!(column, Column::Memory | Column::Peak)),
            ..Metrics::default()
        }
    }

    /// The costs in the rest of a line; missing ones are zero.
    pub(super) fn costs(&self, mut rest: &[u8]) -> Result<Costs, &'static str> {
        let mut costs = Costs::default();
        for column in &self.columns {
            let Some((value, after)) = number(rest) else {
                if without_spaces(rest).is_empty() {
                    return Ok(costs);
                }
                return Err("a cost is not a number");
            };
            rest = after;
            costs.set(*column, value);
        }
        if without_spaces(rest).is_empty() {
            Ok(costs)
        } else {
            Err("more costs than there are events")
        }
    }

    /// The position and the costs of a line that consists only of digits with
    /// single spaces; none for other lines. Most lines of a file are of this
    /// kind, so this is the fast path.
    #[inline]
    pub(super) fn plain(&self, line: &[u8]) -> Option<(i64, Costs)> {
        let mut columns = self.columns.iter();
        let (mut costs, mut position) = (Costs::default(), None);
        let (mut value, mut digits) = (0_i64, 0);
        let mut end = |value, digits| {
            if !(1..=18).contains(&digits) {
                return None;
            }
            match position {
                None => position = Some(value),
                Some(_) => costs.set(*columns.next()?, value),
            }
            Some(())
        };
        for byte in line {
            let digit = byte.wrapping_sub(b'0');
            if digit <= 9 {
                value = value.wrapping_mul(10).wrapping_add(i64::from(digit));
                digits += 1;
            } else if *byte == b' ' {
                end(value, digits)?;
                (value, digits) = (0, 0);
            } else {
                return None;
            }
        }
        end(value, digits)?;
        Some((position?, costs))
    }
}

fn column(name: &[u8], time_ns: u64) -> Column {
    let name = String::from_utf8_lossy(name).to_lowercase();
    let unit = || {
        let inner = name
            .split_once('(')
            .and_then(|(_, rest)| rest.split_once(')'));
        let inner = inner.map_or(name.as_str(), |(inner, _)| inner);
        let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = inner.split_at(digits);
        let scale = match unit {
            "ns" | "nsec" | "nanoseconds" => 1,
            "us" | "µs" | "usec" | "microseconds" => 1_000,
            "ms" | "msec" | "milliseconds" => 1_000_000,
            "s" | "sec" | "seconds" => 1_000_000_000,
            _ => return None,
        };
        if number.is_empty() {
            return Some(scale);
        }
        number.parse::<u64>().ok()?.checked_mul(scale)
    };
    if name.contains("peakmemory") || name == "pmu" {
        Column::Peak
    } else if name.contains("memory") || name == "mu" {
        Column::Memory
    } else if name.contains("cpu") {
        Column::Cpu(unit().unwrap_or(time_ns))
    } else if name.contains("time") || name == "wt" {
        Column::Wall(unit().unwrap_or(time_ns))
    } else {
        unit().map_or(Column::Ignored, Column::Wall)
    }
}

/// The number at the beginning of `text`, after spaces, and the rest of the
/// text.
#[inline]
pub(super) fn number(text: &[u8]) -> Option<(i64, &[u8])> {
    let rest = without_spaces(text);
    let (is_negative, digits) = match rest {
        [b'-', digits @ ..] => (true, digits),
        _ => (false, rest),
    };
    let mut value = 0_i64;
    let mut rest = digits;
    while let [digit @ b'0'..=b'9', after @ ..] = rest {
        value = value
            .wrapping_mul(10)
            .wrapping_add(i64::from(*digit - b'0'));
        rest = after;
    }
    match digits.len() - rest.len() {
        0 => return None,
        1..=18 => {}
        _ => value = i64::MAX,
    }
    if let ([b'0', b'x', ..], [b'x', hex @ ..]) = (digits, rest) {
        (value, rest) = hexadecimal(hex)?;
    }
    let value = if is_negative { -value } else { value };
    matches!(rest, [] | [b' ' | b'\t', ..]).then_some((value, rest))
}

#[inline]
fn without_spaces(text: &[u8]) -> &[u8] {
    let mut rest = text;
    while let [b' ' | b'\t', after @ ..] = rest {
        rest = after;
    }
    rest
}

#[cold]
fn hexadecimal(text: &[u8]) -> Option<(i64, &[u8])> {
    let is_digit = |byte: &&u8| byte.is_ascii_hexdigit();
    let (digits, rest) = text.split_at_checked(text.iter().take_while(is_digit).count())?;
    let digits = std::str::from_utf8(digits)
        .ok()
        .filter(|text| !text.is_empty())?;
    let value = u64::from_str_radix(digits, 16).unwrap_or(u64::MAX);
    Some((i64::try_from(value).unwrap_or(i64::MAX), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(events: &str, line: &str) -> Result<Costs, &'static str> {
        Columns::new(events.as_bytes(), 1_000).costs(line.as_bytes())
    }

    #[test]
    fn units_are_in_the_names_of_the_events() {
        let xdebug = costs("Time_(10ns) Memory_(bytes)", " 27 -8").unwrap();
        assert_eq!((xdebug.wall, xdebug.memory), (270, -8));
        let ours = "Time_(10ns) Cpu_(10ns) Memory_(bytes) PeakMemory_(bytes)";
        let all = costs(ours, "1\t2 3 4").unwrap();
        assert_eq!((all.wall, all.cpu, all.memory, all.peak), (10, 20, 3, 4));
        assert_eq!(costs("Time Memory", "5").unwrap().wall, 5_000);
        assert_eq!(costs("ns", "5").unwrap().wall, 5);
        assert_eq!(costs("Time_(µs)", "0x10").unwrap().wall, 16_000);
    }

    #[test]
    fn a_plain_line_is_read_as_any_other_is() {
        let columns = Columns::new(b"Time_(10ns) Memory_(bytes)", 1_000);
        for line in ["7 27 8", "7 27", "7", "0 0 0", "123456789012345678 1 2"] {
            let (position, rest) = number(line.as_bytes()).unwrap();
            let costs = columns.costs(rest).unwrap();
            assert_eq!(
                columns.plain(line.as_bytes()),
                Some((position, costs)),
                "{line}"
            );
        }
        for line in [
            "",
            "7 ",
            "7  1",
            "7 -1",
            "0x7 1",
            "+1 2",
            "7 1 2 3",
            "1234567890123456789 1",
        ] {
            assert_eq!(columns.plain(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn what_is_no_time_is_counted() {
        let columns = Columns::new(b"Ir Dr Dw", 1_000);
        assert_eq!(columns.metrics().wall_unit, WallUnit::Samples);
        assert_eq!(columns.counted.as_deref(), Some("Ir"));
        assert_eq!(columns.not_read, ["Dr", "Dw"]);
        assert_eq!(Columns::new(b"Samples", 1_000).counted, None);
        assert_eq!(columns.costs(b"7 8 9").unwrap().wall, 7);
    }

    #[test]
    fn columns_may_be_missing_but_not_be_too_many_or_no_numbers() {
        assert_eq!(costs("Ir Dr", ""), Ok(Costs::default()));
        for line in ["1 2 3", "x", "1 2x", "1.5", "0x"] {
            assert!(costs("Ir Dr", line).is_err(), "{line}");
        }
        assert_eq!(costs("Ir", "99999999999999999999").unwrap().wall, i64::MAX);
    }
}
