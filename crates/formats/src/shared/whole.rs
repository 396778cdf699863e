//! Reads a whole input, for formats that cannot be read as a stream.

use std::io::BufRead;

use profile::{Budget, OverBudget};

use crate::ReadError;

/// The noun in the budget's error message.
const UNPACKED: &str = "unpacked bytes";

/// The maximum length of a text in JSON, in bytes. A parser copies texts, and a
/// packed file of a few kilobytes can hold a text of any length.
const MAX_TEXT: usize = 16 << 20;

/// Reads all of an input, for a format that cannot be read as a stream.
pub(crate) fn whole(input: &mut dyn BufRead, budget: &Budget) -> Result<Vec<u8>, ReadError> {
    all(input, budget, |_| Ok(()))
}

/// As [`whole`], for JSON: a long text is refused before it is in memory.
/// `format` is the name in the error message.
pub(crate) fn whole_json(
    input: &mut dyn BufRead,
    format: &'static str,
    budget: &Budget,
) -> Result<Vec<u8>, ReadError> {
    let mut texts = Texts::default();
    let mut offset = 0_u64;
    all(input, budget, |part| {
        offset += part.len() as u64;
        texts.add(part);
        if texts.length > MAX_TEXT {
            return Err(ReadError::Offset {
                format,
                offset,
                reason: format!("a text of more than {} MiB", MAX_TEXT >> 20),
            });
        }
        Ok(())
    })
}

/// The error of an exceeded budget. If an input of `length` bytes takes most of
/// it, the error names the input, whatever came last.
pub(crate) fn check(budget: &Budget, length: usize) -> Result<(), OverBudget> {
    budget.check().map_err(|error| OverBudget {
        // Reading may use half of the limit.
        what: if length as u64 > error.limit / 4 {
            UNPACKED
        } else {
            error.what
        },
        ..error
    })
}

fn all(
    input: &mut dyn BufRead,
    budget: &Budget,
    mut check: impl FnMut(&[u8]) -> Result<(), ReadError>,
) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    loop {
        let part = input.fill_buf()?;
        let length = part.len();
        if length == 0 {
            return Ok(bytes);
        }
        check(part)?;
        budget.room_for(&mut bytes, length, UNPACKED)?;
        bytes.extend_from_slice(part);
        input.consume(length);
    }
}

/// The longest text of JSON that comes in parts.
#[derive(Debug, Default)]
struct Texts {
    is_in_text: bool,
    is_escaped: bool,
    /// The length of the current text.
    current: usize,
    /// The length of the longest one.
    length: usize,
}

impl Texts {
    fn add(&mut self, part: &[u8]) {
        let mut rest = part;
        while let Some((&byte, after)) = rest.split_first() {
            if !self.is_in_text {
                let next = rest.iter().position(|&byte| byte == b'"');
                let Some(next) = next else { return };
                rest = rest.get(next + 1..).unwrap_or_default();
                (self.is_in_text, self.current) = (true, 0);
            } else if self.is_escaped || byte == b'\\' {
                self.is_escaped = !self.is_escaped;
                self.current += 1;
                rest = after;
            } else {
                let ends = |&byte: &u8| matches!(byte, b'"' | b'\\');
                let plain = rest.iter().position(ends).unwrap_or(rest.len());
                self.current += plain;
                rest = rest.get(plain..).unwrap_or_default();
                if let Some((b'"', after)) = rest.split_first() {
                    self.is_in_text = false;
                    rest = after;
                }
            }
            self.length = self.length.max(self.current);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    #[test]
    fn the_longest_text_is_found_however_the_input_is_cut() {
        let json = br#"{"ab":["\\","abc\"d\\",1,""],"e":"fg"} "x"#;
        for size in 1..json.len() {
            let mut texts = Texts::default();
            for part in json.chunks(size) {
                texts.add(part);
            }
            assert_eq!(texts.length, br#"abc\"d\\"#.len(), "{size}");
            assert!(texts.is_in_text);
        }
    }

    #[test]
    fn an_input_that_takes_most_of_the_memory_is_named() {
        let budget = Budget::new(1 << 20);
        assert!(budget.take(600 << 10, "names").is_err());
        let what = |length| check(&budget, length).unwrap_err().what;
        assert_eq!(what(200 << 10), "names");
        assert_eq!(what(300 << 10), UNPACKED);
    }

    #[test]
    fn a_long_text_is_refused_before_it_is_in_memory() {
        let json = |size: usize| [&b"[\""[..], &vec![b'a'; size], b"\"]"].concat();
        let budget = Budget::new(100 << 20);
        let read = |json: &[u8]| whole_json(&mut BufReader::new(json), "test", &budget);
        let error = read(&json(60 << 20)).unwrap_err().to_string();
        assert!(error.contains("a text of more than 16 MiB"), "{error}");
        assert_eq!(read(&json(MAX_TEXT)).unwrap().len(), MAX_TEXT + 4);
    }
}
