//! Escapes text for terminals and finds out how wide they are.
//!
//! **Invariant:** text from a profile reaches a terminal only through
//! [`printable`]: a function's name must not be able to move the cursor, change
//! the window's title or reverse the text direction.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The width if nothing may be cut: in pipes and files, and with `--wide`.
const UNLIMITED: usize = usize::MAX;
/// The width of a terminal that does not report its own.
const USUAL_WIDTH: usize = 80;
/// The smallest width that a table supports.
const MIN_WIDTH: usize = 40;
/// The length of one name or statement in Markdown.
const CODE_WIDTH: usize = 160;

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
            let (width, _) = terminal_size::terminal_size_of(stream)?;
            Some(usize::from(width.0)).filter(|&width| width > 0)
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

/// Text that a terminal only displays: control characters, characters that
/// change the text direction and invalid bytes become escapes.
pub fn printable(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            formats::visible::push(&mut text, character);
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
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

/// `text` in at most `width` columns, without its middle if necessary: the
/// beginning and the end of a name identify it best.
pub(crate) fn shortened(text: &str, width: usize) -> String {
    without_middle(text, width, 2)
}

/// Text of a profile in Markdown: on one line, not longer than a limit, and nothing in it is
/// Markdown.
pub(crate) fn code(text: &[u8]) -> String {
    format!(
        "`{}`",
        short(&printable(text), CODE_WIDTH).replace('`', "'")
    )
}

/// Text in at most `most` columns and four bytes a column: some characters have no width.
pub(crate) fn short(text: &str, most: usize) -> String {
    let text = shortened(text, most);
    match text.char_indices().find(|(place, _)| *place > 4 * most) {
        Some((place, _)) => format!("{}…", &text[..place]),
        None => text,
    }
}

/// `text` in at most `width` columns; up to the given fifths of them show its
/// beginning. It is cut between words; in a word only if there is no room for
/// the last one.
pub(crate) fn without_middle(text: &str, width: usize, fifths: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let room = width.saturating_sub(1);
    let head = words_within(text, room * fifths / 5);
    let rest = room - head.width();
    let tail = last_words_within(text, rest);
    // A short end, like the name of a method that many classes have, says little.
    if tail.width() >= (rest / 3).max(1) {
        return format!("{head}…{tail}");
    }
    let head: String = within(text.chars(), room * fifths / 5).collect();
    let tail: String = within(text.chars().rev(), room - head.width()).collect();
    format!("{head}…{}", tail.chars().rev().collect::<String>())
}

/// The first words that fit into `width` columns.
fn words_within(text: &str, width: usize) -> &str {
    let (mut used, mut end) = (0, 0);
    for (place, character) in text.char_indices() {
        if is_between_words(text, place) {
            end = place;
        }
        used += character.width().unwrap_or(0);
        if used > width {
            break;
        }
    }
    &text[..end]
}

/// The last words that fit into `width` columns.
fn last_words_within(text: &str, width: usize) -> &str {
    let (mut used, mut start) = (0, text.len());
    for (place, character) in text.char_indices().rev() {
        used += character.width().unwrap_or(0);
        if used > width {
            break;
        }
        if is_between_words(text, place) {
            start = place;
        }
    }
    &text[start..]
}

/// Whether a word ends before `place` and another begins there, as in
/// `file_get`, `App\Cart`, `ScopeIndent` and `HTTPClient`.
fn is_between_words(text: &str, place: usize) -> bool {
    let (before, after) = text.split_at(place);
    let mut after = after.chars();
    let (Some(left), Some(right)) = (before.chars().next_back(), after.next()) else {
        return false;
    };
    let next_is_small = after.next().is_some_and(char::is_lowercase);
    match (left, right) {
        // `::` and `->` stay whole.
        (':', ':') | ('-', '>') => false,
        _ if !left.is_alphanumeric() || !right.is_alphanumeric() => true,
        _ => right.is_uppercase() && (!left.is_uppercase() || next_is_small),
    }
}

/// The characters that fit into `width` columns.
fn within(characters: impl Iterator<Item = char>, width: usize) -> impl Iterator<Item = char> {
    let mut used = 0;
    characters.take_while(move |character| {
        used += character.width().unwrap_or(0);
        used <= width
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_drive_the_terminal() {
        assert_eq!(printable(b"\x1b]0;title\x07"), "\\x1b]0;title\\x07");
        assert_eq!(
            printable("a\u{202e}b\u{9b}31m".as_bytes()),
            "a\\u{202e}b\\u{9b}31m"
        );
        assert_eq!(printable(b"caf\xe9\r\n"), "caf\\xe9\\x0d\\x0a");
        assert_eq!(
            printable("App\\Mühle\\größe 漢".as_bytes()),
            "App\\Mühle\\größe 漢"
        );
    }

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
    fn long_names_lose_their_middle() {
        assert_eq!(shortened("short", 5), "short");
        assert_eq!(
            shortened("Some\\Long\\Namespace\\Class::method", 20),
            "Some\\…\\Class::method"
        );
        let name = "DisallowTabIndentSniff::process";
        assert_eq!(shortened(name, 28), "Disallow…Sniff::process");
        // A wide character that does not fit leaves one column empty.
        assert_eq!(shortened("漢漢漢漢漢", 8), "漢…漢漢");
        assert_eq!(shortened("abc", 1), "…");
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
