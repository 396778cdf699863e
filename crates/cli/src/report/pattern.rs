//! `--match`: matches text or a regular expression.

use regex::bytes::{Regex, RegexBuilder};

/// The text or expression that a function's name must contain.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// As text, and as a regular expression if it is a valid one.
    expressions: Vec<Regex>,
    /// The user's text, if the pattern is plain text only.
    text: Option<String>,
}

impl Pattern {
    /// Makes a pattern of the user's text. A namespace such as `App\Util` is an
    /// invalid expression, or one with another meaning, so the text is always
    /// matched as plain text too.
    pub(crate) fn new(pattern: &str) -> Self {
        let expression = |pattern: &str| {
            let mut builder = RegexBuilder::new(pattern);
            builder.case_insensitive(true).build().ok()
        };
        let text = regex::escape(pattern);
        // Usually both match the same names, and matching twice takes twice as
        // long.
        let other = (text != pattern).then(|| expression(pattern)).flatten();
        Self {
            text: other.is_none().then(|| pattern.to_owned()),
            expressions: expression(&text).into_iter().chain(other).collect(),
        }
    }

    /// The text to look for, if the pattern is plain text only.
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
        // An invalid expression, and one whose meaning differs from the text.
        assert!(matches("App\\Foo", "App\\Foo::bar"));
        assert!(matches("App\\Sniffs", "App\\Sniffs\\A::b"));
        assert!(matches("größe", "GRÖSSE, Größe"));
        assert!(matches("", "anything"));
        assert!(Pattern::new("f").matches(b"\xe9f"));
    }
}
