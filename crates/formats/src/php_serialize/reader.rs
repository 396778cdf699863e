//! Reads PHP's `serialize()` format from untrusted input.
//!
//! A [`Reader`] walks over the bytes once, without copying, and with limited
//! recursion. It allocates memory only after it has checked that the input is
//! long enough to fill it.

use super::{Key, SerializeError, Value};

/// The limits of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Arrays within arrays; a profile needs two.
    pub(crate) depth: usize,
    /// Entries of all arrays together.
    pub(crate) entries: usize,
}

impl Limits {
    /// Enough for any profile: four levels, fifty million entries.
    pub(crate) const PROFILE: Self = Self {
        depth: 4,
        entries: 50_000_000,
    };
}

/// A position in the input, which only advances.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    input: &'a [u8],
    offset: usize,
    depth: usize,
    limits: Limits,
    entries_left: usize,
}

impl<'a> Reader<'a> {
    /// Begins at the first byte of `input`.
    #[must_use]
    pub(crate) fn new(input: &'a [u8], limits: Limits) -> Self {
        Self {
            input,
            offset: 0,
            depth: 0,
            limits,
            entries_left: limits.entries,
        }
    }

    /// Enters an array and returns the number of its entries. The caller must
    /// read each with [`key`](Self::key) and [`value`](Self::value) or another
    /// array, and then leave the array with [`array_end`](Self::array_end).
    ///
    /// # Errors
    ///
    /// [`SerializeError`], also for an array past the limits.
    pub(crate) fn array_start(&mut self) -> Result<usize, SerializeError> {
        let start = self.offset;
        self.kind(b'a', "an array")?;
        if self.depth >= self.limits.depth {
            return Err(SerializeError::Depth {
                limit: self.limits.depth,
                offset: start,
            });
        }
        let length_at = self.offset;
        let entries = self.length()?;
        self.expect(b':', "`:`")?;
        self.expect(b'{', "`{`")?;
        // The shortest entry, `i:0;N;`, has six bytes.
        let remaining = self.input.len() - self.offset;
        if entries > remaining / 6 {
            return Err(SerializeError::Length { offset: length_at });
        }
        self.entries_left =
            self.entries_left
                .checked_sub(entries)
                .ok_or(SerializeError::Entries {
                    limit: self.limits.entries,
                    offset: start,
                })?;
        self.depth += 1;
        Ok(entries)
    }

    /// Leaves the innermost array.
    ///
    /// # Errors
    ///
    /// [`SerializeError`] if it does not end here.
    pub(crate) fn array_end(&mut self) -> Result<(), SerializeError> {
        self.expect(b'}', "`}`")?;
        self.depth = self.depth.saturating_sub(1);
        Ok(())
    }

