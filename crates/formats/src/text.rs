//! Names as text. PHP's are bytes, which need not be UTF-8 and may hold what
//! ends a line; formats made of lines have no way to say that.
//!
//! **Invariant:** what comes out of here is one line.

use std::borrow::Cow;

/// The bytes of `name` with a space for each CR, LF and NUL.
pub(crate) fn one_line(name: &[u8]) -> Cow<'_, [u8]> {
    let ends_lines = |byte: &u8| matches!(byte, b'\r' | b'\n' | 0);
    if !name.iter().any(ends_lines) {
        return Cow::Borrowed(name);
    }
    let byte = |byte: &u8| if ends_lines(byte) { b' ' } else { *byte };
    Cow::Owned(name.iter().map(byte).collect())
}

/// `name` as text: a space for each CR, LF and NUL, U+FFFD for what is no
/// UTF-8.
pub(crate) fn lossy(name: &[u8]) -> Cow<'_, str> {
    match one_line(name) {
        Cow::Borrowed(name) => String::from_utf8_lossy(name),
        Cow::Owned(name) => Cow::Owned(String::from_utf8_lossy(&name).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_line_of_text() {
        assert_eq!(lossy(b"a\r\nb\0c"), "a  b c");
        assert_eq!(lossy("größe".as_bytes()), "größe");
        assert_eq!(lossy(b"caf\xe9\n"), "caf\u{fffd} ");
        assert_eq!(*one_line(b"caf\xe9\n"), *b"caf\xe9 ");
    }
}
