//! Names as text, for the formats that are made of it.
//!
//! PHP gives bytes. **Invariant:** every format shows one name alike: what no
//! line can hold becomes a space, what is no UTF-8 becomes U+FFFD, byte by byte.

use std::borrow::Cow;

use profile::Profile;

use crate::WriteOptions;

/// Whether no format of lines can hold `byte` in a name.
pub(crate) fn breaks_lines(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n' | 0)
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

/// What the profile is called, and that its stacks are a guess if they are.
pub(crate) fn title(profile: &Profile, options: &WriteOptions) -> Option<String> {
    let title = options.title.as_deref().or(profile.meta.title.as_deref());
    let title = title.map(|title| lossy(title.as_bytes()).into_owned());
    match title {
        title if !profile.meta.is_estimated => title,
        Some(title) => Some(format!("{title} ({ESTIMATED})")),
        None => Some(ESTIMATED.to_owned()),
    }
}

/// What is said of stacks that are a guess.
pub(crate) const ESTIMATED: &str = "estimated from call graph";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_passes_and_the_rest_is_replaced_byte_by_byte() {
        assert!(matches!(lossy("größe; <x>".as_bytes()), Cow::Borrowed(_)));
        assert_eq!(lossy(b"a\r\n\0b\tc"), "a   b\tc");
        // The beginning of a character that is not finished is two bytes.
        assert_eq!(lossy(b"\xe2\x82|\xff"), "\u{fffd}\u{fffd}|\u{fffd}");
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
    }
}
