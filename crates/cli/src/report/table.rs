//! A table of numbers with a name at the end of each row.
//!
//! Numbers are right-aligned in columns as wide as they need; the name gets
//! what is left, and loses its middle if that is not enough. On a terminal too
//! narrow for that, whole columns go, the least important first.

use unicode_width::UnicodeWidthStr;

use crate::terminal::{Look, Style, shortened};
use crate::units::{counted, percent};

/// What one line may be about.
const FUNCTION: &str = "function";

/// A name this long can still be recognized.
const MIN_NAME_WIDTH: usize = 24;
const GAP: usize = 2;
const INDENTATION: usize = 2;
const ARROW: &str = " → ";

/// One column of numbers.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) title: String,
    /// Columns with the highest are left out first; zero always stays.
    pub(crate) dispensable: u8,
    pub(crate) is_sorted_by: bool,
}

impl Column {
    /// A column that stays.
    pub(crate) fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            dispensable: 0,
            is_sorted_by: false,
        }
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

    /// A number that is faint if it is nothing.
    pub(crate) fn amount(text: String) -> Self {
        let style = if text.starts_with("0 ") {
            Style::Faint
        } else {
            Style::Plain
        };
        Self { text, style }
    }

    /// A number that makes things worse or better.
    /// Little of either is just a number.
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
    /// How deep below other rows this one is.
    pub(crate) depth: usize,
    /// Printable already.
    pub(crate) name: String,
    /// Whom the function calls, if the row is about that.
    pub(crate) callee: Option<String>,
}

/// Rows with something to say about those left out.
#[derive(Debug)]
pub(crate) struct Table {
    /// What stands above the names.
    pub(crate) title: &'static str,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
    /// What is to be said below: of rows that the limit left out.
    pub(crate) notes: Vec<String>,
}

/// What is to be said of functions that were left out.
pub(crate) fn left_out(number: usize, share: f64) -> Option<String> {
    (number > 0).then(|| {
        let functions = counted(number as u64, "more function");
        let share = percent(share);
        format!("{functions}, {share} of self; --limit 0 shows all")
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
        }
    }

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
        for row in &self.rows {
            for &column in &shown {
                let Cell { text: cell, style } = &row.cells[column];
                push_right(&mut text, look, *style, cell, widths[column]);
            }
            let indentation = row.indentation(name_width);
            let room = name_width.saturating_sub(indentation.width());
            text.push_str(&look.paint(Style::Faint, &indentation));
            text.push_str(&row.label(look, room));
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
        let mut notes = self.notes.clone();
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
            .map(|row| {
                let callee = row.callee.as_ref();
                let callee = callee.map_or(0, |callee| callee.width() + ARROW.width());
                row.name.width() + callee + row.depth * INDENTATION
            })
            .max()
            .unwrap_or(0);
        let wanted = longest.max(self.title.width()).min(MIN_NAME_WIDTH);
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
    /// What stands before the name: two columns a level while there is room for
    /// a name beside them, then the number of further levels.
    fn indentation(&self, room: usize) -> String {
        let most = room.saturating_sub(MIN_NAME_WIDTH) / INDENTATION;
        if self.depth <= most {
            return " ".repeat(self.depth * INDENTATION);
        }
        let further = format!("+{} ", self.depth - most);
        format!("{}{further}", " ".repeat(most * INDENTATION))
    }

    /// The name, or both, in so many columns.
    fn label(&self, look: Look, room: usize) -> String {
        let Some(callee) = &self.callee else {
            return name(look, &shortened(&self.name, room));
        };
        let room = room.saturating_sub(ARROW.width());
        // Each has half of it, and what the other does not need.
        let caller = shortened(
            &self.name,
            (room / 2).max(room.saturating_sub(callee.width())),
        );
        let callee = shortened(callee, room.saturating_sub(caller.width()));
        let arrow = look.paint(Style::Faint, ARROW);
        format!("{}{arrow}{}", name(look, &caller), name(look, &callee))
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
        let cells = |texts: [&str; 3]| texts.map(|text| Cell::plain(text.to_owned())).into();
        Table {
            title: FUNCTION,
            columns: vec![
                Column::new("calls"),
                Column::new("self").sorted_by(true),
                Column::new("peak").dispensable(1),
            ],
            rows: vec![
                Row {
                    cells: cells(["1", "263 µs", "2.05 kB"]),
                    depth: 0,
                    name: "main()".to_owned(),
                    callee: None,
                },
                Row {
                    cells: cells(["12,345", "7 ns", "0   "]),
                    depth: 0,
                    name: "Some\\Name\\Space\\Class::with_a_long_method".to_owned(),
                    callee: None,
                },
            ],
            notes: Vec::new(),
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
    }

    #[test]
    fn a_short_caller_leaves_its_room_to_the_callee() {
        let row = |caller: &str, callee: &str| Row {
            cells: Vec::new(),
            depth: 0,
            name: caller.to_owned(),
            callee: Some(callee.to_owned()),
        };
        let look = Look {
            width: 80,
            has_colour: false,
        };
        let long = "Some\\Long\\Class::method";
        assert_eq!(
            row("f", long).label(look, 30),
            "f → Some\\Long\\Class::method"
        );
        assert_eq!(row(long, "f").label(look, 20), "Some\\L…s::method → f");
        for room in 10..60 {
            assert!(row(long, long).label(look, room).width() <= room, "{room}");
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
