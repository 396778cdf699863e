//! Patterns in settings: `*` matches any text, also an empty one and slashes.
//! Every other byte matches itself. A pattern must match the whole text.

/// The first pattern that matches `text`.
pub(crate) fn first_match<'p>(patterns: &'p [String], text: &[u8]) -> Option<&'p str> {
    let found = patterns
        .iter()
        .find(|pattern| matches(pattern.as_bytes(), text));
    found.map(String::as_str)
}

/// Whether the pattern matches `text`.
///
/// A star first matches as little as possible; when the rest does not match, the
/// last star matches one byte more. So the time is bounded by the product of the
/// lengths.
pub(crate) fn matches(mut pattern: &[u8], mut text: &[u8]) -> bool {
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
