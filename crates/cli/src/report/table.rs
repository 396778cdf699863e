//! A table of numbers with a name at the end of each row.
//!
//! Numbers are right-aligned in columns as wide as they need; the name gets
//! what is left, and loses its middle if that is not enough. On a terminal too
//! narrow for that, whole columns go, the least important first.

use unicode_width::UnicodeWidthStr;

use crate::terminal::{Look, Style, shortened};
use crate::units::{counted, percent};

/// A name this long can still be recognized.
const MIN_NAME_WIDTH: usize = 24;
const GAP: usize = 2;

/// One column of numbers.
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) title: &'static str,
    /// Columns with the highest are left out first; zero always stays.
    pub(crate) dispensable: u8,
    pub(crate) is_sorted_by: bool,
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

    /// A number that is faint if it is nothing.
    pub(crate) fn amount(text: String) -> Self {
        let style = if text.starts_with("0 ") {
            Style::Faint
        } else {
            Style::Plain
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
    /// Printable already.
    pub(crate) name: String,
}

/// Rows with something to say about those left out.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
    /// How many rows the limit left out, and their share of all self cost.
    pub(crate) left_out: u64,
    pub(crate) left_out_share: f64,
}

impl Table {
    /// The table as lines of text.
    pub(crate) fn render(&self, look: Look) -> String {
        let widths = self.widths();
        let shown = self.shown(&widths, look.width);
        let used: usize = shown.iter().map(|&column| widths[column] + GAP).sum();
        let name_width = look.width.saturating_sub(used);

        let mut text = String::new();
        let mut heading = String::new();
        for &column in &shown {
            let Column {
                title,
                is_sorted_by,
                ..
            } = self.columns[column];
            let style = if is_sorted_by {
                Style::Bold
            } else {
                Style::Faint
            };
            push_right(&mut heading, look, style, title, widths[column]);
        }
        heading.push_str(&look.paint(Style::Faint, "function"));
        text.push_str(&heading);
        text.push('\n');
        for row in &self.rows {
            for &column in &shown {
                let Cell { text: cell, style } = &row.cells[column];
                push_right(&mut text, look, *style, cell, widths[column]);
            }
            text.push_str(&name(look, &shortened(&row.name, name_width)));
            text.push('\n');
        }
        let footer = self.footer(shown.len());
        if !footer.is_empty() {
            text.push_str(&look.paint(Style::Faint, &footer));
            text.push('\n');
        }
        text
    }

    fn footer(&self, shown: usize) -> String {
        let mut notes = Vec::new();
        if self.left_out > 0 {
            let functions = counted(self.left_out, "more function");
            let share = percent(self.left_out_share);
            notes.push(format!("{functions}, {share} of self; --limit 0 shows all"));
        }
        if shown < self.columns.len() {
            let columns = counted((self.columns.len() - shown) as u64, "column");
            notes.push(format!("{columns} left out for want of width"));
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

    /// The columns there is room for, beside a name.
    fn shown(&self, widths: &[usize], width: usize) -> Vec<usize> {
        let longest = self
            .rows
            .iter()
            .map(|row| row.name.width())
            .max()
            .unwrap_or(0);
        let wanted = longest.clamp("function".len(), MIN_NAME_WIDTH);
        let mut shown: Vec<usize> = (0..self.columns.len()).collect();
        while shown
            .iter()
            .map(|&column| widths[column] + GAP)
            .sum::<usize>()
            + wanted
            > width
        {
            let dispensable = |&column: &usize| {
                let Column {
                    dispensable,
                    is_sorted_by,
                    ..
                } = self.columns[column];
                if is_sorted_by { 0 } else { dispensable }
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

/// Appends a cell and the gap after it.
fn push_right(line: &mut String, look: Look, style: Style, text: &str, width: usize) {
    let padding = width.saturating_sub(text.width());
    line.extend(std::iter::repeat_n(' ', padding));
    line.push_str(&look.paint(style, text));
    line.extend(std::iter::repeat_n(' ', GAP));
}

/// A name with its namespace stepping back.
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
        let column = |title, dispensable, is_sorted_by| Column {
            title,
            dispensable,
            is_sorted_by,
        };
        let cells = |texts: [&str; 3]| texts.map(|text| Cell::plain(text.to_owned())).into();
        Table {
            columns: vec![
                column("calls", 0, false),
                column("self", 0, true),
                column("peak", 1, false),
            ],
            rows: vec![
                Row {
                    cells: cells(["1", "263 µs", "2.05 kB"]),
                    name: "main()".to_owned(),
                },
                Row {
                    cells: cells(["12,345", "7 ns", "0   "]),
                    name: "Some\\Name\\Space\\Class::with_a_long_method".to_owned(),
                },
            ],
            left_out: 0,
            left_out_share: 0.0,
        }
    }

    fn rendered(width: usize) -> String {
        table().render(Look {
            width,
            has_colour: false,
        })
    }

    #[test]
    fn numbers_line_up_and_no_line_is_too_long() {
        let lines = [
            " calls    self     peak  function",
            "     1  263 µs  2.05 kB  main()",
            "12,345    7 ns     0     Some\\Name\\Spa…s::with_a_long_method",
        ];
        assert_eq!(rendered(60), lines.join("\n") + "\n");
        for width in 40..120 {
            assert!(
                rendered(width).lines().all(|line| line.width() <= width),
                "{width}"
            );
        }
    }

    #[test]
    fn columns_go_before_names_do() {
        let narrow = rendered(40);
        assert!(!narrow.contains("peak"), "{narrow}");
        assert!(
            narrow.ends_with("… 1 column left out for want of width\n"),
            "{narrow}"
        );
    }
}
