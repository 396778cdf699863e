//! Characters that would be read as something else than they are, for terminals, pages and logs.
//!
//! Beside control characters these are the format characters of Unicode: they turn the direction
//! of a text around, or are not displayed at all, so that two names look the same. A name of a
//! function, a route or a file may have any of them.

use std::fmt::Write;

/// Whether a character is shown as its number.
#[must_use]
pub fn is_hidden(character: char) -> bool {
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
pub fn push(text: &mut String, character: char) {
    let number = u32::from(character);
    let _ = match character {
        hidden if !is_hidden(hidden) => {
            text.push(hidden);
            Ok(())
        }
        _ if number < 0x80 => write!(text, "\\x{number:02x}"),
        _ => write!(text, "\\u{{{number:x}}}"),
    };
}

/// Text for an HTML element or a quoted attribute. What could be read as markup is escaped; a
/// hidden character is shown as its number.
#[must_use]
pub fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            character => push(&mut out, character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_no_markup_and_hides_nothing() {
        assert_eq!(
            html("<a href=\"x\" id='y'>&\n\u{202e}\u{200b}größe 😀"),
            "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;\\x0a\\u{202e}\\u{200b}größe 😀"
        );
    }
}
