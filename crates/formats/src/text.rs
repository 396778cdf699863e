//! Names as text. PHP's are bytes, which need not be UTF-8 and may hold what
//! ends a line; formats made of lines have no way to say that.
//!
//! **Invariant:** every format shows one name alike, and as one line: what no
//! line can hold becomes a space, what is no UTF-8 becomes U+FFFD, byte by byte.

use std::borrow::Cow;

/// Whether no format of lines can hold `byte` in a name.
pub(crate) fn breaks_lines(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n' | 0)
}

/// The bytes of `name` with a space for each CR, LF and NUL.
pub(crate) fn one_line(name: &[u8]) -> Cow<'_, [u8]> {
    if !name.iter().copied().any(breaks_lines) {
        return Cow::Borrowed(name);
    }
    let byte = |byte: &u8| if breaks_lines(*byte) { b' ' } else { *byte };
    Cow::Owned(name.iter().map(byte).collect())
}

/// A name as text.
pub(crate) fn lossy(name: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(name) {
        Ok(text) if !name.iter().copied().any(breaks_lines) => Cow::Borrowed(text),
        _ => {
            let mut text = String::with_capacity(name.len());
            for chunk in name.utf8_chunks() {
                text.extend(chunk.valid().chars().map(|letter| match letter {
                    '\r' | '\n' | '\0' => ' ',
                    letter => letter,
                }));
                let invalid = chunk.invalid().iter();
                text.extend(invalid.map(|_| char::REPLACEMENT_CHARACTER));
            }
            Cow::Owned(text)
        }
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
    fn text_passes_and_the_rest_is_replaced_byte_by_byte() {
        assert!(matches!(lossy("größe; <x>".as_bytes()), Cow::Borrowed(_)));
        assert_eq!(lossy(b"a\r\n\0b\tc\xff"), "a   b\tc\u{fffd}");
        // The beginning of a character that is not finished is two bytes.
        assert_eq!(lossy(b"\xe2\x82|\xff"), "\u{fffd}\u{fffd}|\u{fffd}");
    }

    #[test]
    fn one_line_keeps_every_other_byte() {
        assert_eq!(*one_line(b"caf\xe9\r\n\0"), *b"caf\xe9   ");
        assert!(matches!(one_line(b"caf\xe9"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(shortened("größe", 5), "größe");
        assert_eq!(shortened("größe", 3), "grö…");
    }
}
