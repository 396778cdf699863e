//! The table as text, and a terminal that shows it.
//!
//! **Invariant:** the terminal's own screen comes back when the value is dropped.

use std::fmt::Write as _;
use std::io::{self, Write};

use ::attach::{Request, Symbols};
use anyhow::Result;
use profile::SymbolId;
use rustix::termios::tcgetwinsize;

use super::counts::{Count, Counts};
use super::{Head, View};
use crate::args::TopSort;
use crate::terminal::{Look, Style, printable, shortened};
use crate::units::{count, percent};

/// The columns of numbers, in front of the name.
const NUMBERS: usize = 4 * 8;
/// The lines above the rows, and the most lines of requests below.
const LINES_ABOVE: usize = 3;
const REQUESTS: usize = 8;

/// A function's row.
struct Row {
    symbol: SymbolId,
    now: Count,
    all: Count,
}

impl Row {
    fn key(&self, sort: TopSort) -> u64 {
        match sort {
            TopSort::Own => self.now.own,
            TopSort::Inclusive => self.now.inclusive,
            TopSort::OwnOfAll => self.all.own,
            TopSort::InclusiveOfAll => self.all.inclusive,
        }
    }
}

/// The table, in at most `height` lines.
pub(super) fn table(
    counts: &Counts,
    view: &View,
    head: &Head,
    symbols: &Symbols,
    look: Look,
    height: usize,
) -> String {
    let now = counts.now();
    let mut text = String::new();
    let mut line = |style, line: &str| {
        // Writing to a string never fails.
        let _ = writeln!(text, "{}", look.paint(style, &shortened(line, look.width)));
    };
    line(Style::Plain, &first_line(counts, view, head));
    line(Style::Plain, "");
    let titles = [
        ("self", TopSort::Own),
        ("incl", TopSort::Inclusive),
        ("self all", TopSort::OwnOfAll),
        ("incl all", TopSort::InclusiveOfAll),
    ];
    let titles = titles.map(|(title, sort)| {
        let mark = if sort == view.sort { "▼" } else { "" };
        format!("{:>9}", format!("{mark}{title}"))
    });
    line(Style::Bold, &format!("{}  function", titles.concat()));
    let requests: Vec<&(u32, Request)> = head.requests.iter().take(REQUESTS).collect();
    let below = if requests.is_empty() {
        0
    } else {
        requests.len() + 2
    };
    let room = height.saturating_sub(LINES_ABOVE + below).max(1);
    for row in rows(counts, view, symbols).into_iter().take(room) {
        let shares = [
            share(row.now.own, now.samples),
            share(row.now.inclusive, now.samples),
            share(row.all.own, counts.all.samples),
            share(row.all.inclusive, counts.all.samples),
        ];
        let shares = shares.map(|share| format!("{share:>9}"));
        let name = printable(symbols.name(row.symbol));
        let name = shortened(&name, look.width.saturating_sub(NUMBERS + 6));
        line(Style::Plain, &format!("{}  {name}", shares.concat()));
    }
    if !requests.is_empty() {
        line(Style::Plain, "");
        let more = head.requests.len().saturating_sub(requests.len());
        let more = if more > 0 {
            format!(", {more} more")
        } else {
            String::new()
        };
        line(Style::Bold, &format!("requests{more}"));
        for (process, request) in requests {
            let path = printable(request.path.as_bytes());
            line(
                Style::Plain,
                &format!("{process:>9}  {} {path}", request.method),
            );
        }
    }
    text
}

fn rows(counts: &Counts, view: &View, symbols: &Symbols) -> Vec<Row> {
    let filter = view.filter.to_lowercase();
    let is_shown = |symbol: &SymbolId| {
        let name = String::from_utf8_lossy(symbols.name(*symbol)).to_lowercase();
        name.contains(&filter)
    };
    let shown = counts.all.symbols().filter(is_shown);
    let mut rows: Vec<Row> = shown
        .map(|symbol| Row {
            symbol,
            now: counts.now().of(symbol),
            all: counts.all.of(symbol),
        })
        .collect();
    rows.sort_by_key(|row| {
        let key = [
            row.key(view.sort),
            row.now.own,
            row.all.own,
            row.all.inclusive,
        ];
        (std::cmp::Reverse(key), row.symbol)
    });
    rows
}

