//! The list as text.
//!
//! **Invariant:** in a pipe no name is cut. On a terminal columns are left out
//! first, then names are cut in the middle, so that each profile has one line.

use std::io::{IsTerminal, stdout};

use formats::moment;
use profile::{Metric, WallUnit};
use unicode_width::UnicodeWidthStr;

use super::Entry;
use crate::terminal::{Look, Style, printable, shortened};
use crate::units::{count, counted, size, time};

const GAP: usize = 2;
/// Names are not cut below this width.
const MIN_NAME: usize = 16;

/// How many profiles there are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counts {
    pub(super) all: usize,
    pub(super) matching: usize,
    pub(super) shown: usize,
}

struct Column {
    title: &'static str,
    cells: Vec<String>,
    is_right: bool,
    /// The order in which columns are left out if the terminal is too narrow;
    /// zero for columns that stay.
    dispensable: u8,
}

impl Column {
    fn width(&self) -> usize {
        let cells = self.cells.iter().map(|cell| cell.width());
        cells.max().unwrap_or(0).max(self.title.width())
    }
}

/// The whole table.
pub(super) fn rendered(entries: &[Entry], counts: Counts, look: Look) -> String {
    if counts.all == 0 {
        return "no profile found\n".to_owned();
    }
    if entries.is_empty() {
        return format!(
            "none of {} matches\n",
            counted(counts.all as u64, "profile")
        );
    }
    let fit = stdout().is_terminal().then_some(look.width);
    let mut columns = columns(entries);
    let mut left_out = 0;
    if let Some(width) = fit {
        left_out = narrow(&mut columns, width);
    }
    let mut text = lines(&columns, look);
    let mut notes = Vec::new();
    if counts.shown < counts.matching {
        let more = (counts.matching - counts.shown) as u64;
        notes.push(format!(
            "{}; --limit 0 shows all",
            counted(more, "more profile")
        ));
    }
    if left_out > 0 {
        let columns = counted(left_out, "column");
        notes.push(format!("{columns} left out: the terminal is too narrow"));
    }
    for note in notes {
        text.push_str(&look.paint(Style::Faint, &format!("… {note}\n")));
    }
    text
}

fn columns(entries: &[Entry]) -> Vec<Column> {
    let column = |title, dispensable, cell: &dyn Fn(&Entry) -> String| Column {
        title,
        cells: entries.iter().map(cell).collect(),
        is_right: dispensable > 0,
        dispensable,
    };
    let signed = |value| i64::try_from(value).unwrap_or(i64::MAX);
    let date = |entry: &Entry| {
        let moment = entry.date.map(moment).unwrap_or_default();
        moment.trim_end_matches(" UTC").to_owned()
    };
    let wall = |entry: &Entry| match entry.summary.metrics.wall_unit {
        // The counts of another profiler are no times.
        _ if let Some(counts) = &entry.summary.meta.counts => {
            let counts = printable(counts.as_bytes());
            format!("{} {counts}", count(entry.summary.total.wall))
        }
        WallUnit::Nanoseconds => time(signed(entry.summary.total.wall)),
        WallUnit::Samples => counted(entry.summary.total.wall, "sample"),
    };
    let cpu = |entry: &Entry| match Metric::Cpu.is_in(entry.summary.metrics) {
        true => time(signed(entry.summary.total.cpu)),
        false => String::new(),
    };
    let peak = |entry: &Entry| {
        entry
            .peak
            .map(|peak| size(signed(peak)))
            .unwrap_or_default()
    };
    let calls = |entry: &Entry| match Metric::Calls.is_in(entry.summary.metrics) {
        true => count(entry.summary.total.calls),
        false => String::new(),
    };
    let spans = |entry: &Entry| match entry.summary.spans {
        0 => String::new(),
        spans => count(spans),
    };
    let status = |entry: &Entry| match (entry.has_failed, entry.status.is_empty()) {
        (true, true) => "failed".to_owned(),
        (true, false) => format!("{} !", printable(entry.status.as_bytes())),
        (false, _) => printable(entry.status.as_bytes()),
    };
    let route = |entry: &Entry| printable(entry.route.as_bytes());
    let file = |entry: &Entry| printable(entry.path.display().to_string().as_bytes());
    let mut columns = vec![
        column("date (UTC)", 0, &date),
        column("status", 1, &status),
        column("wall", 0, &wall),
        column("cpu", 3, &cpu),
        column("peak", 2, &peak),
        column("calls", 4, &calls),
        column("spans", 5, &spans),
        column("route or script", 0, &route),
        column("file", 0, &file),
    ];
    for column in &mut columns {
        column.is_right |= column.title == "wall";
    }
    // A column without any value is left out.
    columns.retain(|column| column.cells.iter().any(|cell| !cell.is_empty()));
    columns
}

