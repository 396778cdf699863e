//! A table of numbers with a name at the end of each row.
//!
//! Numbers are right-aligned in columns as wide as they need; the name gets the
//! rest of the line. In a pipe, lines have no width. On a terminal too narrow for
//! the longest name, the columns of memory go; then names are shortened; then
//! other columns go, the least important first.

use anyhow::{Result, bail};
use unicode_width::UnicodeWidthStr;

use super::labels::labels;
use crate::terminal::{Look, Style, shortened};
use crate::units::{counted, percent};

/// The usual heading of the names.
const FUNCTION: &str = "function";

/// A name of this length can still be recognized.
const MIN_NAME_WIDTH: usize = 24;
const GAP: usize = 2;
const INDENTATION: usize = 2;
/// The maximum number of levels that are indented: the indentation of a
/// recursion 100,000 deep would take gigabytes.
const DEEPEST: usize = 100;
const ARROW: &str = " → ";

/// One column of numbers.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    /// Its name in `--columns`.
    pub(crate) key: &'static str,
    pub(crate) title: String,
    /// Columns with the highest number are left out first; those with zero
    /// always stay.
    pub(crate) dispensable: u8,
    pub(crate) is_sorted_by: bool,
    /// Shown only if `--columns` asks for it.
    pub(crate) is_extra: bool,
}

impl Column {
    /// A column that stays.
    pub(crate) fn new(key: &'static str, title: impl Into<String>) -> Self {
        Self {
            key,
            title: title.into(),
            dispensable: 0,
            is_sorted_by: false,
            is_extra: false,
        }
    }

    /// The same, shown only if `--columns` asks for it.
    pub(crate) fn extra(self) -> Self {
        Self {
            is_extra: true,
            ..self
        }
    }

    /// Whether it goes before a name is shortened.
    fn is_of_memory(&self) -> bool {
        matches!(self.key, "memory" | "peak" | "incl-memory" | "incl-peak") && !self.is_sorted_by
    }

    /// The same, left out early if there is no room: the higher, the earlier.
    pub(crate) fn dispensable(self, dispensable: u8) -> Self {
        Self {
            dispensable,
            ..self
        }
    }

    /// The same, marked as what the rows are sorted by.
    pub(crate) fn sorted_by(self, is_sorted_by: bool) -> Self {
        Self {
            is_sorted_by,
            ..self
        }
    }
}

/// A number as text, and how it should look.
#[derive(Debug)]
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) style: Style,
}

impl Cell {
    pub(crate) fn plain(text: String) -> Self {
        let style = Style::Plain;
        Self { text, style }
    }

    /// A number that is faint if it is zero.
    pub(crate) fn amount(text: String) -> Self {
        let style = if text.starts_with("0 ") {
            Style::Faint
        } else {
            Style::Plain
        };
        Self { text, style }
    }

    /// A change for the worse or the better, in colour. A small change has no
    /// colour.
    pub(crate) fn change(text: String, value: f64, is_little: bool) -> Self {
        let style = match value {
            worse if worse > 0.0 && !is_little => Style::Hot,
            better if better < 0.0 && !is_little => Style::Good,
            0.0 => Style::Faint,
            _ => Style::Plain,
        };
        Self { text, style }
    }

    /// A share, the larger the warmer.
    pub(crate) fn share(share: f64) -> Self {
        let style = match share {
            high if high >= 20.0 => Style::Hot,
            middle if middle >= 5.0 => Style::Warm,
            low if low < 0.1 => Style::Faint,
            _ => Style::Plain,
        };
        let text = percent(share);
        Self { text, style }
    }
}

/// One function.
#[derive(Debug)]
pub(crate) struct Row {
    /// As many as there are columns.
    pub(crate) cells: Vec<Cell>,
    /// The number of rows above it that contain it.
    pub(crate) depth: usize,
    /// Printable already.
    pub(crate) name: String,
    /// The callee, if the row is a call.
    pub(crate) callee: Option<String>,
}

/// Rows, and notes about rows that were left out.
#[derive(Debug)]
pub(crate) struct Table {
    /// The heading of the names.
    pub(crate) title: &'static str,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
    /// The notes below, about rows that the limit left out.
    pub(crate) notes: Vec<String>,
    /// The columns that were asked for, in that order; none for the usual ones.
    pub(crate) chosen: Option<Vec<usize>>,
}

