//! The function table as Markdown, for an issue or a pull request.
//!
//! **Invariant:** any name stays inside of its row.

use std::io::{BufWriter, Write};

use profile::{FlatRow, FlatTable, Profile, WallUnit};

use crate::format::{Format, Holds, Writes};
use crate::shared::graph::rows_by_own_wall;
use crate::shared::text::lossy;
use crate::{WriteError, WriteOptions, visible};

/// The function table as Markdown.
pub const MARKDOWN: Format = Format {
    id: "markdown",
    name: "Markdown",
    endings: &["md", "markdown"],
    warning: None,
    reads: None,
    writes: Some(
        Writes::new(Holds::Edges, write)
            .all_metrics()
            .with_threshold(),
    ),
};

/// The number of functions: the reader of a comment needs only the top of the
/// table.
const MAX_ROWS: usize = 50;

fn write(profile: &Profile, options: &WriteOptions, out: &mut dyn Write) -> Result<(), WriteError> {
    let table = rows_by_own_wall(profile);
    let mut out = BufWriter::new(out);
    let title = options.title.as_deref().or(profile.meta.title.as_deref());
    if let Some(title) = title {
        writeln!(out, "### {}\n", escaped(title.as_bytes()))?;
    }
    let total = amount(signed(table.total.wall), profile);
    write!(out, "{total} in {} functions", table.rows.len())?;
    if profile.metrics.calls {
        write!(out, " and {} calls", profile.calls())?;
    }
    out.write_all(b"\n\n")?;
    let metrics = profile.metrics;
    let columns = [
        ("Self", true),
        ("%", true),
        ("Inclusive", true),
        ("%", true),
        ("Self CPU", metrics.cpu),
        ("Self memory", metrics.memory),
        ("Calls", metrics.calls),
    ];
    let columns: Vec<_> = columns
        .iter()
        .filter(|column| column.1)
        .map(|column| column.0)
        .collect();
    writeln!(out, "| {} | Function |", columns.join(" | "))?;
    writeln!(out, "|{} --- |", " ---: |".repeat(columns.len()))?;
    let is_shown = |row: &&FlatRow| {
        if table.total.wall == 0 {
            return true;
        }
        let share = FlatTable::percent(signed(row.inclusive.wall), signed(table.total.wall));
        share * 10_000.0 >= f64::from(options.threshold_ppm)
    };
    let shown: Vec<_> = table.rows.iter().filter(is_shown).take(MAX_ROWS).collect();
    for row in &shown {
        writeln!(out, "| {} |", cells(row, &table, profile).join(" | "))?;
    }
    let left_out = table.rows.len() - shown.len();
    if left_out > 0 {
        writeln!(out, "\nand {left_out} more")?;
    }
    Ok(out.flush()?)
}

fn cells(row: &FlatRow, table: &FlatTable, profile: &Profile) -> Vec<String> {
    let total = signed(table.total.wall);
    let percent = |part| format!("{:.1}", FlatTable::percent(part, total));
    let all = signed(row.inclusive.wall);
    let mut cells = vec![
        amount(row.own.wall, profile),
        percent(row.own.wall),
        amount(all, profile),
        percent(all),
    ];
    if profile.metrics.cpu {
        cells.push(time(row.own.cpu));
    }
    if profile.metrics.memory {
        cells.push(format!("{} B", row.own.memory));
    }
    if profile.metrics.calls {
        cells.push(row.inclusive.calls.to_string());
    }
    cells.push(code(profile.name(row.symbol)));
    cells
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Wall time, or samples.
fn amount(wall: i64, profile: &Profile) -> String {
    match profile.metrics.wall_unit {
        WallUnit::Nanoseconds => time(wall),
        WallUnit::Samples => format!("{wall} {}", escaped(profile.counted().as_bytes())),
    }
}

/// Milliseconds, to the microsecond.
pub(crate) fn time(ns: i64) -> String {
    let us = ns.saturating_add(500).div_euclid(1_000);
    let sign = if us < 0 { "-" } else { "" };
    let us = us.unsigned_abs();
    format!("{sign}{}.{:03} ms", us / 1_000, us % 1_000)
}

/// A name as code, in more backticks than it has in a row. A bar ends a table's
/// cell, even in code, unless it is escaped.
fn code(name: &[u8]) -> String {
    let name = shown(name).replace('|', "\\|");
    let longest = name.split(|letter| letter != '`').map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or(0) + 1);
    let space = if name.starts_with('`') || name.ends_with('`') || name.is_empty() {
        " "
    } else {
        ""
    };
    format!("{fence}{space}{name}{space}{fence}")
}

/// Text for a terminal or a page: hidden characters are shown as their numbers.
fn shown(text: &[u8]) -> String {
    let mut shown = String::new();
    for letter in lossy(text).chars() {
        visible::push(&mut shown, letter);
    }
    shown
}

/// Text without Markdown's special characters.
fn escaped(text: &[u8]) -> String {
    let mut escaped = String::new();
    for letter in shown(text).chars() {
        if "\\`*_{}[]<>#|&~".contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_cell() {
        assert_eq!(code(b"a|b"), "`a\\|b`");
        assert_eq!(code(b"`a``b"), "``` `a``b ```");
        assert_eq!(code(b""), "`  `");
        assert_eq!(code(b"a\nb"), "`a b`");
        assert_eq!(escaped(b"<b>*x*"), "\\<b\\>\\*x\\*");
    }

    #[test]
    fn a_name_hides_nothing_and_controls_no_terminal() {
        assert_eq!(code(b"\x1b]0;a\x07"), "`\\x1b]0;a\\x07`");
        assert_eq!(code("\u{202e}gpj".as_bytes()), "`\\u{202e}gpj`");
        assert_eq!(escaped(b"\x1b[31m"), "\\\\x1b\\[31m");
    }

    #[test]
    fn times_are_milliseconds() {
        assert_eq!(time(1_234_567), "1.235 ms");
        assert_eq!(time(-500_600), "-0.501 ms");
    }
}
