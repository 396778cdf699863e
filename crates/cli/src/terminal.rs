//! Escapes text for terminals and finds out how wide they are.
//!
//! **Invariant:** text from a profile reaches a terminal only through
//! [`printable`]: a function's name must not be able to move the cursor, change
//! the window's title or reverse the text direction.

use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;

use rustix::termios::tcgetwinsize;

pub use view::text::printable;
pub(crate) use view::text::{code, short, shortened, without_middle};

/// The width if nothing may be cut: in pipes and files, and with `--wide`.
const UNLIMITED: usize = usize::MAX;
/// The width of a terminal that does not report its own.
const USUAL_WIDTH: usize = 80;
/// The smallest width that a table supports.
const MIN_WIDTH: usize = 40;

/// How to format text for one stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    /// Columns available; [`usize::MAX`] if nothing may be cut.
    pub(crate) width: usize,
    /// Whether the stream supports colours and the user wants them.
    pub(crate) has_colour: bool,
}

impl Look {
    /// The format for `stream`. Only a terminal has a width: its own or
    /// `COLUMNS`. Output for a program is never cut, whatever `COLUMNS` says,
    /// since shells export it to every process they start.
    pub(crate) fn of<S: IsTerminal + AsFd>(stream: &S) -> Self {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        if !stream.is_terminal() {
            return Self::plain();
        }
        let columns = std::env::var("COLUMNS").ok();
        let asked = columns.and_then(|columns| columns.parse().ok());
        let asked = asked.filter(|&columns: &usize| columns > 0);
        let real = || {
            let size = tcgetwinsize(stream).ok()?;
            Some(usize::from(size.ws_col)).filter(|&width| width > 0)
        };
        Self {
            width: asked.or_else(real).unwrap_or(USUAL_WIDTH).max(MIN_WIDTH),
            has_colour: !is_set("NO_COLOR") && !is_dumb,
        }
    }

    /// For pipes and files: no colour, and nothing is cut.
    pub(crate) fn plain() -> Self {
        Self {
            width: UNLIMITED,
            has_colour: false,
        }
    }

    /// The same without a width, if that `is_asked` for: lines may be longer
    /// than the terminal is wide.
    pub(crate) fn wide(self, is_asked: bool) -> Self {
        let width = if is_asked { UNLIMITED } else { self.width };
        Self { width, ..self }
    }

    /// `text` in a style, if there is colour.
    pub(crate) fn paint(self, style: Style, text: &str) -> String {
        match style.code() {
            Some(code) if self.has_colour && !text.is_empty() => {
                format!("\x1b[{code}m{text}\x1b[0m")
            }
            _ => text.to_owned(),
        }
    }
}

/// The styles of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Bold,
    Faint,
    Good,
    Warm,
    Hot,
}

impl Style {
    fn code(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Bold => Some("1"),
            Self::Faint => Some("2"),
            Self::Good => Some("32"),
            Self::Warm => Some("33"),
            Self::Hot => Some("1;31"),
        }
    }
}

/// Prints one line to stderr. Errors are ignored: there is no other stream to
/// report them on.
pub fn say(line: &str) {
    let _ = writeln!(io::stderr(), "xhprof: {}", printable(line.as_bytes()));
}

/// A writer to a terminal that passes each line of a file format through
/// [`printable`].
#[derive(Debug)]
pub(crate) struct Safe<W: Write> {
    out: W,
    line: Vec<u8>,
}

impl<W: Write> Safe<W> {
    /// Wraps `out`.
    pub(crate) fn new(out: W) -> Self {
        let line = Vec::new();
        Self { out, line }
    }

    /// Writes the remaining bytes. A last line without an end gets one.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        if !self.line.is_empty() {
            writeln!(self.out, "{}", printable(&self.line))?;
        }
        self.out.flush()
    }
}

impl<W: Write> Write for Safe<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            match part.split_last() {
                Some((b'\n', end)) => {
                    self.line.extend_from_slice(end);
                    writeln!(self.out, "{}", printable(&self.line))?;
                    self.line.clear();
                }
                _ => self.line.extend_from_slice(part),
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_for_files_cannot_drive_the_terminal_either() {
        let mut shown = Vec::new();
        let mut safe = Safe::new(&mut shown);
        for part in ["a\n\x1b", "[2J;b 1\n\nend\0"] {
            safe.write_all(part.as_bytes()).unwrap();
        }
        safe.finish().unwrap();
        assert_eq!(shown, b"a\n\\x1b[2J;b 1\n\nend\\x00\n");
    }

    #[test]
    fn paint_needs_colour() {
        let look = |has_colour| Look {
            width: 80,
            has_colour,
        };
        assert_eq!(look(false).paint(Style::Hot, "x"), "x");
        assert_eq!(look(true).paint(Style::Hot, "x"), "\x1b[1;31mx\x1b[0m");
        assert_eq!(look(true).paint(Style::Plain, "x"), "x");
    }
}
