//! Converts names for all of PerfView's forms.

use std::fmt::Write;

use crate::shared::text;

/// The maximum length of a name, in characters: PerfView rejects the whole JSON
/// if a name has 8193.
const MAX_NAME: usize = 8000;

/// A name that all of PerfView's forms can hold: no line end, no blank at its
/// ends, not empty, not too long, and no characters that XML forbids.
pub(super) fn clean(name: &[u8]) -> String {
    let text = text::lossy(name);
    let text = text.trim();
    if text.is_empty() {
        return "(unknown)".to_owned();
    }
    let legal = |letter| {
        if is_legal(letter) {
            letter
        } else {
            char::REPLACEMENT_CHARACTER
        }
    };
    let cut: String = text.chars().take(MAX_NAME).map(legal).collect();
    cut.trim_end().to_owned()
}

/// Whether XML 1.0 has this character, line ends apart.
fn is_legal(letter: char) -> bool {
    letter == '\t' || letter >= ' ' && !matches!(letter, '\u{fffe}' | '\u{ffff}')
}

/// As the text of an XML element.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// As a JSON string, with its quotes.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter < ' ' => {
                // Writing to a string never fails.
                let _ = write!(quoted, "\\u{:04x}", u32::from(letter));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_nothing_that_one_of_the_forms_cannot_hold() {
        assert_eq!(clean(b" a\n\x01\tb "), "a \u{fffd}\tb");
        assert_eq!(clean("\u{fffe}\u{ffff}".as_bytes()), "\u{fffd}\u{fffd}");
        assert_eq!(clean(b"\0"), "(unknown)");
        let long = format!("{} {}", "ä".repeat(MAX_NAME - 1), "x".repeat(9));
        assert_eq!(clean(long.as_bytes()).chars().count(), MAX_NAME - 1);
    }

    #[test]
    fn markup_is_escaped() {
        assert_eq!(escaped("a<&>\"b]]>"), "a&lt;&amp;&gt;\"b]]&gt;");
        assert_eq!(quoted("a\\\"\tb"), "\"a\\\\\\\"\\u0009b\"");
    }
}
