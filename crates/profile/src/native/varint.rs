//! Numbers in as few bytes as they need: LEB128, seven bits a byte, the lowest
//! first; signed ones in zigzag, so that small ones are short.

use super::Error;

/// The maximum length of a number, in bytes.
pub(super) const MAX: usize = 10;

/// Appends a number.
#[inline]
pub(super) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(low_bits(value) | 0x80);
        value >>= 7;
    }
    out.push(low_bits(value));
}

#[inline]
fn low_bits(value: u64) -> u8 {
    (value & 0x7F) as u8
}

/// Appends a signed number.
#[inline]
pub(super) fn put_signed(out: &mut Vec<u8>, value: i64) {
    put(out, zigzag(value));
}

/// Appends bytes, preceded by their length.
pub(super) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// 0, −1, 1, −2 … as 0, 1, 2, 3 …
#[inline]
pub(super) fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63).cast_unsigned()
}

#[inline]
pub(super) fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

/// Reads numbers and bytes, and tracks the offset in the file.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    rest: &'a [u8],
    /// The offset of the end of `rest`.
    end: u64,
}

impl<'a> Cursor<'a> {
    /// Reads bytes that begin at `offset` of the file.
    pub(super) fn new(bytes: &'a [u8], offset: u64) -> Self {
        Self {
            rest: bytes,
            end: offset + bytes.len() as u64,
        }
    }

    /// The offset of the next byte.
    pub(super) fn offset(&self) -> u64 {
        self.end - self.rest.len() as u64
    }

    /// The number of bytes left.
    pub(super) fn len(&self) -> usize {
        self.rest.len()
    }

    /// The bytes that are left.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The error at the current offset.
    pub(super) fn broken(&self, reason: &'static str) -> Error {
        Error::Broken {
            offset: self.offset(),
            reason,
        }
    }

    #[inline]
    pub(super) fn byte(&mut self) -> Result<u8, Error> {
        let Some((&byte, rest)) = self.rest.split_first() else {
            return Err(self.broken("the section ends too early"));
        };
        self.rest = rest;
        Ok(byte)
    }

    /// A number.
    #[inline]
    pub(super) fn number(&mut self) -> Result<u64, Error> {
        let byte = self.byte()?;
        if byte < 0x80 {
            return Ok(u64::from(byte));
        }
        self.long_number(byte)
    }

    fn long_number(&mut self, first: u8) -> Result<u64, Error> {
        let mut value = u64::from(first & 0x7F);
        for shift in (7..64).step_by(7) {
            let byte = self.byte()?;
            if shift == 63 && byte > 1 {
                break;
            }
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(self.broken("a number of more than 64 bits"))
    }

    /// A number of at most 32 bits.
    #[inline]
    pub(super) fn number_32(&mut self) -> Result<u32, Error> {
        let number = self.number()?;
        u32::try_from(number).map_err(|_| self.broken("a number of more than 32 bits"))
    }

    /// A signed number.
    #[inline]
    pub(super) fn signed(&mut self) -> Result<i64, Error> {
        self.number().map(unzigzag)
    }

    /// The number of the following items, which take at least one byte each.
    pub(super) fn count(&mut self) -> Result<usize, Error> {
        let count = self.number()?;
        match usize::try_from(count) {
            Ok(count) if count <= self.rest.len() => Ok(count),
            _ => Err(self.broken("a count of more than can follow")),
        }
    }

    /// This many bytes.
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let Some((bytes, rest)) = self.rest.split_at_checked(count) else {
            return Err(self.broken("the section ends too early"));
        };
        self.rest = rest;
        Ok(bytes)
    }

    /// Bytes, preceded by their length.
    pub(super) fn bytes(&mut self) -> Result<&'a [u8], Error> {
        let count = self.count()?;
        self.take(count)
    }

    /// Checks that no bytes are left.
    pub(super) fn finish(self) -> Result<(), Error> {
        if self.rest.is_empty() {
            return Ok(());
        }
        Err(self.broken("more bytes than the section has use for"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_length_read_back() {
        let numbers = (0..64).flat_map(|bit| [(1_u64 << bit) - 1, 1 << bit, u64::MAX >> bit]);
        for number in numbers {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            put_signed(&mut bytes, number.cast_signed());
            let mut cursor = Cursor::new(&bytes, 0);
            assert_eq!(cursor.number().unwrap(), number);
            assert_eq!(cursor.signed().unwrap(), number.cast_signed());
            cursor.finish().unwrap();
        }
    }

    #[test]
    fn numbers_without_end_or_beyond_64_bits_are_refused() {
        for bytes in [&[0x80; 5][..], &[0x80; 11], &[0xFF; 10]] {
            assert!(Cursor::new(bytes, 0).number().is_err(), "{bytes:?}");
        }
        let largest = [&[0xFF; 9][..], &[1]].concat();
        assert_eq!(Cursor::new(&largest, 0).number().unwrap(), u64::MAX);
    }
}
