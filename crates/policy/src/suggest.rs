//! Names what a user may have meant by an unknown word.

/// The largest edit distance of a suggestion.
const MAX_EDITS: usize = 3;
/// A longer word is not similar to any known one, and would take time.
const MAX_LENGTH: usize = 64;

/// The known word that is most similar to `word`.
#[must_use]
pub fn nearest<'k>(word: &[u8], known: &[&'k str]) -> Option<&'k str> {
    let word = word.to_ascii_lowercase();
    if word.len() < 3 {
        return None;
    }
    let contains = |known: &&&str| {
        let mut parts = known.as_bytes().windows(word.len());
        parts.any(|part| part == word.as_slice())
    };
    if let Some(known) = known.iter().find(contains) {
        return Some(known);
    }
    known
        .iter()
        .map(|known| (edits(&word, known.as_bytes()), *known))
        .filter(|&(edits, known)| edits <= MAX_EDITS && edits * 2 <= known.len())
        .min()
        .map(|(_, known)| known)
}

/// The part of a word that a message shows.
#[must_use]
pub fn shown(word: &[u8]) -> String {
    let word = String::from_utf8_lossy(word);
    let letters = word
        .chars()
        .map(|letter| if letter.is_control() { '?' } else { letter });
    letters.take(40).collect()
}

/// The Levenshtein distance of two words; of the first, [`MAX_LENGTH`] bytes count.
fn edits(from: &[u8], to: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, letter) in from.iter().enumerate().take(MAX_LENGTH) {
        let mut diagonal = index;
        let mut left = index + 1;
        for (above, other) in row.iter_mut().skip(1).zip(to) {
            let cost = (diagonal + usize::from(letter != other))
                .min(left + 1)
                .min(*above + 1);
            diagonal = std::mem::replace(above, cost);
            left = cost;
        }
        if let Some(first) = row.first_mut() {
            *first = index + 1;
        }
    }
    debug_assert_eq!(row.len(), to.len() + 1);
    row.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KNOWN: [&str; 4] = ["mode", "title", "tags", "ignored_functions"];

    #[test]
    fn a_typing_error_has_a_suggestion() {
        for (word, expected) in [
            ("mod", Some("mode")),
            ("modes", Some("mode")),
            ("Titel", Some("title")),
            ("TAGS", Some("tags")),
            ("ignored", Some("ignored_functions")),
            ("ignore_functions", Some("ignored_functions")),
            ("functions", Some("ignored_functions")),
            ("callback", None),
            ("mo", None),
            ("", None),
        ] {
            assert_eq!(nearest(word.as_bytes(), &KNOWN), expected, "{word}");
        }
    }

    #[test]
    fn nothing_is_known_of_nothing() {
        assert_eq!(nearest(b"mode", &[]), None);
    }

    #[test]
    fn a_message_shows_the_start_without_control_characters() {
        assert_eq!(shown(b"a\nb\x1b[1m"), "a?b?[1m");
        assert_eq!(shown(&[b'x'; 100]).len(), 40);
        assert_eq!(shown(b"\xff"), "\u{fffd}");
        assert_eq!(shown("ä".repeat(50).as_bytes()).chars().count(), 40);
    }

    proptest! {
        #[test]
        fn distances_are_symmetric_and_zero_only_for_the_same(
            one in "[a-c]{0,8}", other in "[a-c]{0,8}"
        ) {
            let (one, other) = (one.as_bytes(), other.as_bytes());
            let distance = edits(one, other);
            prop_assert_eq!(distance, edits(other, one));
            prop_assert_eq!(distance == 0, one == other);
            prop_assert!(distance >= one.len().abs_diff(other.len()));
            prop_assert!(distance <= one.len().max(other.len()));
        }

        #[test]
        fn a_known_word_is_its_own_suggestion(index in 0_usize..4) {
            prop_assert_eq!(nearest(KNOWN[index].as_bytes(), &KNOWN), Some(KNOWN[index]));
        }

        #[test]
        fn any_bytes_have_an_answer(word in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = nearest(&word, &KNOWN);
            prop_assert!(!shown(&word).chars().any(char::is_control));
        }
    }
}
