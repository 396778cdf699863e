//! Shortens names to the width of a box.

use std::borrow::Cow;

/// The width of a text, in letters: East Asian ones and emoji count twice.
fn columns(text: &str) -> usize {
    text.chars()
        .map(|letter| 1 + usize::from(letter >= '\u{1100}'))
        .sum()
}

/// The label of a box with room for this many letters: the name, without its
/// namespace if that is too long, and cut if that is too long as well; none for
/// fewer than three letters.
pub(crate) fn fitting(name: &str, room: usize) -> Option<Cow<'_, str>> {
    if room < 3 {
        return None;
    }
    if columns(name) <= room {
        return Some(Cow::Borrowed(name));
    }
    let short = without_namespace(name);
    if columns(short) <= room {
        return Some(Cow::Borrowed(short));
    }
    let mut cut = String::new();
    let mut left = room - 1;
    for letter in short.chars() {
        let width = 1 + usize::from(letter >= '\u{1100}');
        if width > left {
            break;
        }
        left -= width;
        cut.push(letter);
    }
    cut.push('…');
    Some(Cow::Owned(cut))
}

/// `Bar::baz` of `App\Foo\Bar::baz`.
fn without_namespace(name: &str) -> &str {
    let end = name.find("::").unwrap_or(name.len());
    let start = name.get(..end).and_then(|class| class.rfind('\\'));
    let short = start.and_then(|start| name.get(start + 1..));
    short.filter(|short| !short.is_empty()).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_namespace_goes_first_and_then_the_end() {
        let fits = |room| fitting("App\\Foo\\Bar::baz", room);
        assert_eq!(fits(16).as_deref(), Some("App\\Foo\\Bar::baz"));
        assert_eq!(fits(15).as_deref(), Some("Bar::baz"));
        assert_eq!(fits(7).as_deref(), Some("Bar::b…"));
        assert_eq!(fits(3).as_deref(), Some("Ba…"));
        assert_eq!(fits(2), None);
    }

    #[test]
    fn wide_letters_take_the_room_of_two() {
        assert_eq!(fitting("日本語", 5).as_deref(), Some("日本…"));
        assert_eq!(fitting("größe", 5).as_deref(), Some("größe"));
        assert_eq!(fitting("a\\", 3).as_deref(), Some("a\\"));
    }
}
