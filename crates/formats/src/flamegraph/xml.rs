//! Escapes text for XML.

use std::fmt;

use crate::visible::is_hidden;

/// Text to be displayed unchanged: escaped for element content and for
/// attributes.
///
/// XML 1.0 cannot represent most control characters, not even as numeric
/// references: they become U+FFFD.
pub(crate) struct Escaped<'t>(pub &'t str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(is_special) {
            let (plain, special) = rest.split_at(at);
            f.write_str(plain)?;
            let mut letters = special.chars();
            f.write_str(match letters.next() {
                Some('&') => "&amp;",
                Some('<') => "&lt;",
                // `]]>` must not stand in content.
                Some('>') => "&gt;",
                Some('"') => "&quot;",
                Some('\'') => "&#39;",
                Some('\t') => "&#9;",
                Some('\n') => "\n",
                _ => "\u{fffd}",
            })?;
            rest = letters.as_str();
        }
        f.write_str(rest)
    }
}

fn is_special(letter: char) -> bool {
    matches!(
        letter,
        '&' | '<' | '>' | '"' | '\'' | '\u{fffe}' | '\u{ffff}'
    ) || is_hidden(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_ends_the_element_or_the_document() {
        let escaped = Escaped("a<b>&\"'\u{1}\u{7f}\u{85}\u{ffff}]]>\t").to_string();
        assert_eq!(
            escaped,
            "a&lt;b&gt;&amp;&quot;&#39;\u{fffd}\u{fffd}\u{fffd}\u{fffd}]]&gt;&#9;"
        );
    }
}
