//! Writes arrays, strings and integers as PHP's `serialize()` does, byte for byte.
//!
//! Writing goes to memory and cannot fail. The caller opens an array with the
//! number of its entries, and must write exactly that many.

use crate::table::part;

/// Opens an array of `entries` entries.
pub fn write_array_start(out: &mut Vec<u8>, entries: usize) {
    out.extend_from_slice(b"a:");
    write_decimal(out, entries as u64);
    out.extend_from_slice(b":{");
}

/// Closes the innermost array.
pub fn write_array_end(out: &mut Vec<u8>) {
    out.push(b'}');
}

/// Writes an integer.
pub fn write_int(out: &mut Vec<u8>, value: i64) {
    out.extend_from_slice(b"i:");
    if value < 0 {
        out.push(b'-');
    }
    write_decimal(out, value.unsigned_abs());
    out.push(b';');
}

/// Writes a string's bytes.
pub fn write_string(out: &mut Vec<u8>, value: &[u8]) {
    out.extend_from_slice(b"s:");
    write_decimal(out, value.len() as u64);
    out.extend_from_slice(b":\"");
    out.extend_from_slice(value);
    out.extend_from_slice(b"\";");
}

/// Writes an array's string key, as an integer if PHP would convert it.
pub fn write_key(out: &mut Vec<u8>, key: &[u8]) {
    match canonical_integer(key) {
        Some(integer) => write_int(out, integer),
        None => write_string(out, key),
    }
}

/// Appends a number in decimal. Rows are mostly numbers, so no formatter is
/// used.
pub(crate) fn write_decimal(out: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    for digit in digits.iter_mut().rev() {
        let last = (value % 10) as u8;
        *digit = b'0' + last;
        start -= 1;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(part(&digits, start..));
}

/// The integer that PHP converts the array key `key` to: `"-5"` is converted,
/// `"007"`, `"-0"` and `"5 "` are not.
fn canonical_integer(key: &[u8]) -> Option<i64> {
    if key.len() > 20
        || !key
            .first()
            .is_some_and(|&byte| byte == b'-' || byte.is_ascii_digit())
    {
        return None;
    }
    let text = std::str::from_utf8(key).ok()?;
    let integer: i64 = text.parse().ok()?;
    (integer.to_string() == text).then_some(integer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(value: i64) -> String {
        let mut out = Vec::new();
        write_int(&mut out, value);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn integers_are_written_to_their_limits() {
        assert_eq!(written(0), "i:0;");
        assert_eq!(written(i64::MIN), "i:-9223372036854775808;");
        assert_eq!(written(i64::MAX), "i:9223372036854775807;");
    }

    #[test]
    fn a_key_that_php_takes_for_an_integer_is_written_as_one() {
        for (key, expected) in [
            ("123", "i:123;"),
            ("-5", "i:-5;"),
            ("0", "i:0;"),
            ("007", "s:3:\"007\";"),
            ("-0", "s:2:\"-0\";"),
            ("1.0", "s:3:\"1.0\";"),
            ("+1", "s:2:\"+1\";"),
            ("", "s:0:\"\";"),
            ("-9223372036854775808", "i:-9223372036854775808;"),
            ("9223372036854775808", "s:19:\"9223372036854775808\";"),
        ] {
            let mut out = Vec::new();
            write_key(&mut out, key.as_bytes());
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }
}
