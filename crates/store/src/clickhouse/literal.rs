//! Values in statements.
//!
//! ClickHouse 18.16 has no bound parameters, and its external tables make each
//! statement a form of several parts. So values become literals, here and
//! nowhere else. Each byte of a text that is no letter, digit or one of ` /_-`
//! is written by its number: neither quotes nor backslashes of a value are ever
//! in a statement.

use std::fmt::Write;

/// A text, or any bytes.
pub(super) fn text(value: impl AsRef<[u8]>) -> String {
    let value = value.as_ref();
    let mut literal = String::with_capacity(value.len() + 2);
    literal.push('\'');
    for &byte in value {
        if byte.is_ascii_alphanumeric() || b" /_-".contains(&byte) {
            literal.push(char::from(byte));
        } else {
            let _ = write!(literal, "\\x{byte:02x}");
        }
    }
    literal.push('\'');
    literal
}

/// An id or a key. Of `toFixedString(…)` ClickHouse 18.16 would make an expression for
/// each value of a list.
pub(super) fn id(bytes: &[u8; 16]) -> String {
    text(bytes)
}

/// Ids, with commas between.
pub(super) fn ids<'a>(ids: impl IntoIterator<Item = &'a [u8; 16]>) -> String {
    let ids: Vec<String> = ids.into_iter().map(id).collect();
    ids.join(", ")
}

/// Numbers, with commas between.
pub(super) fn numbers(numbers: impl IntoIterator<Item = u32>) -> String {
    let numbers: Vec<String> = numbers
        .into_iter()
        .map(|number| number.to_string())
        .collect();
    numbers.join(", ")
}

/// A condition on a column: `=`, or `LIKE` for a pattern in which `*` is any text.
pub(super) fn matches(column: &str, pattern: &str) -> String {
    if !pattern.contains('*') {
        return format!("{column} = {}", text(pattern));
    }
    let mut like = String::with_capacity(pattern.len() + 8);
    for character in pattern.chars() {
        match character {
            '*' => like.push('%'),
            '%' | '_' | '\\' => {
                like.push('\\');
                like.push(character);
            }
            _ => like.push(character),
        }
    }
    format!("{column} LIKE {}", text(like))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nothing_of_a_value_ends_its_literal() {
        assert_eq!(text("a' OR 1=1 --"), "'a\\x27 OR 1\\x3d1 --'");
        assert_eq!(text("\\'"), "'\\x5c\\x27'");
        assert_eq!(matches("route", "/a_b/*"), "route LIKE '/a\\x5c_b/\\x25'");
        assert_eq!(matches("route", "/a_b"), "route = '/a_b'");
        assert_eq!(id(&[0x27; 16]).len(), 2 + 16 * 4);
    }

    proptest! {
        #[test]
        fn a_literal_has_safe_bytes_only(value in prop::collection::vec(any::<u8>(), 0..100)) {
            let literal = text(&value);
            let inner = &literal[1..literal.len() - 1];
            let mut read = Vec::new();
            let mut rest = inner.bytes();
            while let Some(byte) = rest.next() {
                prop_assert!(byte != b'\'');
                if byte != b'\\' {
                    read.push(byte);
                    continue;
                }
                prop_assert_eq!(rest.next(), Some(b'x'));
                let digits: String = rest.by_ref().take(2).map(char::from).collect();
                read.push(u8::from_str_radix(&digits, 16).unwrap());
            }
            prop_assert_eq!(read, value);
        }
    }
}
