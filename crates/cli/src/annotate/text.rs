//! The annotated source for a terminal.

use profile::{FlatTable, SymbolId};
use view::{Costs, LineRow};

use super::Annotated;
use crate::report::lines::functions;
use crate::report::table::Cell;
use crate::terminal::{Look, Style, printable, shortened};
use crate::units::{amount, count, percent};

/// How many callees of a line are named.
const CALLEES: usize = 3;

impl Annotated<'_> {
    /// All lines of the file or the function, or only those that are near one with a cost.
    pub(super) fn text(&self, context: Option<u32>, look: Look) -> String {
        let mut text = self.head(look);
        let widths = self.widths();
        let heading = self.cells(widths, ["self", "%", "incl", "line"].map(str::to_owned));
        text.push_str(&look.paint(Style::Faint, heading.trim_end()));
        text.push('\n');
        let mut last = None;
        for line in self.shown(context) {
            if last.is_some_and(|last| line > last + 1) {
                text.push_str(&look.paint(Style::Faint, "…"));
                text.push('\n');
            }
            last = Some(line);
            self.push_line(line, widths, look, &mut text);
        }
        text
    }

    /// `/srv/app/Cart.php: 45.0 ms self, 37.0%`
    fn head(&self, look: Look) -> String {
        let mut text = format!("{}\n", look.paint(Style::Bold, &self.heading()));
        for note in &self.notes {
            text.push_str(&look.paint(Style::Warm, note));
            text.push('\n');
        }
        text.push('\n');
        text
    }

    /// The same without the notes.
    pub(super) fn heading(&self) -> String {
        let profile = self.profile();
        let file = printable(self.chosen.file);
        let name = match self.chosen.function {
            Some(function) => format!("{} in {file}", printable(profile.name(function))),
            None => file,
        };
        let own = self.own();
        let cost = self.amount(own);
        let share = if self.metric.is_signed() {
            String::new()
        } else {
            format!(", {}", percent(FlatTable::percent(own, self.total)))
        };
        format!("{name}: {} self{share}", cost.trim())
    }

    fn amount(&self, value: i64) -> String {
        amount(self.metric, self.profile().metrics, value)
    }

    /// The lines to print.
    pub(super) fn shown(&self, context: Option<u32>) -> Vec<u32> {
        let rows = self.chosen.rows.iter().map(|row| row.line);
        let Some(source) = &self.source else {
            return rows.collect();
        };
        let end = u32::try_from(source.lines.len()).unwrap_or(u32::MAX);
        let near = context.unwrap_or(end);
        let whole = match &self.chosen.range {
            Some(range) => *range.start()..=(*range.end()).saturating_add(near.min(1)),
            None => 1..=end,
        };
        let mut shown = Vec::new();
        for line in rows {
            let first = line.saturating_sub(near).max(*whole.start());
            let first = shown.last().map_or(first, |last| first.max(*last + 1));
            let after = line.saturating_add(near).min(*whole.end()).min(end);
            shown.extend(first..=after.max(line));
        }
        // A function's first line has its name.
        if self.chosen.range.is_some()
            && let Some(first) = shown.first().copied()
            && first > *whole.start()
        {
            shown.insert(0, *whole.start());
        }
        shown
    }

    /// The widths of the four columns.
    fn widths(&self) -> [usize; 4] {
        let mut widths = [4, 5, 4, 4];
        for row in &self.chosen.rows {
            let cells = self.row_cells(row);
            for (width, cell) in widths.iter_mut().zip(&cells) {
                *width = cell.chars().count().max(*width);
            }
        }
        widths
    }

    pub(super) fn row_cells(&self, row: &LineRow<'_>) -> [String; 4] {
        let [own, inclusive] = [row.own, row.inclusive].map(|costs| costs.of(self.metric));
        let share = match own {
            0 => String::new(),
            own if !self.metric.is_signed() => percent(FlatTable::percent(own, self.total)),
            _ => String::new(),
        };
        let or_blank = |value| match value {
            0 => String::new(),
            value => self.amount(value),
        };
        [
            or_blank(own),
            share,
            or_blank(inclusive),
            row.line.to_string(),
        ]
    }

    fn cells(&self, widths: [usize; 4], cells: [String; 4]) -> String {
        let cells = widths.into_iter().zip(cells);
        let cells = cells.map(|(width, cell)| format!("{cell:>width$}  "));
        cells.collect()
    }

    fn push_line(&self, line: u32, widths: [usize; 4], look: Look, text: &mut String) {
        let row = self.row(line);
        let source = self.source.as_ref();
        let source =
            source.map(|source| source.lines.get(line as usize - 1).map_or("", |text| text));
        let cells = row.map(|row| self.row_cells(row));
        let mut cells = cells.unwrap_or_default();
        cells[3] = line.to_string();
        let numbers = self.cells(widths, cells);
        let room = look.width.saturating_sub(numbers.chars().count());
        let style = row.map_or(Style::Faint, |row| {
            let own = row.own.of(self.metric);
            match self.metric.is_signed() {
                true => Style::Plain,
                false => Cell::share(FlatTable::percent(own, self.total)).style,
            }
        });
        let names = || row.map_or_else(String::new, |row| functions(self.profile(), row));
        let code = source.map_or_else(names, str::to_owned);
        text.push_str(look.paint(style, &numbers).as_str());
        text.push_str(&shortened(&code, room));
        while text.ends_with(' ') {
            text.pop();
        }
        text.push('\n');
        if let Some(callees) = row.and_then(|row| self.callees(row)) {
            let blank = " ".repeat(numbers.chars().count());
            text.push_str(&blank);
            text.push_str(&look.paint(Style::Faint, &shortened(&callees, room)));
            text.push('\n');
        }
    }

    /// `→ PDO::query 12 ms, md5 3 ms`; none if it calls nothing.
    pub(super) fn callees(&self, row: &LineRow<'_>) -> Option<String> {
        let callee = |(symbol, costs): &(SymbolId, Costs)| {
            let name = printable(self.profile().name(*symbol));
            let cost = self.amount(costs.of(self.metric));
            match costs.calls {
                0 => format!("{name} {}", cost.trim()),
                1 => format!("{name} {} in 1 call", cost.trim()),
                calls => format!("{name} {} in {} calls", cost.trim(), count(calls)),
            }
        };
        let mut shown: Vec<String> = row.callees.iter().take(CALLEES).map(callee).collect();
        let others = row.callees.len().saturating_sub(CALLEES);
        if others > 0 {
            shown.push(format!("{others} more"));
        }
        if shown.is_empty() && row.inclusive.calls > 0 {
            shown.push(format!("{} calls", count(row.inclusive.calls)));
        }
        (!shown.is_empty()).then(|| format!("→ {}", shown.join(", ")))
    }
}
