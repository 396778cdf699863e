//! Suggests names similar to an unknown one.

/// `; did you mean strlen or strlwr?`, or nothing.
pub(crate) fn suggestion<'n>(
    wanted: &str,
    known: impl IntoIterator<Item = impl Into<std::borrow::Cow<'n, str>>>,
) -> String {
    let wanted = wanted.to_lowercase();
    let mut near: Vec<(usize, String)> = known
        .into_iter()
        .filter_map(|name| {
            let name = name.into();
            distance(&wanted, &name.to_lowercase()).map(|distance| (distance, name.into_owned()))
        })
        .collect();
    near.sort();
    near.truncate(MAX_SUGGESTIONS);
    let mut names = near.into_iter().map(|(_, name)| name);
    let Some(last) = names.next_back() else {
        return String::new();
    };
    let others: Vec<String> = names.collect();
    if others.is_empty() {
        format!("; did you mean {last}?")
    } else {
        format!("; did you mean {} or {last}?", others.join(", "))
    }
}

/// How many names are suggested at most.
const MAX_SUGGESTIONS: usize = 3;
/// Longer names are not compared character by character.
const MAX_LENGTH: usize = 200;

/// The distance of two names; none if they are too different to suggest.
fn distance(wanted: &str, name: &str) -> Option<usize> {
    // `get` for `Cache::get`: part of the name, without a misspelling.
    if wanted.len() > 2 && name.contains(wanted) {
        return Some(1);
    }
    let (wanted, name): (Vec<char>, Vec<char>) = (wanted.chars().collect(), name.chars().collect());
    let allowed = (wanted.len() / 3).clamp(1, 4);
    if name.len().abs_diff(wanted.len()) > allowed || wanted.len().max(name.len()) > MAX_LENGTH {
        return None;
    }
    let distance = edits(&wanted, &name);
    (distance <= allowed).then_some(distance)
}

/// The edit distance: insertions, deletions and changes of characters.
fn edits(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (number, letter) in one.iter().enumerate() {
        let mut next = Vec::with_capacity(row.len());
        let mut left = number + 1;
        next.push(left);
        for (pair, theirs) in row.windows(2).zip(other) {
            let &[diagonal, above] = pair else { continue };
            let changed = diagonal + usize::from(letter != theirs);
            left = changed.min(above + 1).min(left + 1);
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_is_suggested_nearest_first() {
        let known = ["strlen", "strlwr", "Cache::get", "fopen"];
        assert_eq!(
            suggestion("strlne", known),
            "; did you mean strlen or strlwr?"
        );
        assert_eq!(
            suggestion("strlxr", known),
            "; did you mean strlwr or strlen?"
        );
        assert_eq!(suggestion("cache", known), "; did you mean Cache::get?");
        assert_eq!(suggestion("nothing_like_it", known), "");
    }

    #[test]
    fn edits_are_counted() {
        let count = |one: &str, other: &str| {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            edits(&letters(one), &letters(other))
        };
        assert_eq!(count("", "abc"), 3);
        assert_eq!(count("kitten", "sitting"), 3);
        assert_eq!(count("größe", "größe"), 0);
    }
}
