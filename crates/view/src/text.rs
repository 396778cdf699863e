//! Text of profiles for people: without characters that act, and short.

use std::fmt::Write as _;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The length of one name or statement in Markdown.
const CODE_WIDTH: usize = 160;

/// Text that a terminal only displays: control characters, characters that
/// change the text direction and invalid bytes become escapes.
#[must_use]
pub fn printable(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            formats::visible::push(&mut text, character);
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// `text` in at most `width` columns, without its middle if necessary: the
/// beginning and the end of a name identify it best.
#[must_use]
pub fn shortened(text: &str, width: usize) -> String {
    without_middle(text, width, 2)
}

/// Text of a profile in Markdown: on one line, not longer than a limit, and nothing in it is
/// Markdown.
#[must_use]
pub fn code(text: &[u8]) -> String {
    format!(
        "`{}`",
        short(&printable(text), CODE_WIDTH).replace('`', "'")
    )
}

/// Text in at most `most` columns and four bytes a column: some characters have no width.
#[must_use]
pub fn short(text: &str, most: usize) -> String {
    let text = shortened(text, most);
    match text.char_indices().find(|(place, _)| *place > 4 * most) {
        Some((place, _)) => format!("{}…", &text[..place]),
        None => text,
    }
}

/// `text` in at most `width` columns; up to the given fifths of them show its
/// beginning. It is cut between words; in a word only if there is no room for
/// the last one.
#[must_use]
pub fn without_middle(text: &str, width: usize, fifths: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let room = width.saturating_sub(1);
    let head = words_within(text, room * fifths / 5);
    let rest = room - head.width();
    let tail = last_words_within(text, rest);
    // A short end, like the name of a method that many classes have, says little.
    if tail.width() >= (rest / 3).max(1) {
        return format!("{head}…{tail}");
    }
    let head: String = within(text.chars(), room * fifths / 5).collect();
    let tail: String = within(text.chars().rev(), room - head.width()).collect();
    format!("{head}…{}", tail.chars().rev().collect::<String>())
}

/// The first words that fit into `width` columns.
fn words_within(text: &str, width: usize) -> &str {
    let (mut used, mut end) = (0, 0);
    for (place, character) in text.char_indices() {
        if is_between_words(text, place) {
            end = place;
        }
        used += character.width().unwrap_or(0);
        if used > width {
            break;
        }
    }
    &text[..end]
}

/// The last words that fit into `width` columns.
fn last_words_within(text: &str, width: usize) -> &str {
    let (mut used, mut start) = (0, text.len());
    for (place, character) in text.char_indices().rev() {
        used += character.width().unwrap_or(0);
        if used > width {
            break;
        }
        if is_between_words(text, place) {
            start = place;
        }
    }
    &text[start..]
}

/// Whether a word ends before `place` and another begins there, as in
/// `file_get`, `App\Cart`, `ScopeIndent` and `HTTPClient`.
fn is_between_words(text: &str, place: usize) -> bool {
    let (before, after) = text.split_at(place);
    let mut after = after.chars();
    let (Some(left), Some(right)) = (before.chars().next_back(), after.next()) else {
        return false;
    };
    let next_is_small = after.next().is_some_and(char::is_lowercase);
    match (left, right) {
        // `::` and `->` stay whole.
        (':', ':') | ('-', '>') => false,
        _ if !left.is_alphanumeric() || !right.is_alphanumeric() => true,
        _ => right.is_uppercase() && (!left.is_uppercase() || next_is_small),
    }
}

/// The characters that fit into `width` columns.
fn within(characters: impl Iterator<Item = char>, width: usize) -> impl Iterator<Item = char> {
    let mut used = 0;
    characters.take_while(move |character| {
        used += character.width().unwrap_or(0);
        used <= width
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_drive_the_terminal() {
        assert_eq!(printable(b"\x1b]0;title\x07"), "\\x1b]0;title\\x07");
        assert_eq!(
            printable("a\u{202e}b\u{9b}31m".as_bytes()),
            "a\\u{202e}b\\u{9b}31m"
        );
        assert_eq!(printable(b"caf\xe9\r\n"), "caf\\xe9\\x0d\\x0a");
        assert_eq!(
            printable("App\\Mühle\\größe 漢".as_bytes()),
            "App\\Mühle\\größe 漢"
        );
    }

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(shortened("short", 5), "short");
        assert_eq!(
            shortened("Some\\Long\\Namespace\\Class::method", 20),
            "Some\\…\\Class::method"
        );
        let name = "DisallowTabIndentSniff::process";
        assert_eq!(shortened(name, 28), "Disallow…Sniff::process");
        // A wide character that does not fit leaves one column empty.
        assert_eq!(shortened("漢漢漢漢漢", 8), "漢…漢漢");
        assert_eq!(shortened("abc", 1), "…");
    }
}
