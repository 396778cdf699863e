//! Names as text for people, and what kind of function a symbol is.

use formats::CodeClass;
use profile::Symbol;
use serde::{Deserialize, Serialize};

/// Which part of a program a function belongs to: what colours tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The program's own code.
    User,
    /// A package that others wrote.
    Vendor,
    /// PHP itself or an extension.
    Internal,
    /// What a template engine compiled.
    Template,
    /// A function of PHP that waits for a database, a network, a file or a timer.
    Waiting,
    /// Not a function: a compiled file, `[truncated]`.
    Other,
}

/// A name as text. Bytes that are no UTF-8 become U+FFFD; control characters
/// and the characters that change the direction of text become U+FFFD too, so
/// that a name cannot disguise what stands beside it.
pub(crate) fn text(name: &[u8]) -> String {
    if name.is_empty() {
        return "(unknown)".to_owned();
    }
    let mut text = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        text.extend(chunk.valid().chars().map(visible));
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text
}

/// At most so many characters of a name; the rest is `…`.
pub(crate) fn short_text(name: &[u8], most: usize) -> String {
    // A character has at most four bytes.
    let head = name.get(..most.saturating_mul(4)).unwrap_or(name);
    let full = text(head);
    match full.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &full[..end]),
        None if head.len() < name.len() => format!("{full}…"),
        None => full,
    }
}

/// At most so many characters of a function's name, the middle left out: the end
/// tells functions of one namespace apart.
pub(crate) fn short_name(name: &[u8], most: usize) -> String {
    // A character has at most four bytes.
    let some = most.saturating_mul(4);
    if name.len() <= some.saturating_mul(2) {
        let full = text(name);
        if full.chars().count() <= most {
            return full;
        }
    }
    let tail = most / 2;
    let mut end = &name[name.len().saturating_sub(some)..];
    // It may begin inside of a character, of which three bytes can be left.
    for _ in 0..3 {
        if let [0x80..=0xbf, rest @ ..] = end {
            end = rest;
        }
    }
    let end = text(end);
    let skipped = end.chars().count().saturating_sub(tail);
    let head = short_text(name, most.saturating_sub(tail + 1));
    head + &end.chars().skip(skipped).collect::<String>()
}

fn visible(letter: char) -> char {
    if formats::visible::is_hidden(letter) {
        char::REPLACEMENT_CHARACTER
    } else {
        letter
    }
}

/// Which part of the program a symbol belongs to.
pub(crate) fn origin(symbol: &Symbol) -> Origin {
    match CodeClass::of(symbol) {
        CodeClass::Own => Origin::User,
        CodeClass::Package(_) => Origin::Vendor,
        CodeClass::Template => Origin::Template,
        CodeClass::Php => Origin::Internal,
        CodeClass::Waiting => Origin::Waiting,
        CodeClass::Other => Origin::Other,
    }
}

/// The package of a symbol, if it is of one.
pub(crate) fn package(symbol: &Symbol) -> Option<String> {
    match CodeClass::of(symbol) {
        CodeClass::Package(package) => Some(text(package.name)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_shows_no_control_or_direction_characters() {
        assert_eq!(
            text("a\u{202e}b\x1b[31m".as_bytes()),
            "a\u{fffd}b\u{fffd}[31m"
        );
        assert_eq!(text(b"a\xff"), "a\u{fffd}");
        assert_eq!(text(b""), "(unknown)");
    }

    #[test]
    fn long_names_are_cut_at_a_character() {
        assert_eq!(short_text("äöü".as_bytes(), 2), "äö…");
        assert_eq!(short_text("äöü".as_bytes(), 3), "äöü");
        let long = vec![b'a'; 1 << 20];
        assert_eq!(short_text(&long, 3), "aaa…");
    }

    #[test]
    fn long_names_of_functions_keep_their_end() {
        assert_eq!(short_name("äöüß".as_bytes(), 4), "äöüß");
        assert_eq!(short_name("äöüßé".as_bytes(), 4), "ä…ßé");
        let long = format!("{}::run", "Name\\".repeat(1 << 18));
        assert_eq!(short_name(long.as_bytes(), 9), "Name…:run");
        assert_eq!(short_name(&[0x80; 100], 3), "\u{fffd}…\u{fffd}");
    }

    #[test]
    fn a_package_has_a_name() {
        let mut symbol = Symbol::new(*b"Lexer::lex");
        assert_eq!(package(&symbol), None);
        symbol.file = Some((*b"/app/vendor/twig/twig/src/Lexer.php").into());
        assert_eq!(origin(&symbol), Origin::Vendor);
        assert_eq!(package(&symbol).as_deref(), Some("twig/twig"));
    }
}