/// The note about functions that were left out. It has a percentage only if the
/// cost is never negative.
pub(crate) fn left_out(number: usize, share: Option<f64>) -> Option<String> {
    (number > 0).then(|| {
        let functions = counted(number as u64, "more function");
        let share = share.map(|share| format!(", {} of self", percent(share)));
        format!(
            "{functions}{}; --limit 0 shows all",
            share.unwrap_or_default()
        )
    })
}

impl Table {
    /// An empty table of functions.
    pub(crate) fn of_functions(columns: Vec<Column>) -> Self {
        Self {
            title: FUNCTION,
            columns,
            rows: Vec::new(),
            notes: Vec::new(),
            chosen: None,
        }
    }

    /// The same with the columns of these names, in that order, if there are
    /// names at all.
    pub(crate) fn with_columns(mut self, names: &[String]) -> Result<Self> {
        if names.is_empty() {
            return Ok(self);
        }
        let mut chosen = Vec::with_capacity(names.len());
        for name in names {
            let Some(place) = self.columns.iter().position(|column| column.key == name) else {
                let known: Vec<&str> = self.columns.iter().map(|column| column.key).collect();
                bail!(
                    "there is no column {name} here; --columns takes {}",
                    known.join(", ")
                );
            };
            chosen.push(place);
        }
        self.chosen = Some(chosen);
        Ok(self)
    }

    /// The table as lines of text.
    pub(crate) fn render(&self, look: Look) -> String {
        let widths = self.widths();
        let shown = self.shown(&widths, look.width);
        let used: usize = shown.iter().map(|&column| widths[column] + GAP).sum();
        let name_width = look.width.saturating_sub(used);
        let labels = self.labels(name_width);

        let mut text = String::new();
        let mut heading = String::new();
        for &column in &shown {
            let Column {
                title,
                is_sorted_by,
                ..
            } = &self.columns[column];
            let style = if *is_sorted_by {
                Style::Bold
            } else {
                Style::Faint
            };
            push_right(&mut heading, look, style, title, widths[column]);
        }
        heading.push_str(&look.paint(Style::Faint, &shortened(self.title, name_width)));
        text.push_str(&heading);
        text.push('\n');
        for (row, (label, callee)) in self.rows.iter().zip(&labels) {
            for &column in &shown {
                let Cell { text: cell, style } = &row.cells[column];
                push_right(&mut text, look, *style, cell, widths[column]);
            }
            let indentation = row.indentation(name_width);
            text.push_str(&look.paint(Style::Faint, &indentation));
            text.push_str(&name(look, label));
            if let Some(callee) = callee {
                text.push_str(&look.paint(Style::Faint, ARROW));
                text.push_str(&name(look, callee));
            }
            text.push('\n');
        }
        let footer = self.footer(shown.len());
        if !footer.is_empty() {
            text.push_str(&look.paint(Style::Faint, &footer));
            text.push('\n');
        }
        text
    }

