//! Characters that would be read as something else than they are.
//!
//! Beside control characters these are the format characters of Unicode: they turn the
//! direction of a text around, or are not seen at all, so that two names look the same. A name
//! of a function or a route may have any of them.

use std::fmt::Write as _;
use std::io::{self, Write};

/// Whether a character is shown as its number.
pub(crate) fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            // Format characters, the separators of lines and paragraphs, and the fillers that
            // look like nothing.
            '\u{ad}'
                | '\u{34f}'
                | '\u{600}'..='\u{605}'
                | '\u{61c}'
                | '\u{6dd}'
                | '\u{70f}'
                | '\u{8e2}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{110bd}'
                | '\u{110cd}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Adds a character to a text: as its number if it would not be seen.
pub(crate) fn push(text: &mut String, character: char) {
    let number = u32::from(character);
    let _ = match character {
        hidden if !is_hidden(hidden) => {
            text.push(hidden);
            Ok(())
        }
        _ if number < 0x100 => write!(text, "\\x{number:02x}"),
        _ => write!(text, "\\u{{{number:x}}}"),
    };
}

/// Where lines of the log go: with every character seen.
#[derive(Debug)]
pub(crate) struct Visible<W>(pub(crate) W);

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let mut shown = String::with_capacity(text.len());
        for character in text.chars() {
            match character {
                '\n' | '\t' => shown.push(character),
                other => push(&mut shown, other),
            }
        }
        self.0.write_all(shown.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_not_be_seen_is_shown_as_a_number() {
        let mut line = Vec::new();
        let text = "a\u{202e}b\u{2066}c\u{2069}\u{200b}\u{feff}\u{1b}[31m größe 日本 😀\n";
        Visible(&mut line).write_all(text.as_bytes()).unwrap();
        assert_eq!(
            String::from_utf8(line).unwrap(),
            "a\\u{202e}b\\u{2066}c\\u{2069}\\u{200b}\\u{feff}\\x1b[31m größe 日本 😀\n"
        );
    }
}
