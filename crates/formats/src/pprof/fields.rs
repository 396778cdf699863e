//! Reads fields of a protocol buffer: of a whole input, block by block, or of
//! one message.
//!
//! **Invariant:** a message is borrowed from the block; a longer one is copied,
//! within the budget. A length in the file never decides the allocation: memory
//! grows with the bytes that were read.

use std::io::BufRead;

use profile::Budget;

use crate::ReadError;

/// The maximum length of a field, in bytes: 64 MiB. A sample with its stack is
/// one field.
const MAX_FIELD: u64 = 64 << 20;

const BLOCK: usize = 64 << 10;

/// The maximum length of a number, in bytes.
const MAX_NUMBER: usize = 10;

const ENDS_EARLY: &str = "it ends early";

/// The content of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value<'f> {
    /// A number of wire type 0.
    Number(u64),
    /// Text, a message, or packed numbers.
    Bytes(&'f [u8]),
    /// A number of fixed length, which no used field has.
    Fixed,
}

/// The fields of a whole input.
pub(super) struct Input<'i> {
    input: &'i mut dyn BufRead,
    format: &'static str,
    budget: Budget,
    block: Vec<u8>,
    start: usize,
    end: usize,
    /// The number of bytes before `start`.
    offset: u64,
    /// The beginning of the current field.
    field: u64,
    long: Vec<u8>,
}

impl<'i> Input<'i> {
    pub(super) fn new(format: &'static str, input: &'i mut dyn BufRead, budget: &Budget) -> Self {
        Self {
            input,
            format,
            budget: budget.clone(),
            block: vec![0; BLOCK],
            start: 0,
            end: 0,
            offset: 0,
            field: 0,
            long: Vec::new(),
        }
    }

    /// The number of bytes that were read.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// The error for a broken field: the last one read.
    pub(super) fn broken(&self, reason: impl Into<String>) -> ReadError {
        ReadError::Offset {
            format: self.format,
            offset: self.field,
            reason: reason.into(),
        }
    }

    /// The next field's number and what it holds; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<(u32, Value<'_>)>, ReadError> {
        self.field = self.offset;
        let Some(key) = self.number()? else {
            return Ok(None);
        };
        let field = u32::try_from(key >> 3);
        let field = field.map_err(|_| self.broken("invalid field number"))?;
        let value = match key & 7 {
            0 => Value::Number(self.number()?.ok_or_else(|| self.broken(ENDS_EARLY))?),
            1 => {
                self.bytes(8)?;
                Value::Fixed
            }
            2 => {
                let length = self.number()?.ok_or_else(|| self.broken(ENDS_EARLY))?;
                if length > MAX_FIELD {
                    return Err(self.broken("a field of more than 64 MiB"));
                }
                Value::Bytes(self.bytes(usize::try_from(length).unwrap_or(usize::MAX))?)
            }
            5 => {
                self.bytes(4)?;
                Value::Fixed
            }
            _ => return Err(self.broken("a field of an unknown type")),
        };
        Ok(Some((field, value)))
    }

    /// How many times the field that was read last repeats, byte for byte.
    /// Skips the repetitions. Those in the next block are not found.
    pub(super) fn repeats(&mut self) -> u64 {
        let length = usize::try_from(self.offset - self.field).unwrap_or(usize::MAX);
        // After a refill the block no longer contains it.
        let Some(begin) = self.start.checked_sub(length).filter(|_| length > 0) else {
            return 0;
        };
        let there = &self.block[begin..self.end];
        let next = &there[length..];
        let pairs = there.iter().zip(next);
        let times = pairs.take_while(|(one, other)| one == other).count() / length;
        self.advance(times * length);
        times as u64
    }

    #[inline]
    fn number(&mut self) -> Result<Option<u64>, ReadError> {
        if self.end - self.start < MAX_NUMBER {
            self.fill()?;
        }
        let mut rest = &self.block[self.start..self.end];
        if rest.is_empty() {
            return Ok(None);
        }
        let there = rest.len();
        let Some(number) = varint(&mut rest) else {
            return Err(self.broken(if there < MAX_NUMBER {
                ENDS_EARLY
            } else {
                "a number that is too long"
            }));
        };
        self.advance(there - rest.len());
        Ok(Some(number))
    }

    fn advance(&mut self, count: usize) {
        self.start += count;
        self.offset += count as u64;
    }

    /// This many bytes: from the block, or copied while reading.
    fn bytes(&mut self, length: usize) -> Result<&[u8], ReadError> {
        if self.end - self.start < length && length <= BLOCK {
            self.fill()?;
        }
        if self.end - self.start >= length {
            let start = self.start;
            self.advance(length);
            return Ok(&self.block[start..start + length]);
        }
        self.long.clear();
        while self.long.len() < length {
            if self.start == self.end {
                self.fill()?;
            }
            let there = &self.block[self.start..self.end];
            let there = there.get(..length - self.long.len()).unwrap_or(there);
            let count = there.len();
            if count == 0 {
                return Err(self.broken(ENDS_EARLY));
            }
            self.budget
                .room_for(&mut self.long, count, "unpacked bytes")?;
            self.long.extend_from_slice(there);
            self.advance(count);
        }
        Ok(&self.long)
    }

    /// Refills the block after its unread part.
    #[cold]
    fn fill(&mut self) -> Result<(), ReadError> {
        self.block.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        while let Some(free) = self.block.get_mut(self.end..)
            && !free.is_empty()
        {
            let count = self.input.read(free)?;
            if count == 0 {
                break;
            }
            self.end += count;
        }
        Ok(())
    }
}