    /// The names as they are shown, and those of callees.
    fn labels(&self, name_width: usize) -> Vec<(String, Option<String>)> {
        let mut names: Vec<(&str, usize)> = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            let indentation = row.indentation(name_width).width();
            let room = name_width.saturating_sub(indentation);
            let Some(callee) = &row.callee else {
                names.push((&row.name, room));
                continue;
            };
            let room = room.saturating_sub(ARROW.width());
            // Each gets half of the width, and the part that the other does not
            // need.
            let caller_room = (room / 2).max(room.saturating_sub(callee.width()));
            let caller_width = row.name.width().min(caller_room);
            names.push((&row.name, caller_room));
            names.push((callee, room.saturating_sub(caller_width)));
        }
        let mut labels = labels(&names).into_iter();
        let pairs = self.rows.iter().map(|row| {
            let label = labels.next().unwrap_or_default();
            (label, row.callee.as_ref().and_then(|_| labels.next()))
        });
        pairs.collect()
    }

    fn footer(&self, shown: usize) -> String {
        let mut notes = self.notes.clone();
        let usual = self.columns.iter().filter(|column| !column.is_extra);
        let usual = usual.count();
        if shown < usual && self.chosen.is_none() {
            let columns = counted((usual - shown) as u64, "column");
            notes.push(format!(
                "{columns} left out: the terminal is too narrow; --wide shows all"
            ));
        }
        if notes.is_empty() {
            return String::new();
        }
        format!("… {}", notes.join("\n… "))
    }

    fn widths(&self) -> Vec<usize> {
        let width = |(index, column): (usize, &Column)| {
            let cells = self.rows.iter().map(|row| row.cells[index].text.width());
            cells.max().unwrap_or(0).max(column.title.width())
        };
        self.columns.iter().enumerate().map(width).collect()
    }

    /// The columns that fit beside a name.
    fn shown(&self, widths: &[usize], width: usize) -> Vec<usize> {
        let longest = self
            .rows
            .iter()
            .map(|row| {
                let callee = row.callee.as_ref();
                let callee = callee.map_or(0, |callee| callee.width() + ARROW.width());
                row.name.width() + callee + row.depth * INDENTATION
            })
            .max()
            .unwrap_or(0);
        let longest = longest.max(self.title.width());
        if let Some(chosen) = &self.chosen {
            return chosen.clone();
        }
        let usual = |column: &usize| !self.columns[*column].is_extra;
        let mut shown: Vec<usize> = (0..self.columns.len()).filter(usual).collect();
        let is_too_wide = |shown: &[usize], name: usize| {
            let used: usize = shown.iter().map(|&column| widths[column] + GAP).sum();
            used.saturating_add(name) > width
        };
        // No name is shortened for a column of memory.
        while is_too_wide(&shown, longest)
            && let Some(place) = shown
                .iter()
                .rposition(|&column| self.columns[column].is_of_memory())
        {
            shown.remove(place);
        }
        while is_too_wide(&shown, longest.min(MIN_NAME_WIDTH)) {
            let dispensable = |&column: &usize| {
                let Column {
                    dispensable,
                    is_sorted_by,
                    ..
                } = &self.columns[column];
                if *is_sorted_by { 0 } else { *dispensable }
            };
            let Some(worst) = shown.iter().copied().max_by_key(dispensable) else {
                break;
            };
            if dispensable(&worst) == 0 {
                break;
            }
            shown.retain(|&column| column != worst);
        }
        shown
    }
}

impl Row {
    /// The indentation: two columns a level while a name fits beside them, then
    /// the number of further levels.
    fn indentation(&self, room: usize) -> String {
        let most = (room.saturating_sub(MIN_NAME_WIDTH) / INDENTATION).min(DEEPEST);
        if self.depth <= most {
            return " ".repeat(self.depth * INDENTATION);
        }
        let further = format!("+{} ", self.depth - most);
        format!("{}{further}", " ".repeat(most * INDENTATION))
    }
}

/// Appends a cell and the gap after it.
fn push_right(line: &mut String, look: Look, style: Style, text: &str, width: usize) {
    let padding = width.saturating_sub(text.width());
    line.extend(std::iter::repeat_n(' ', padding));
    line.push_str(&look.paint(style, text));
    line.extend(std::iter::repeat_n(' ', GAP));
}

