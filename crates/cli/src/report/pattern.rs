//! `--match`: matches text or a regular expression.

use regex::bytes::{Regex, RegexBuilder};

/// What a function's name must have in it.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// As text, and as an expression if it is one.
    expressions: Vec<Regex>,
    /// What was typed, if it means nothing but itself.
    text: Option<String>,
}

impl Pattern {
    /// Makes a pattern of what a user typed. A namespace such as `App\Util` is
    /// a strange expression or none at all, so plain text always counts.
    pub(crate) fn new(pattern: &str) -> Self {
        let expression = |pattern: &str| {
            let mut builder = RegexBuilder::new(pattern);
            builder.case_insensitive(true).build().ok()
        };
        let text = regex::escape(pattern);
        // Usually both are the same, and matching twice takes twice as long.
        let other = (text != pattern).then(|| expression(pattern)).flatten();
        Self {
            text: other.is_none().then(|| pattern.to_owned()),
            expressions: expression(&text).into_iter().chain(other).collect(),
        }
    }

    /// The text to look for, if that is all there is to it.
    pub(crate) fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Whether `name` matches the pattern. PHP's function names are
    /// case-insensitive.
    pub(crate) fn matches(&self, name: &[u8]) -> bool {
        self.expressions
            .iter()
            .any(|expression| expression.is_match(name))
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
