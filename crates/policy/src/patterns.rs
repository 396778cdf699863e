//! Patterns in settings: `*` matches any text, also an empty one and slashes.
//! Every other byte matches itself. A pattern must match the whole text.

/// Whether the pattern matches `text`.
///
/// A star first matches as little as possible; when the rest does not match, the
/// last star matches one byte more. So the time is bounded by the product of the
/// lengths.
pub fn matches(mut pattern: &[u8], mut text: &[u8]) -> bool {
    let mut last_star: Option<(&[u8], &[u8])> = None;
    loop {
        match (pattern.split_first(), text.split_first()) {
            (Some((b'*', rest)), _) => {
                last_star = Some((rest, text));
                pattern = rest;
            }
            (Some((wanted, pattern_rest)), Some((found, text_rest))) if wanted == found => {
                (pattern, text) = (pattern_rest, text_rest);
            }
            (None, None) => return true,
            _ => {
                let Some((after_star, [_, shorter @ ..])) = last_star else {
                    return false;
                };
                last_star = Some((after_star, shorter));
                (pattern, text) = (after_star, shorter);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_the_whole_text() {
        for (pattern, text, expected) in [
            ("", "", true),
            ("", "a", false),
            ("*", "", true),
            ("**", "", true),
            ("a", "a", true),
            ("a", "ab", false),
            ("a", "ba", false),
            ("a*", "a", true),
            ("*a", "bca", true),
            ("*a", "ab", false),
            ("a*b*c", "abbc", true),
            ("a*b*c", "acb", false),
            ("*ab", "aab", true),
            ("*abc*abd", "abcabcabd", true),
            ("/x/*", "/x/y/z", true),
            ("?", "a", false),
            ("[a]", "a", false),
            ("A", "a", false),
        ] {
            let found = matches(pattern.as_bytes(), text.as_bytes());
            assert_eq!(found, expected, "{pattern} with {text}");
        }
    }

    #[test]
    fn a_star_of_the_text_is_a_letter_like_any() {
        assert!(matches(b"a*", b"a*"));
        assert!(matches(b"*", b"**"));
        assert!(!matches(b"ab", b"a*"));
    }

    #[test]
    fn many_stars_take_no_exponential_time() {
        let pattern = [b"*a".repeat(50), b"b".to_vec()].concat();
        assert!(!matches(&pattern, &b"a".repeat(5_000)));
    }
}