/// A name with its namespace in a faint colour.
fn name(look: Look, name: &str) -> String {
    match name.rfind('\\') {
        Some(end) if !name.starts_with("eval::") => {
            let (namespace, rest) = name.split_at(end + 1);
            look.paint(Style::Faint, namespace) + rest
        }
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let cells = |texts: [&str; 4]| texts.map(|text| Cell::plain(text.to_owned())).into();
        Table {
            columns: vec![
                Column::new("calls", "calls"),
                Column::new("self", "self").sorted_by(true),
                Column::new("peak", "peak").dispensable(1),
                Column::new("incl-peak", "incl peak").extra(),
            ],
            rows: vec![
                Row {
                    cells: cells(["1", "263 µs", "2.05 kB", "3.00 kB"]),
                    depth: 0,
                    name: "main()".to_owned(),
                    callee: None,
                },
                Row {
                    cells: cells(["12,345", "7 ns", "0   ", "0   "]),
                    depth: 0,
                    name: "Some\\Name\\Space\\Class::with_a_long_method".to_owned(),
                    callee: None,
                },
            ],
            ..Table::of_functions(Vec::new())
        }
    }

    fn look(width: usize) -> Look {
        Look {
            width,
            has_colour: false,
        }
    }

    fn rendered(width: usize) -> String {
        table().render(look(width))
    }

    #[test]
    fn numbers_line_up_and_no_line_is_too_long() {
        let lines = [
            " calls    self     peak  function",
            "     1  263 µs  2.05 kB  main()",
            "12,345    7 ns     0     Some\\Name\\Space\\Class::with_a_long_method",
        ];
        assert_eq!(rendered(67), lines.join("\n") + "\n");
        // A pipe has no width.
        assert_eq!(table().render(Look::plain()), lines.join("\n") + "\n");
        for width in 40..120 {
            // The last is a note.
            let lines = rendered(width);
            let mut lines = lines.lines().filter(|line| !line.starts_with('…'));
            assert!(lines.all(|line| line.width() <= width), "{width}");
        }
    }

    #[test]
    fn deep_rows_keep_room_for_their_names() {
        let row = |depth| Row {
            cells: Vec::new(),
            depth,
            name: String::new(),
            callee: None,
        };
        assert_eq!(row(2).indentation(40), "    ");
        assert_eq!(row(8).indentation(40), " ".repeat(16));
        assert_eq!(row(9).indentation(40), format!("{}+1 ", " ".repeat(16)));
        assert_eq!(row(100).indentation(10), "+100 ");
        // Without a width, nothing is shortened.
        assert_eq!(row(100).indentation(usize::MAX), " ".repeat(200));
        let deeper = format!("{}+900 ", " ".repeat(200));
        assert_eq!(row(1_000).indentation(usize::MAX), deeper);
    }

    #[test]
    fn a_short_caller_leaves_its_room_to_the_callee() {
        let labels = |caller: &str, callee: &str, room| {
            let row = Row {
                cells: Vec::new(),
                depth: 0,
                name: caller.to_owned(),
                callee: Some(callee.to_owned()),
            };
            let table = Table {
                rows: vec![row],
                ..Table::of_functions(Vec::new())
            };
            let (caller, callee) = table.labels(room).swap_remove(0);
            (caller, callee.unwrap())
        };
        let long = "Some\\Long\\Class::method";
        let pair = |one: &str, other: &str| (one.to_owned(), other.to_owned());
        assert_eq!(labels("f", long, 30), pair("f", long));
        assert_eq!(labels(long, "f", 20), pair("…\\Class::method", "f"));
        for room in 10..60 {
            let (caller, callee) = labels(long, long, room);
            assert!(caller.width() + callee.width() + 3 <= room, "{room}");
        }
    }

    #[test]
    fn columns_of_memory_go_before_a_name_is_cut() {
        let narrow = rendered(57);
        assert!(!narrow.contains("peak"), "{narrow}");
        assert!(
            narrow.contains("Some\\Name\\Space\\Class::with_a_long_method\n"),
            "{narrow}"
        );
        let note = "… 1 column left out: the terminal is too narrow; --wide shows all\n";
        assert!(narrow.ends_with(note), "{narrow}");
        let narrower = rendered(50);
        assert!(
            narrower.contains("…\\Space\\Class::with_a_long_method\n"),
            "{narrower}"
        );
    }

    #[test]
    fn chosen_columns_are_shown_in_that_order_and_stay() {
        let names = |names: &[&str]| {
            names
                .iter()
                .map(|&name| name.to_owned())
                .collect::<Vec<_>>()
        };
        let chosen = table()
            .with_columns(&names(&["incl-peak", "calls"]))
            .unwrap();
        let first = "incl peak   calls  function\n  3.00 kB       1  main()\n";
        for width in [40, usize::MAX] {
            let text = chosen.render(look(width));
            assert!(
                text.starts_with(first) && !text.contains("left out"),
                "{text}"
            );
        }
        let error = table().with_columns(&names(&["calls", "cpu"])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no column cpu here; --columns takes calls, self, peak, incl-peak"
        );
    }
}