/// Leaves out columns until they fit; returns how many.
fn narrow(columns: &mut Vec<Column>, width: usize) -> u64 {
    let is_name = |column: &Column| matches!(column.title, "route or script" | "file");
    let least = |columns: &[Column]| -> usize {
        let widths = columns.iter().map(|column| match is_name(column) {
            true => column.width().min(MIN_NAME),
            false => column.width(),
        });
        widths.sum::<usize>() + GAP * columns.len().saturating_sub(1)
    };
    let mut left_out = 0;
    while least(columns) > width {
        let worst = (0..columns.len()).max_by_key(|&place| columns[place].dispensable);
        match worst {
            Some(place) if columns[place].dispensable > 0 => {
                columns.remove(place);
                left_out += 1;
            }
            _ => break,
        }
    }
    let numbers = columns.iter().filter(|column| !is_name(column));
    let numbers: usize = numbers.map(|column| column.width() + GAP).sum();
    let mut room = width.saturating_sub(numbers);
    let names = columns.iter().filter(|column| is_name(column)).count();
    for (place, column) in columns
        .iter_mut()
        .filter(|column| is_name(column))
        .enumerate()
    {
        let share = room.saturating_sub(GAP) / (names - place);
        let share = share.max(MIN_NAME);
        for cell in &mut column.cells {
            *cell = shortened(cell, share);
        }
        room = room.saturating_sub(column.width() + GAP);
    }
    left_out
}

fn lines(columns: &[Column], look: Look) -> String {
    let widths: Vec<usize> = columns.iter().map(Column::width).collect();
    let rows = columns.first().map_or(0, |column| column.cells.len());
    let line = |cell: &dyn Fn(&Column) -> String| {
        let mut line = String::new();
        for (column, width) in columns.iter().zip(&widths) {
            let cell = cell(column);
            let padding = " ".repeat(width.saturating_sub(cell.width()));
            if !line.is_empty() {
                line.push_str("  ");
            }
            if column.is_right {
                line.push_str(&padding);
                line.push_str(&cell);
            } else {
                line.push_str(&cell);
                line.push_str(&padding);
            }
        }
        line.trim_end().to_owned()
    };
    let head = line(&|column: &Column| column.title.to_owned());
    let mut text = look.paint(Style::Bold, &head) + "\n";
    for row in 0..rows {
        text.push_str(&line(&|column: &Column| column.cells[row].clone()));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Vec<Column> {
        let column = |title, cell: &str, dispensable| Column {
            title,
            cells: vec![cell.to_owned()],
            is_right: dispensable > 0,
            dispensable,
        };
        vec![
            column("date (UTC)", "2026-11-22 10:00:00", 0),
            column("cpu", "263 µs", 3),
            column("calls", "12,345", 4),
            column(
                "route or script",
                "GET /a/rather/long/route/of/articles/7",
                0,
            ),
            column(
                "file",
                "/var/lib/xhprof/0610ae2c1f3b400000126789abcdef01.index.xhp",
                0,
            ),
        ]
    }

    #[test]
    fn columns_go_first_then_names_lose_their_middle() {
        let look = Look {
            width: 80,
            has_colour: false,
        };
        for width in [60, 70, 80, 100, 200] {
            let mut columns = columns();
            let left_out = narrow(&mut columns, width);
            assert_eq!(columns.len() + usize::try_from(left_out).unwrap(), 5);
            let text = lines(&columns, look);
            assert!(
                text.lines().all(|line| line.width() <= width),
                "{width}\n{text}"
            );
            assert!(text.contains("2026-11-22"));
        }
        let mut narrowest = columns();
        assert_eq!(narrow(&mut narrowest, 64), 1);
        assert_eq!(narrowest[1].title, "cpu");
    }
}
