//! `--match`: text or a regular expression, whichever fits.

use regex::bytes::{Regex, RegexBuilder};

/// What a function's name must have in it.
#[derive(Debug)]
pub(crate) struct Pattern {
    text: Vec<u8>,
    expression: Option<Regex>,
}

impl Pattern {
    /// Makes a pattern of what a user typed. A namespace such as `App\Util` is
    /// a strange expression or none at all, so plain text always counts.
    pub(crate) fn new(pattern: &str) -> Self {
        let expression = RegexBuilder::new(pattern).case_insensitive(true).build();
        Self {
            text: pattern.to_lowercase().into_bytes(),
            expression: expression.ok(),
        }
    }

    /// Whether `name` has the pattern in it. PHP's names know no case.
    pub(crate) fn matches(&self, name: &[u8]) -> bool {
        let lower = String::from_utf8_lossy(name).to_lowercase();
        let has_text = self.text.is_empty()
            || lower
                .as_bytes()
                .windows(self.text.len())
                .any(|window| window == self.text);
        has_text || self.expression.as_ref().is_some_and(|it| it.is_match(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_expressions_match_in_any_case() {
        let matches = |pattern, name: &str| Pattern::new(pattern).matches(name.as_bytes());
        assert!(matches("cache::GET", "Cache::get"));
        assert!(matches("^str(len|pos)$", "strpos"));
        assert!(!matches("^str(len|pos)$", "substrpos"));
        // No expression, and one that means something else than was typed.
        assert!(matches("App\\Foo", "App\\Foo::bar"));
        assert!(matches("App\\Sniffs", "App\\Sniffs\\A::b"));
        assert!(matches("größe", "GRÖSSE, Größe"));
        assert!(matches("", "anything"));
        assert!(Pattern::new("f").matches(b"\xe9f"));
    }
}