/// The fields of one message.
pub(super) struct Message<'m>(pub(super) &'m [u8]);

impl<'m> Iterator for Message<'m> {
    type Item = Result<(u64, Value<'m>), &'static str>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        Some(field(&mut self.0).ok_or("a message is incomplete or invalid"))
    }
}

fn field<'m>(rest: &mut &'m [u8]) -> Option<(u64, Value<'m>)> {
    let key = varint(rest)?;
    let value = match key & 7 {
        0 => Value::Number(varint(rest)?),
        2 => {
            let length = usize::try_from(varint(rest)?).ok()?;
            Value::Bytes(take(rest, length)?)
        }
        1 => take(rest, 8).map(|_| Value::Fixed)?,
        5 => take(rest, 4).map(|_| Value::Fixed)?,
        _ => return None,
    };
    Some((key >> 3, value))
}

fn take<'m>(rest: &mut &'m [u8], length: usize) -> Option<&'m [u8]> {
    let (bytes, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(bytes)
}

/// The number at the beginning of `rest`, which advances past it.
#[inline]
pub(super) fn varint(rest: &mut &[u8]) -> Option<u64> {
    let (&first, after) = rest.split_first()?;
    if first < 0x80 {
        *rest = after;
        return Some(u64::from(first));
    }
    let mut number = u64::from(first & 0x7f);
    for (place, &byte) in after.iter().take(MAX_NUMBER - 1).enumerate() {
        number |= u64::from(byte & 0x7f) << (7 * (place + 1));
        if byte < 0x80 {
            *rest = &after[place + 1..];
            return Some(number);
        }
    }
    None
}

/// The number of packed numbers in `bytes`.
pub(super) fn count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte < 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(mut bytes: &[u8]) -> Result<Vec<(u32, Vec<u8>)>, String> {
        let budget = Budget::unlimited();
        let mut input = Input::new("test", &mut bytes, &budget);
        let mut all = Vec::new();
        while let Some((number, value)) = input.next().map_err(|error| error.to_string())? {
            all.push(match value {
                Value::Number(value) => (number, value.to_le_bytes().to_vec()),
                Value::Bytes(bytes) => (number, bytes.to_vec()),
                Value::Fixed => (number, Vec::new()),
            });
        }
        Ok(all)
    }

    #[test]
    fn fields_of_any_length_are_given_whole() {
        for length in [0, 1, 127, 128, BLOCK - 3, BLOCK, BLOCK + 1, 3 * BLOCK + 7] {
            let mut bytes = Vec::new();
            for number in [1_u8, 2, 3] {
                bytes.push(number << 3 | 2);
                let mut left = length;
                while left >= 0x80 {
                    bytes.push(u8::try_from(left & 0x7f).unwrap() | 0x80);
                    left >>= 7;
                }
                bytes.push(u8::try_from(left).unwrap());
                bytes.extend(vec![number; length]);
            }
            let expected: Vec<_> = [1_u8, 2, 3]
                .map(|number| (u32::from(number), vec![number; length]))
                .into();
            assert_eq!(fields(&bytes).unwrap(), expected, "{length}");
            for end in [bytes.len() - 1, bytes.len() / 3 + 1] {
                assert!(fields(&bytes[..end]).is_err() || length == 0, "{length}");
            }
        }
    }

    #[test]
    fn a_field_that_is_repeated_is_read_once() {
        let mut bytes = [&[8, 5, 18, 1, 7][..], &[18, 1, 7].repeat(50_000), &[18, 1]].concat();
        bytes.extend([9, 18, 1, 9]);
        let (mut times, mut reads) = (0, 0);
        let budget = Budget::unlimited();
        let mut input = &bytes[..];
        let mut input = Input::new("test", &mut input, &budget);
        let mut last = Vec::new();
        while let Some((number, value)) = input.next().unwrap() {
            reads += 1;
            if let Value::Bytes(message) = value {
                assert_eq!(number, 2);
                last = message.to_vec();
            }
            times += 1 + input.repeats();
        }
        assert_eq!((times, last), (50_004, vec![9]));
        assert!(reads < 20, "{reads}");
        assert_eq!(input.offset(), bytes.len() as u64);
    }

    #[test]
    fn numbers_come_in_all_lengths_and_no_longer() {
        let expected = vec![(1, u64::MAX.to_le_bytes().to_vec())];
        let longest = [8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
        assert_eq!(fields(&longest).unwrap(), expected);
        assert!(fields(&[0xff; 20]).unwrap_err().contains("too long"));
        assert!(fields(&[8, 0xff]).unwrap_err().contains("ends early"));
        assert!(fields(&[0x0b]).unwrap_err().contains("unknown type"));
        // A length of 60 MiB without data.
        let claim = [10, 0x80, 0x80, 0x80, 0x1e];
        assert!(fields(&claim).unwrap_err().contains("ends early"));
        let claim = [10, 0xff, 0xff, 0xff, 0xff, 0x7f];
        assert!(fields(&claim).unwrap_err().contains("64 MiB"));
    }

    #[test]
    fn fields_of_a_message_are_those_of_an_input() {
        let bytes = [8, 5, 18, 2, 7, 8, 0x1d, 0, 0, 0, 0];
        let all: Vec<_> = Message(&bytes).map(Result::unwrap).collect();
        assert_eq!(
            all,
            [
                (1, Value::Number(5)),
                (2, Value::Bytes(&[7, 8])),
                (3, Value::Fixed)
            ]
        );
        assert!(Message(&bytes[..10]).any(|field| field.is_err()));
        assert_eq!(count(&[1, 0x80, 1, 0]), 3);
    }
}