fn first_line(counts: &Counts, view: &View, head: &Head) -> String {
    let now = counts.now();
    let mut line = match (view.worker, head.processes.len()) {
        (Some(worker), _) => format!("process {worker}"),
        (None, 1) => "1 process".to_owned(),
        (None, processes) => format!("{processes} processes"),
    };
    let _ = write!(line, ", {} samples", count(counts.all.samples));
    let reads = now.samples + now.idle + now.torn;
    if now.idle > 0 {
        let _ = write!(line, ", {} waiting for a request", share(now.idle, reads));
    }
    if now.torn > 0 {
        let _ = write!(line, ", {} torn", share(now.torn, reads));
    }
    if view.is_paused {
        line.push_str(", paused");
    }
    if view.is_typing || !view.filter.is_empty() {
        let cursor = if view.is_typing { "_" } else { "" };
        let _ = write!(
            line,
            ", filter: {}{cursor}",
            printable(view.filter.as_bytes())
        );
    }
    line
}

fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return String::new();
    }
    #[expect(clippy::cast_precision_loss, reason = "a share for people")]
    percent(part as f64 * 100.0 / whole as f64)
}

/// The second screen of a terminal.
pub(super) struct Screen;

impl Screen {
    /// Shows the second screen.
    pub(super) fn open() -> Result<Self> {
        show("\x1b[?1049h\x1b[?25l")?;
        Ok(Self)
    }

    /// Draws the table.
    pub(super) fn draw(
        &mut self,
        counts: &Counts,
        view: &View,
        head: &Head,
        symbols: &Symbols,
    ) -> Result<()> {
        let stdout = io::stdout();
        let look = Look::of(&stdout);
        let height = match tcgetwinsize(&stdout) {
            Ok(size) if size.ws_row > 0 => usize::from(size.ws_row),
            _ => 24,
        };
        let text = table(counts, view, head, symbols, look, height.saturating_sub(1));
        // Without a flicker: each line replaces the one that was there. In raw mode a line feed does not go back.
        let text = text.replace('\n', "\x1b[K\r\n");
        show(&format!("\x1b[H{text}\x1b[J"))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = show("\x1b[?25h\x1b[?1049l");
    }
}

fn show(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::attach::Frame;

    fn view(sort: TopSort) -> View {
        View {
            sort,
            filter: String::new(),
            is_typing: false,
            is_paused: false,
            worker: None,
        }
    }

    fn shown(view: &View, height: usize) -> String {
        let symbols = Symbols::default();
        let frame = |symbol| Frame::of(SymbolId(symbol));
        let mut counts = Counts::default();
        counts.add(&[frame(1), frame(2)]);
        counts.add(&[frame(1)]);
        counts.add(&[frame(1)]);
        counts.add_idle();
        let request = Request {
            method: "GET".to_owned(),
            path: "/\x1b[2J".to_owned(),
        };
        let head = Head {
            processes: vec![7, 8],
            requests: vec![(7, request)],
        };
        table(&counts, view, &head, &symbols, Look::plain(), height)
    }

    #[test]
    fn the_costliest_function_is_first_and_requests_cannot_drive_the_terminal() {
        assert_eq!(
            shown(&view(TopSort::Own), usize::MAX),
            "2 processes, 3 samples, 25.0% waiting for a request\n\n    ▼self     incl self all incl all  function\n\
             \x20   66.7%   100.0%    66.7%   100.0%  [truncated]\n\
             \x20   33.3%    33.3%    33.3%    33.3%  [idle]\n\
             \x20    0.0%   100.0%     0.0%   100.0%  main()\n\nrequests\n\
             \x20       7  GET /\\x1b[2J\n"
        );
    }

    #[test]
    fn rows_fit_into_the_height_and_the_filter() {
        let text = shown(&view(TopSort::InclusiveOfAll), 7);
        assert_eq!(text.lines().count(), 7);
        let filtered = View {
            filter: "IDLE".to_owned(),
            is_typing: true,
            ..view(TopSort::Own)
        };
        let text = shown(&filtered, usize::MAX);
        assert!(
            text.contains("filter: IDLE_") && text.contains("[idle]") && !text.contains("main()")
        );
    }
}
