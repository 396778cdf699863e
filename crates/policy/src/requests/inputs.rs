//! Decodes the inputs of a request: cookies, query parameters, headers.

/// The values of `name` in `name=value;name=value`, decoded. In queries a plus is a
/// space.
pub fn values(
    text: &[u8],
    separator: u8,
    name: &str,
    plus_is_space: bool,
) -> impl Iterator<Item = Vec<u8>> {
    text.split(move |&byte| byte == separator)
        .filter_map(move |pair| {
            let mut sides = pair.splitn(2, |&byte| byte == b'=');
            let is_named = sides.next()?.trim_ascii() == name.as_bytes();
            let value = sides.next().unwrap_or_default();
            is_named.then(|| decoded(value, plus_is_space))
        })
}

/// The variable in which CGI passes a header: `HTTP_X_ID` for `X-Id`.
#[must_use]
pub fn header_variable(name: &str) -> String {
    format!("HTTP_{}", name.to_ascii_uppercase().replace('-', "_"))
}

/// `%41` is `A`. An invalid escape stays as it is.
fn decoded(text: &[u8], plus_is_space: bool) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        let escape = match after {
            [high, low, ..] if first == b'%' => digit(*high).zip(digit(*low)),
            _ => None,
        };
        match escape {
            Some((high, low)) => {
                bytes.push(high << 4 | low);
                rest = after.get(2..).unwrap_or_default();
            }
            None if first == b'+' && plus_is_space => bytes.push(b' '),
            None => bytes.push(first),
        }
    }
    bytes
}

/// The value of a hexadecimal digit.
fn digit(byte: u8) -> Option<u8> {
    let digit = char::from(byte).to_digit(16)?;
    u8::try_from(digit).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn query(text: &str, name: &str) -> Vec<String> {
        values(text.as_bytes(), b'&', name, true)
            .map(|value| String::from_utf8(value).unwrap())
            .collect()
    }

    #[test]
    fn every_value_of_a_name_is_found_and_no_other() {
        assert_eq!(query("a=1&b=2&a=3&&aa=4&=5", "a"), ["1", "3"]);
        assert_eq!(query("a", "a"), [""]);
        assert_eq!(query("a=b=c", "a"), ["b=c"]);
        assert!(query("", "a").is_empty() && query("A=1", "a").is_empty());
    }

    #[test]
    fn a_name_is_compared_as_it_is_sent() {
        assert!(query("%61=1", "a").is_empty());
        assert!(query("a[]=1", "a").is_empty());
        // A browser writes a space after the semicolon.
        let cookies: Vec<_> = values(b"x=1; a=2;a =3", b';', "a", false).collect();
        assert_eq!(cookies, [b"2", b"3"]);
    }

    #[test]
    fn escapes_are_two_hexadecimal_digits() {
        assert_eq!(query("a=%41%5a%5A", "a"), ["AZZ"]);
        for text in ["%", "%4", "%4g", "%+1", "%-1", "% 1", "%%41"] {
            let expected = text.replace('+', " ").replace("%41", "A");
            assert_eq!(query(&format!("a={text}"), "a"), [expected], "{text}");
        }
    }

    #[test]
    fn a_plus_is_a_space_in_queries_only() {
        assert_eq!(query("a=x+y%2B", "a"), ["x y+"]);
        let cookie: Vec<_> = values(b"a=x+y", b';', "a", false).collect();
        assert_eq!(cookie, [b"x+y"]);
    }

    #[test]
    fn headers_have_the_variables_of_cgi() {
        assert_eq!(header_variable("X-Id"), "HTTP_X_ID");
        assert_eq!(header_variable("XHPROF"), "HTTP_XHPROF");
    }

    proptest! {
        #[test]
        fn what_was_encoded_is_decoded(value in any::<Vec<u8>>()) {
            let encoded: String = value.iter().map(|byte| format!("%{byte:02X}")).collect();
            let text = format!("x=1&name={encoded}&y=2");
            let found: Vec<_> = values(text.as_bytes(), b'&', "name", true).collect();
            prop_assert_eq!(found, [value]);
        }

        #[test]
        fn a_value_never_grows(text in any::<Vec<u8>>(), plus in any::<bool>()) {
            for value in values(&text, b';', "a", plus) {
                prop_assert!(value.len() <= text.len());
            }
        }
    }
}
