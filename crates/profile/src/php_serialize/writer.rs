//! Writes values as PHP's `serialize()` does, byte for byte.
//!
//! Writing goes to memory and cannot fail. The caller opens an array with the
//! number of its entries, and must write exactly that many.

use super::{Key, Value};
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

/// Writes any value.
pub fn write_value(out: &mut Vec<u8>, value: &Value<'_>) {
    match value {
        Value::Null => out.extend_from_slice(b"N;"),
        Value::Bool(value) => out.extend_from_slice(if *value { b"b:1;" } else { b"b:0;" }),
        Value::Int(value) => write_int(out, *value),
        Value::Float(value) => write_float(out, *value),
        Value::String(value) => write_string(out, value),
        Value::Array(entries) => {
            write_array_start(out, entries.len());
            for (key, value) in entries {
                match key {
                    Key::Int(key) => write_int(out, *key),
                    Key::String(key) => write_key(out, key),
                }
                write_value(out, value);
            }
            write_array_end(out);
        }
    }
}

/// Writes a float with the fewest digits that identify it, in PHP's notation:
/// with an exponent from 1.0E+17 up and from 1.0E-5 down.
fn write_float(out: &mut Vec<u8>, value: f64) {
    out.extend_from_slice(b"d:");
    if value.is_nan() {
        out.extend_from_slice(b"NAN");
    } else if value.is_infinite() {
        out.extend_from_slice(if value > 0.0 { b"INF" } else { b"-INF" });
    } else if value == 0.0 || (1e-4..1e17).contains(&value.abs()) {
        out.extend_from_slice(value.to_string().as_bytes());
    } else {
        let shortest = format!("{value:e}");
        let (digits, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
        out.extend_from_slice(digits.as_bytes());
        if !digits.contains('.') {
            out.extend_from_slice(b".0");
        }
        out.push(b'E');
        if !exponent.starts_with('-') {
            out.push(b'+');
        }
        out.extend_from_slice(exponent.as_bytes());
    }
    out.push(b';');
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

    fn written(value: &Value<'_>) -> String {
        let mut out = Vec::new();
        write_value(&mut out, value);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn floats_look_as_php_writes_them() {
        // Each taken from `php -r 'echo serialize(…);'`.
        for (value, expected) in [
            (0.0, "d:0;"),
            (-0.0, "d:-0;"),
            (1.0, "d:1;"),
            (0.1, "d:0.1;"),
            (-2.5, "d:-2.5;"),
            (1e25, "d:1.0E+25;"),
            (1.5e17, "d:1.5E+17;"),
            (12_345_678_901_234_567.0, "d:12345678901234568;"),
            (0.0001, "d:0.0001;"),
            (0.00001, "d:1.0E-5;"),
            (f64::NAN, "d:NAN;"),
            (f64::NEG_INFINITY, "d:-INF;"),
        ] {
            assert_eq!(written(&Value::Float(value)), expected);
        }
    }

    #[test]
    fn integers_are_written_to_their_limits() {
        assert_eq!(written(&Value::Int(0)), "i:0;");
        assert_eq!(written(&Value::Int(i64::MIN)), "i:-9223372036854775808;");
        assert_eq!(written(&Value::Int(i64::MAX)), "i:9223372036854775807;");
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
