//! Converts names to text. PHP's names are bytes, which may be invalid UTF-8 or
//! contain line ends; text formats cannot represent these.
//!
//! **Invariant:** every format shows a name in the same way, and as one line:
//! line ends become spaces, each invalid byte becomes U+FFFD.

use std::borrow::Cow;

use profile::{Profile, Symbol};

use crate::WriteOptions;
use crate::shared::lined::Frame;

/// Whether text formats cannot hold `byte` in a name.
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

/// A function's name as visible text, even if it is empty.
pub(crate) fn function(name: &[u8]) -> Cow<'_, str> {
    if name.is_empty() {
        Cow::Borrowed("(unknown)")
    } else {
        lossy(name)
    }
}

/// The file name for PHP's own functions, in formats that need one.
pub(crate) const INTERNAL: &str = "php:internal";

/// A symbol's file; empty if unknown.
pub(crate) fn file(symbol: &Symbol) -> Cow<'_, str> {
    match &symbol.file {
        Some(file) => lossy(file),
        None if symbol.internal => Cow::Borrowed(INTERNAL),
        None => Cow::Borrowed(""),
    }
}

/// The file of a frame; empty if unknown.
pub(crate) fn file_of<'p>(frame: &Frame<'p>, profile: &'p Profile) -> Cow<'p, str> {
    match frame.file {
        Some(file) => lossy(file),
        None => file(profile.symbol(frame.symbol)),
    }
}

/// Says of a symbol that it is in `file`, as [`file()`] wrote it.
pub(crate) fn set_file(symbol: &mut Symbol, file: &[u8]) {
    symbol.internal = file == INTERNAL.as_bytes();
    if !symbol.internal && !file.is_empty() {
        symbol.file = Some(file.into());
    }
}

/// The profile's title, with a note if its stacks are estimated.
pub(crate) fn title(profile: &Profile, options: &WriteOptions) -> Option<String> {
    let title = options.title.as_deref().or(profile.meta.title.as_deref());
    let title = title.map(|title| lossy(title.as_bytes()).into_owned());
    match title {
        title if !profile.meta.is_estimated => title,
        Some(title) => Some(format!("{title} ({ESTIMATED})")),
        None => Some(ESTIMATED.to_owned()),
    }
}

/// Splits a title made by [`title`]: the original one, and whether the stacks
/// are estimated.
pub(crate) fn split_title(title: &str) -> (Option<String>, bool) {
    if title == ESTIMATED {
        return (None, true);
    }
    let rest = title
        .strip_suffix(')')
        .and_then(|rest| rest.strip_suffix(ESTIMATED));
    match rest.and_then(|rest| rest.strip_suffix(" (")) {
        Some(title) => (Some(title.to_owned()), true),
        None => ((!title.is_empty()).then(|| title.to_owned()), false),
    }
}

/// The note for estimated stacks.
pub(crate) const ESTIMATED: &str = "estimated from call graph";

/// The first `most` characters, with an ellipsis for the others.
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
        // An incomplete character of two bytes.
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

    #[test]
    fn a_guess_says_so_in_its_title() {
        let mut profile = Profile::empty();
        let mut options = WriteOptions::default();
        assert_eq!(title(&profile, &options), None);
        profile.meta.title = Some("/a\nb".to_owned());
        assert_eq!(title(&profile, &options).as_deref(), Some("/a b"));
        profile.meta.is_estimated = true;
        options.title = Some("x".to_owned());
        let estimated = "x (estimated from call graph)";
        assert_eq!(title(&profile, &options).as_deref(), Some(estimated));
        assert_eq!(split_title(estimated), (Some("x".to_owned()), true));
        assert_eq!(split_title(ESTIMATED), (None, true));
        assert_eq!(split_title("x"), (Some("x".to_owned()), false));
        assert_eq!(split_title(""), (None, false));
    }
}
