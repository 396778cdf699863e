//! Text in addresses.

use std::fmt::Write;

/// Text for the value of a query.
pub(crate) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_letters_that_mean_nothing_stay() {
        assert_eq!(encoded("/a b?c=d&é"), "/a%20b%3Fc%3Dd%26%C3%A9");
    }
}
