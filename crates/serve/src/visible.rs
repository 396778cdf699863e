//! A log whose lines show every character ([`formats::visible`]).

use std::io::{self, Write};

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
                other => formats::visible::push(&mut shown, other),
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
