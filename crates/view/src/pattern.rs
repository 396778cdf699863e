//! Which names a text means.

/// Part of a name, in any case of ASCII letters: as PHP compares names.
#[derive(Debug)]
pub(crate) struct Pattern {
    lower: Vec<u8>,
}

impl Pattern {
    /// A pattern that every name matches if the text is empty.
    pub(crate) fn new(text: &str) -> Self {
        Self {
            lower: text.trim().as_bytes().to_ascii_lowercase(),
        }
    }

    /// A pattern that no name matches if the text is empty.
    pub(crate) fn of_search(text: &str) -> Option<Self> {
        let pattern = Self::new(text);
        (!pattern.lower.is_empty()).then_some(pattern)
    }

    pub(crate) fn matches(&self, name: &[u8]) -> bool {
        let wanted = &*self.lower;
        wanted.is_empty()
            || name
                .windows(wanted.len())
                .any(|part| part.eq_ignore_ascii_case(wanted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_part_of_a_name_in_any_case() {
        let pattern = Pattern::new(" pdo:: ");
        assert!(pattern.matches(b"My\\PDO::query"));
        assert!(!pattern.matches(b"PDO"));
        assert!(Pattern::new("").matches(b"anything"));
        assert!(Pattern::of_search(" ").is_none());
    }
}
