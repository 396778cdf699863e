//! Names as text: PHP's are bytes, most formats want UTF-8.
//!
//! **Invariant:** every format shows a name in the same way.

use std::borrow::Cow;

/// A name as text. What is not UTF-8 becomes U+FFFD; line ends and NUL, which
/// no format of lines can carry, become spaces.
pub(crate) fn lossy(name: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(name);
    let breaks = ['\r', '\n', '\0'];
    if text.contains(breaks) {
        Cow::Owned(text.replace(breaks, " "))
    } else {
        text
    }
}

/// The first `most` characters, and an ellipsis in place of the others.
pub(crate) fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => {
            let kept = text.get(..end).unwrap_or(text);
            Cow::Owned(format!("{kept}…"))
        }
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_no_line_can_carry_become_spaces() {
        assert_eq!(lossy(b"a\r\nb\0c\xff"), "a  b c\u{fffd}");
        assert_eq!(lossy("Café::größe".as_bytes()), "Café::größe");
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(shortened("größe", 5), "größe");
        assert_eq!(shortened("größe", 3), "grö…");
    }
}
