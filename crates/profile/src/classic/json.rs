//! The classic array as one JSON object, for a writer without a JSON library.
//!
//! JSON has text where PHP has bytes: each invalid byte becomes U+FFFD, and
//! line ends become spaces, as in every text format.

use std::io::{self, Write};

use super::{ClassicCost, for_each_row};
use crate::Profile;

/// Writes `{"main()==>f":{"ct":1,"wt":2},…}`, without an end of line.
///
/// # Errors
///
/// Errors of `out`.
pub fn write_json(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let mut outcome = Ok(());
    let mut row = Vec::with_capacity(256);
    row.push(b'{');
    for_each_row(profile, |key, cost| {
        if outcome.is_ok() {
            put_row(&mut row, key, cost);
            outcome = out.write_all(&row);
            row.clear();
            row.push(b',');
        }
    });
    outcome?;
    out.write_all(b"}")
}

fn put_row(out: &mut Vec<u8>, key: &[u8], cost: &ClassicCost) {
    put_string(out, key);
    let mut separator = ":{";
    for (name, value) in cost.metrics() {
        out.extend_from_slice(format!("{separator}\"{name}\":{value}").as_bytes());
        separator = ",";
    }
    out.push(b'}');
}

fn put_string(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(b'"');
    for chunk in bytes.utf8_chunks() {
        for &byte in chunk.valid().as_bytes() {
            match byte {
                b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
                0 | b'\n' | b'\r' => out.push(b' '),
                b'\t' => out.extend_from_slice(b"\\t"),
                0x08 => out.extend_from_slice(b"\\b"),
                0x0C => out.extend_from_slice(b"\\f"),
                0..0x20 => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
                byte => out.push(byte),
            }
        }
        for _ in chunk.invalid() {
            out.extend_from_slice("\u{FFFD}".as_bytes());
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Symbol;

    #[test]
    fn names_of_any_bytes_become_text() {
        let mut profile = Profile::empty();
        profile.symbols = vec![Symbol::new(&b"a\"b\\c\n\0\t\x01\xFFd\xC3\xA4"[..])];
        let mut out = Vec::new();
        write_json(&profile, &mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "{\"a\\\"b\\\\c  \\t\\u0001\u{FFFD}d\u{e4}\":{\"ct\":0,\"wt\":0}}"
        );
    }
}
