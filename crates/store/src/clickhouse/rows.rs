//! `RowBinary`, ClickHouse's plain form of rows: fixed numbers in little-endian
//! order, and a length before texts and arrays.

use crate::{Error, Result};

/// Rows to insert.
#[derive(Debug, Default)]
pub(super) struct RowWriter {
    pub(super) bytes: Vec<u8>,
}

macro_rules! numbers {
    ($($name:ident),*) => { $(
        pub(super) fn $name(&mut self, value: $name) -> &mut Self {
            self.bytes.extend_from_slice(&value.to_le_bytes());
            self
        }
    )* };
}

impl RowWriter {
    numbers!(u8, i8, u32, u64, i64, f64);

    /// The number of an array's elements, which follow.
    pub(super) fn length(&mut self, length: usize) -> &mut Self {
        let mut rest = length as u64;
        while rest >= 0x80 {
            self.bytes.push(rest.to_le_bytes()[0] | 0x80);
            rest >>= 7;
        }
        self.bytes.push(rest.to_le_bytes()[0]);
        self
    }

    pub(super) fn text(&mut self, text: impl AsRef<[u8]>) -> &mut Self {
        self.length(text.as_ref().len());
        self.fixed(text)
    }

    /// A text of a fixed length.
    pub(super) fn fixed(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.bytes.extend_from_slice(bytes.as_ref());
        self
    }
}

/// Rows of an answer.
#[derive(Debug)]
pub(super) struct RowReader<'a> {
    rest: &'a [u8],
}

macro_rules! read_numbers {
    ($($name:ident),*) => { $(
        pub(super) fn $name(&mut self) -> Result<$name> {
            Ok($name::from_le_bytes(self.fixed()?))
        }
    )* };
}

impl<'a> RowReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Whether another row follows.
    pub(super) fn has_more(&self) -> bool {
        !self.rest.is_empty()
    }

    read_numbers!(u8, i8, u32, u64, i64, f64);

    pub(super) fn fixed<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (bytes, rest) = self.rest.split_first_chunk::<N>().ok_or_else(ended)?;
        self.rest = rest;
        Ok(*bytes)
    }

    pub(super) fn length(&mut self) -> Result<usize> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let [byte] = self.fixed()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return usize::try_from(value).map_err(|_| ended());
            }
        }
        Err(ended())
    }

    pub(super) fn bytes(&mut self) -> Result<&'a [u8]> {
        let length = self.length()?;
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or_else(ended)?;
        self.rest = rest;
        Ok(bytes)
    }

    pub(super) fn text(&mut self) -> Result<String> {
        Ok(String::from_utf8_lossy(self.bytes()?).into_owned())
    }

    /// An array.
    pub(super) fn list<T>(
        &mut self,
        mut element: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let length = self.length()?;
        // An element has at least a byte.
        let mut list = Vec::with_capacity(length.min(self.rest.len()));
        for _ in 0..length {
            list.push(element(self)?);
        }
        Ok(list)
    }
}

fn ended() -> Error {
    Error::Damaged("an answer of ClickHouse ended early".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_they_were_written() {
        let mut rows = RowWriter::default();
        rows.u8(7)
            .i64(-3)
            .text("é".repeat(200))
            .length(2)
            .f64(0.5)
            .f64(1.5);
        let mut answer = RowReader::new(&rows.bytes);
        assert_eq!((answer.u8().unwrap(), answer.i64().unwrap()), (7, -3));
        assert_eq!(answer.text().unwrap().len(), 400);
        assert_eq!(answer.list(RowReader::f64).unwrap(), [0.5, 1.5]);
        assert!(!answer.has_more());
        let mut cut = RowReader::new(&rows.bytes[..50]);
        assert!(cut.fixed::<9>().is_ok() && cut.text().is_err());
        assert!(RowReader::new(&[0xFF; 10]).bytes().is_err());
    }
}