    /// Reads an entry's key.
    ///
    /// # Errors
    ///
    /// [`SerializeError`], also for a key that is neither an integer nor a string.
    pub(crate) fn key(&mut self) -> Result<Key<'a>, SerializeError> {
        match self.peek()? {
            b'i' => Ok(Key::Int(self.int()?)),
            b's' => Ok(Key::String(self.string()?)),
            found => Err(self.unexpected(found, "an integer or string key")),
        }
    }

    /// Whether an array comes next.
    #[must_use]
    pub(crate) fn is_at_array(&self) -> bool {
        self.input.get(self.offset) == Some(&b'a')
    }

    /// Reads a value with its contents.
    ///
    /// # Errors
    ///
    /// [`SerializeError`], with the offset of the error.
    pub(crate) fn value(&mut self) -> Result<Value<'a>, SerializeError> {
        match self.peek()? {
            b'N' => {
                self.offset += 1;
                self.expect(b';', "`;`")?;
                Ok(Value::Null)
            }
            b'b' => self.bool(),
            b'i' => Ok(Value::Int(self.int()?)),
            b'd' => self.float(),
            b's' => Ok(Value::String(self.string()?)),
            b'a' => {
                let entries = self.array_start()?;
                let mut array = Vec::with_capacity(entries);
                for _ in 0..entries {
                    array.push((self.key()?, self.value()?));
                }
                self.array_end()?;
                Ok(Value::Array(array))
            }
            kind @ (b'O' | b'C' | b'E' | b'R' | b'r') => Err(SerializeError::Forbidden {
                kind,
                offset: self.offset,
            }),
            found => Err(self.unexpected(found, "a value")),
        }
    }

    /// Checks that only white space follows: editors and `echo` add a line break, which PHP's
    /// `unserialize()` accepts.
    ///
    /// # Errors
    ///
    /// [`SerializeError::Trailing`] if there are other bytes.
    pub(crate) fn finish(&self) -> Result<(), SerializeError> {
        let rest = self.input.get(self.offset..).unwrap_or_default();
        if rest.trim_ascii().is_empty() {
            return Ok(());
        }
        Err(SerializeError::Trailing {
            offset: self.offset,
        })
    }

    fn bool(&mut self) -> Result<Value<'a>, SerializeError> {
        self.kind(b'b', "a boolean")?;
        let value = match self.peek()? {
            b'0' => false,
            b'1' => true,
            found => return Err(self.unexpected(found, "`0` or `1`")),
        };
        self.offset += 1;
        self.expect(b';', "`;`")?;
        Ok(Value::Bool(value))
    }

    fn int(&mut self) -> Result<i64, SerializeError> {
        self.kind(b'i', "an integer")?;
        let offset = self.offset;
        self.number()?
            .parse()
            .map_err(|_| SerializeError::Number { offset })
    }

    fn float(&mut self) -> Result<Value<'a>, SerializeError> {
        self.kind(b'd', "a float")?;
        let offset = self.offset;
        // PHP's and Rust's spellings of infinity and NaN differ; Rust accepts
        // more.
        let value = match self.number()? {
            "NAN" => f64::NAN,
            "INF" => f64::INFINITY,
            "-INF" => f64::NEG_INFINITY,
            number
                if number
                    .bytes()
                    .any(|byte| matches!(byte, b'n' | b'N' | b'i' | b'I')) =>
            {
                return Err(SerializeError::Number { offset });
            }
            number => number
                .parse()
                .map_err(|_| SerializeError::Number { offset })?,
        };
        Ok(Value::Float(value))
    }

    /// Reads up to the next `;`, which must be near.
    fn number(&mut self) -> Result<&'a str, SerializeError> {
        const LONGEST: usize = 64;
        let rest = self.input.get(self.offset..).unwrap_or_default();
        let near = rest.get(..LONGEST).unwrap_or(rest);
        let Some(end) = near.iter().position(|&byte| byte == b';') else {
            return Err(if near.len() < LONGEST {
                SerializeError::Truncated {
                    offset: self.input.len(),
                }
            } else {
                SerializeError::Number {
                    offset: self.offset,
                }
            });
        };
        let number = near.get(..end).unwrap_or_default();
        let number = std::str::from_utf8(number).map_err(|_| SerializeError::Number {
            offset: self.offset,
        })?;
        self.offset += end + 1;
        Ok(number)
    }

    fn string(&mut self) -> Result<&'a [u8], SerializeError> {
        self.kind(b's', "a string")?;
        let length_at = self.offset;
        let length = self.length()?;
        self.expect(b':', "`:`")?;
        self.expect(b'"', "`\"`")?;
        let end = self.offset.checked_add(length);
        let bytes = end.and_then(|end| self.input.get(self.offset..end));
        let bytes = bytes.ok_or(SerializeError::Length { offset: length_at })?;
        self.offset += length;
        self.expect(b'"', "`\"`")?;
        self.expect(b';', "`;`")?;
        Ok(bytes)
    }

    /// Reads a decimal length, up to the first other byte.
    fn length(&mut self) -> Result<usize, SerializeError> {
        let offset = self.offset;
        let mut length: usize = 0;
        while let digit @ b'0'..=b'9' = self.peek()? {
            let digit = usize::from(digit - b'0');
            let next = length
                .checked_mul(10)
                .and_then(|tens| tens.checked_add(digit));
            length = next.ok_or(SerializeError::Length { offset })?;
            self.offset += 1;
        }
        if self.offset == offset {
            let found = self.peek()?;
            return Err(self.unexpected(found, "a length"));
        }
        Ok(length)
    }

    fn kind(&mut self, kind: u8, expected: &'static str) -> Result<(), SerializeError> {
        self.expect(kind, expected)?;
        self.expect(b':', "`:`")
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), SerializeError> {
        let found = self.peek()?;
        if found != byte {
            return Err(self.unexpected(found, expected));
        }
        self.offset += 1;
        Ok(())
    }

    fn peek(&self) -> Result<u8, SerializeError> {
        let byte = self.input.get(self.offset).copied();
        byte.ok_or(SerializeError::Truncated {
            offset: self.offset,
        })
    }

    fn unexpected(&self, found: u8, expected: &'static str) -> SerializeError {
        SerializeError::Unexpected {
            found,
            expected,
            offset: self.offset,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &[u8], limits: Limits) -> Result<Value<'_>, SerializeError> {
        let mut reader = Reader::new(input, limits);
        let value = reader.value()?;
        reader.finish()?;
        Ok(value)
    }

    fn error(input: &str) -> SerializeError {
        read(input.as_bytes(), Limits::PROFILE).unwrap_err()
    }

    #[test]
    fn values_of_every_kind_are_read() {
        let input = br#"a:6:{i:0;N;i:-1;b:1;s:1:"a";i:-7;i:123;d:0.5;s:0:"";s:3:"";""#.to_vec();
        let input = [input, br#"";s:1:"x";a:0:{}}"#.to_vec()].concat();
        let value = read(&input, Limits::PROFILE).unwrap();
        assert_eq!(
            value,
            Value::Array(vec![
                (Key::Int(0), Value::Null),
                (Key::Int(-1), Value::Bool(true)),
                (Key::String(b"a"), Value::Int(-7)),
                (Key::Int(123), Value::Float(0.5)),
                (Key::String(b""), Value::String(b"\";\"")),
                (Key::String(b"x"), Value::Array(Vec::new())),
            ])
        );
    }

    #[test]
    fn objects_and_references_are_refused() {
        for (kind, input) in [
            (b'O', "a:1:{i:0;O:8:\"stdClass\":0:{}}"),
            (b'C', "a:1:{i:0;C:1:\"A\":0:{}}"),
            (b'E', "a:1:{i:0;E:3:\"A:B\";}"),
            (b'R', "a:1:{i:0;R:1;}"),
            (b'r', "a:1:{i:0;r:1;}"),
        ] {
            assert_eq!(error(input), SerializeError::Forbidden { kind, offset: 9 });
        }
    }

    #[test]
    fn lengths_are_checked_before_memory_is_asked_for() {
        assert_eq!(
            error("a:4000000000:{i:0;N;}"),
            SerializeError::Length { offset: 2 }
        );
        assert_eq!(
            error("a:99999999999999999999:{}"),
            SerializeError::Length { offset: 2 }
        );
        assert_eq!(
            error("s:18446744073709551615:\"a\";"),
            SerializeError::Length { offset: 2 }
        );
        assert_eq!(error("s:9:\"a\";"), SerializeError::Length { offset: 2 });
        assert_eq!(
            error("s::\"a\";"),
            SerializeError::Unexpected {
                found: b':',
                expected: "a length",
                offset: 2
            }
        );
    }

    #[test]
    fn arrays_past_the_limits_are_refused() {
        let deep = format!("{}N;{}", "a:1:{i:0;".repeat(5), "}".repeat(5));
        assert_eq!(
            error(&deep),
            SerializeError::Depth {
                limit: 4,
                offset: 36
            }
        );
        let limits = Limits {
            depth: 4,
            entries: 2,
        };
        let many = read(b"a:1:{i:0;a:2:{i:0;N;i:1;N;}}", limits);
        assert_eq!(
            many,
            Err(SerializeError::Entries {
                limit: 2,
                offset: 9
            })
        );
    }

    #[test]
    fn an_endless_number_is_refused_without_reading_all_of_it() {
        assert_eq!(
            error(&format!("i:{}", "1".repeat(10_000))),
            SerializeError::Number { offset: 2 }
        );
        assert_eq!(
            error("i:9223372036854775808;"),
            SerializeError::Number { offset: 2 }
        );
        assert_eq!(error("d:infinity;"), SerializeError::Number { offset: 2 });
    }

    #[test]
    fn only_white_space_may_follow_the_value() {
        for end in ["\n", " \r\n"] {
            read(format!("i:1;{end}").as_bytes(), Limits::PROFILE).unwrap();
        }
        for end in ["\ni:1;", "x", "\0"] {
            let input = format!("i:1;{end}");
            assert_eq!(error(&input), SerializeError::Trailing { offset: 4 });
        }
    }

    #[test]
    fn every_prefix_of_a_value_is_truncated() {
        let whole = r#"a:2:{s:3:"a;b";d:1.5;i:2;b:0;}"#;
        read(whole.as_bytes(), Limits::PROFILE).unwrap();
        for end in 0..whole.len() {
            let error = error(whole.get(..end).unwrap());
            // A string or an array fails earlier, because it cannot fit.
            assert!(
                matches!(error, SerializeError::Truncated { offset } if offset == end)
                    || matches!(error, SerializeError::Length { .. }),
                "{end}: {error:?}"
            );
        }
    }

    #[test]
    fn messages_name_the_place() {
        assert_eq!(
            error("x").to_string(),
            "expected a value at byte 0, but found `x`"
        );
        assert_eq!(
            error("O:1:").to_string(),
            "objects and references are refused: `O:` at byte 0"
        );
    }
}
