//! Bytes and names as text of a page.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Base64, with padding.
pub(super) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Text for an element or an attribute. What could be read as anything but text
/// is escaped, and control characters are shown, as HTML has no place for them.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            character if character.is_control() => {
                let _ = write!(out, "\\x{:02x}", u32::from(character));
            }
            character => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_becomes_markup() {
        assert_eq!(
            escaped("</script><b a=\"'&'\">\0\n"),
            "&lt;/script&gt;&lt;b a=&quot;&#39;&amp;&#39;&quot;&gt;\\x00\\x0a"
        );
        assert_eq!(escaped("größe"), "größe");
    }
}
