//! A comparison as text: the totals, the functions, the calls.

use std::borrow::Cow;
use std::path::PathBuf;

use anyhow::Result;
use profile::{Change, Metric, WallUnit};

use super::shown::Shown;
use crate::report::table::{Cell, Column, Row, Table};
use crate::terminal::{Look, Style, code, printable, shortened};
use crate::units::{amount, change, count, counted, relative};

/// A change below this share is not coloured.
const MIN_COLOURED_CHANGE: f64 = 0.01;

impl Shown<'_> {
    /// The whole comparison as text.
    pub(super) fn text(&self, look: Look, columns: &[String]) -> Result<String> {
        let mut text = self.head(look);
        text.push_str(&self.total().render(look));
        text.push('\n');
        text.push_str(&format!("{}\n", self.verdict()));
        // The functions have all columns that the calls have, and one more.
        let functions = self.functions().with_columns(columns)?;
        let edges = self.edges();
        let is_there = |name: &&String| edges.columns.iter().any(|column| column.key == *name);
        let columns: Vec<String> = columns.iter().filter(is_there).cloned().collect();
        for table in [functions, edges.with_columns(&columns)?] {
            if !table.rows.is_empty() {
                text.push('\n');
                text.push_str(&table.render(look));
            }
        }
        if self.has_spread() {
            let note = "~ no larger than the difference between runs of one side";
            text.push_str(&look.paint(Style::Faint, &format!("\n{note}\n")));
        }
        if let Some(note) = self.unknown_noise() {
            let gap = if self.has_spread() { "" } else { "\n" };
            text.push_str(&look.paint(Style::Faint, &format!("{gap}{note}\n")));
        }
        Ok(text)
    }

    /// The totals and the verdict as lines of Markdown.
    pub(super) fn total_lines(&self) -> String {
        let mut text = self.lines(&self.total(), str::to_owned).concat();
        text.push_str(&format!("- {}\n", self.verdict()));
        if let Some(note) = self.unknown_noise() {
            let note = note.split(';').next().unwrap_or_default();
            text.push_str(&format!("- {note}\n"));
        }
        text
    }

    /// A line of Markdown for each function.
    pub(super) fn function_lines(&self) -> Vec<String> {
        self.lines(&self.functions(), |name| code(name.as_bytes()))
    }

    /// A line of Markdown for each caller and callee.
    pub(super) fn edge_lines(&self) -> Vec<String> {
        self.lines(&self.edges(), |name| code(name.as_bytes()))
    }

    fn lines(&self, table: &Table, quoted: impl Fn(&str) -> String) -> Vec<String> {
        let row = |row: &Row| {
            let cells = row.cells.iter().zip(&table.columns);
            let cells = cells.filter_map(|(cell, column)| {
                let text = cell.text.trim();
                (!text.is_empty()).then(|| match column.key {
                    "change" | "change%" => text.to_owned(),
                    key => format!("{key} {text}"),
                })
            });
            let cells: Vec<String> = cells.collect();
            let callee = row.callee.as_deref();
            let callee = callee.map(|callee| format!(" → {}", quoted(callee)));
            let name = quoted(&row.name) + &callee.unwrap_or_default();
            format!("- {} {name}\n", cells.join(", "))
        };
        table.rows.iter().map(row).collect()
    }

    /// A note if a side has a single run, whose noise is unknown.
    fn unknown_noise(&self) -> Option<&'static str> {
        match self.single() {
            [true, true] => Some(
                "one run a side: how much of this is noise is unknown; record several runs of\n\
                 each, and give all of them: xhprof diff OLD... -- NEW...",
            ),
            [true, false] => {
                Some("the base is one run: how much it differs from others is unknown")
            }
            [false, true] => {
                Some("the new side is one run: how much it differs from others is unknown")
            }
            [false, false] => None,
        }
    }

    fn head(&self, look: Look) -> String {
        let [base, new] = self.files.map(|files| {
            let names = shortened(&names(files), look.width.saturating_sub(6));
            look.paint(Style::Bold, &names)
        });
        format!("base  {base}\nnew   {new}\n\n")
    }

    /// How many functions changed, by direction.
    fn verdict(&self) -> String {
        let counts = &self.counts;
        let functions = |number| counted(number, "function");
        let mut parts = vec![
            format!("{} worse", functions(counts.worse)),
            format!("{} better", count(counts.better)),
        ];
        if self.has_spread() {
            parts.push(format!("{} within the spread", count(counts.within_spread)));
        }
        parts.push(format!("{} the same", count(counts.unchanged)));
        format!("{}, by {}", parts.join(", "), self.what())
    }

    fn what(&self) -> Cow<'static, str> {
        let what = match self.metric {
            Metric::Wall => match self.diff.metrics.wall_unit {
                WallUnit::Nanoseconds => "self wall time",
                WallUnit::Samples => {
                    return format!("{} of their own", printable(self.unit.as_bytes())).into();
                }
            },
            Metric::Cpu => "self CPU time",
            Metric::Memory => "self memory",
            Metric::Peak => "self peak memory",
            Metric::Calls => "calls",
        };
        what.into()
    }

    /// The totals of all costs.
    fn total(&self) -> Table {
        let measured = Metric::ALL.into_iter();
        let measured = measured.filter(|metric| metric.is_in(self.diff.metrics));
        // The root is called once a run. The number of all calls would be
        // useful, but is shown only with the functions.
        let rows = measured.filter(|metric| *metric != Metric::Calls);
        // A format without peak memory has a zero there.
        let rows = rows.filter(|&metric| {
            let change = self.diff.total.of(metric);
            metric != Metric::Peak || change.base.mean != 0.0 || change.new.mean != 0.0
        });
        Table {
            title: "of the whole",
            columns: self.columns("base   ", "new   "),
            rows: rows
                .map(|metric| Row {
                    cells: self.cells(metric, self.diff.total.of(metric)),
                    depth: 0,
                    name: match metric {
                        Metric::Wall if self.unit != "time" => printable(self.unit.as_bytes()),
                        _ => metric.name().to_owned(),
                    },
                    callee: None,
                })
                .collect(),
            notes: Vec::new(),
            chosen: None,
        }
    }

    fn functions(&self) -> Table {
        let (base, new) = self.titles("self");
        let mut columns = self.columns(&base, &new);
        let has_calls = self.diff.metrics.calls && self.metric != Metric::Calls;
        if has_calls {
            columns.push(Column::new("calls", "± calls").dispensable(2));
        }
        let rows = self.functions.iter().map(|function| {
            let mut cells = self.cells(self.metric, function.own.of(self.metric));
            if has_calls {
                let calls = rounded(function.own.of(Metric::Calls).absolute());
                let mut cell = Cell::plain(change(Metric::Calls, self.diff.metrics, calls));
                if calls == 0 {
                    cell.style = Style::Faint;
                }
                cells.push(cell);
            }
            Row {
                cells,
                depth: 0,
                name: printable(self.diff.name(function.symbol)),
                callee: None,
            }
        });
        Table {
            rows: rows.collect(),
            notes: left_out(self.left_out[0], "function"),
            ..Table::of_functions(columns)
        }
    }

    fn edges(&self) -> Table {
        let (base, new) = self.titles("incl");
        let rows = self.edges.iter().map(|edge| Row {
            cells: self.cells(self.metric, edge.cost.of(self.metric)),
            depth: 0,
            name: printable(self.diff.name(edge.caller)),
            callee: Some(printable(self.diff.name(edge.callee))),
        });
        Table {
            title: "caller → callee",
            columns: self.columns(&base, &new),
            rows: rows.collect(),
            notes: left_out(self.left_out[1], "call"),
            chosen: None,
        }
    }

    /// The three blanks stand above the unit.
    fn titles(&self, what: &str) -> (String, String) {
        let is_counted = self.metric == Metric::Calls
            || self.metric == Metric::Wall && self.diff.metrics.wall_unit == WallUnit::Samples;
        if is_counted {
            return ("base".to_owned(), "new".to_owned());
        }
        (format!("{what} base"), format!("{what} new"))
    }

    fn columns(&self, base: &str, new: &str) -> Vec<Column> {
        let mut columns = vec![
            Column::new("change", "change").sorted_by(true),
            Column::new("change%", "%"),
            Column::new("base", base).dispensable(1),
            Column::new("new", new),
        ];
        if self.has_spread() {
            columns.push(Column::new("spread", "spread").dispensable(3));
        }
        columns
    }

    fn cells(&self, metric: Metric, it: Change) -> Vec<Cell> {
        let metrics = self.diff.metrics;
        let text = |value| amount(metric, metrics, rounded(value));
        let difference = rounded(it.absolute());
        let mut changed = change(metric, metrics, difference);
        let is_lost = self.has_spread() && it.is_within_spread() && difference != 0;
        let mut share = match it.relative() {
            None if difference == 0 => String::new(),
            None if rounded(it.base.mean) == 0 => "new".to_owned(),
            // A percentage of a negative number is meaningless.
            None => String::new(),
            Some(_) if rounded(it.new.mean) == 0 && difference != 0 => "gone".to_owned(),
            Some(share) => relative(share),
        };
        if is_lost {
            changed.insert(0, '~');
        }
        if metric.is_signed() {
            share.clear();
        } else if difference == 0 {
            share = "0.0%".to_owned();
        }
        let style_of = if is_lost { 0.0 } else { it.absolute() };
        let is_little = it
            .relative()
            .is_some_and(|share| share.abs() < MIN_COLOURED_CHANGE);
        let mut cells = vec![
            Cell::change(changed, style_of, is_little),
            Cell::change(share, style_of, is_little),
            Cell::amount(text(it.base.mean)),
            Cell::amount(text(it.new.mean)),
        ];
        if self.has_spread() {
            let spread = text(it.base.spread + it.new.spread);
            cells.push(Cell::amount(spread));
        }
        cells
    }
}

fn left_out(number: usize, thing: &str) -> Vec<String> {
    let more = (number > 0).then(|| {
        let things = counted(number as u64, &format!("more {thing}"));
        format!("{things}; --limit 0 shows all")
    });
    more.into_iter().collect()
}

/// The files of a side.
fn names(files: &[PathBuf]) -> String {
    let names = files.iter().map(|file| crate::input::title(file));
    let names: Vec<String> = names.map(|name| printable(name.as_bytes())).collect();
    match names.as_slice() {
        [one] => one.clone(),
        names => format!("{} runs: {}", names.len(), names.join(", ")),
    }
}

/// Means are rounded, since costs are whole numbers.
#[expect(
    clippy::cast_possible_truncation,
    reason = "it saturates, as all sums of costs do"
)]
fn rounded(value: f64) -> i64 {
    value.round() as i64
}
