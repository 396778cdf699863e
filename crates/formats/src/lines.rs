//! Lines of an input, fast: whole blocks are read, and lines are slices of
//! them.
//!
//! **Invariant:** memory is one block and the longest line, which has a limit.

use std::io::BufRead;

use crate::ReadError;

/// The longest line that is taken, in bytes.
pub(crate) const MAX_LINE: usize = 1 << 20;

const BLOCK: usize = 256 << 10;

/// Gives one line after the other.
pub(crate) struct Lines<'i> {
    input: &'i mut dyn BufRead,
    format: &'static str,
    block: Vec<u8>,
    /// What of the block has been given.
    start: usize,
    /// What of the block has been read.
    end: usize,
    is_at_end: bool,
    number: u64,
}

impl<'i> Lines<'i> {
    /// The lines of an input; `format` is for what is said of errors.
    pub(crate) fn new(input: &'i mut dyn BufRead, format: &'static str) -> Self {
        Self {
            input,
            format,
            block: vec![0; BLOCK],
            start: 0,
            end: 0,
            is_at_end: false,
            number: 0,
        }
    }

    /// The number of the line given last, from 1.
    #[cfg(test)]
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The error that the line given last is broken.
    pub(crate) fn error(&self, reason: impl Into<String>) -> ReadError {
        ReadError::Line {
            format: self.format,
            line: self.number,
            reason: reason.into(),
        }
    }

    /// The next line, without what ends it (LF or CR LF).
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>, ReadError> {
        let rest = self.block.get(self.start..self.end).unwrap_or_default();
        let length = match line_end(rest) {
            Some(length) => length,
            None => match self.find_end()? {
                Some(length) => length,
                None => return Ok(None),
            },
        };
        self.number += 1;
        let rest = self.block.get(self.start..self.end).unwrap_or_default();
        let line = rest.get(..length).unwrap_or_default();
        self.start = (self.start + length + 1).min(self.end);
        Ok(Some(match line {
            [line @ .., b'\r'] => line,
            line => line,
        }))
    }

    /// The length of a line that does not end in the block; none at the end.
    #[cold]
    fn find_end(&mut self) -> Result<Option<usize>, ReadError> {
        let mut searched = self.end - self.start;
        while !self.is_at_end {
            if searched > MAX_LINE {
                self.number += 1;
                return Err(self.error("the line is longer than a mebibyte"));
            }
            self.fill()?;
            let rest = self.block.get(self.start..self.end).unwrap_or_default();
            if let Some(at) = line_end(rest.get(searched..).unwrap_or_default()) {
                return Ok(Some(searched + at));
            }
            searched = rest.len();
        }
        Ok((searched > 0).then_some(searched))
    }

    /// Reads more behind what is left of the block.
    fn fill(&mut self) -> Result<(), ReadError> {
        self.block.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.end == self.block.len() {
            self.block.resize(self.block.len() * 2, 0);
        }
        while let Some(free) = self.block.get_mut(self.end..)
            && !free.is_empty()
        {
            let count = self.input.read(free)?;
            self.end += count;
            if count == 0 {
                self.is_at_end = true;
                break;
            }
        }
        Ok(())
    }
}

/// Where the first LF is. Most lines are shorter than what it takes to begin a
/// search with vectors, so the first bytes are looked at eight at a time.
#[inline]
fn line_end(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let (words, _) = bytes.as_chunks::<8>();
    let mut skipped = 0;
    for word in words.iter().take(4) {
        // A byte that is LF becomes zero, and the lowest zero is found by what
        // subtracting one from it carries into its highest bit.
        let word = u64::from_le_bytes(*word) ^ (ONES * 10);
        let zeros = word.wrapping_sub(ONES) & !word & (ONES << 7);
        if zeros != 0 {
            return Some(skipped + zeros.trailing_zeros() as usize / 8);
        }
        skipped += 8;
    }
    Some(skipped + memchr::memchr(b'\n', bytes.get(skipped..)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &[u8]) -> Vec<Vec<u8>> {
        let mut input = input;
        let mut lines = Lines::new(&mut input, "test");
        let mut all = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            all.push(line.to_vec());
        }
        assert_eq!(lines.number(), all.len() as u64);
        all
    }

    #[test]
    fn lines_end_in_lf_or_cr_lf_or_not_at_all() {
        assert_eq!(lines(b"a\nb\r\n\nc"), [&b"a"[..], b"b", b"", b"c"]);
        assert_eq!(lines(b""), [b""; 0]);
        assert_eq!(lines(b"\n"), [b""]);
    }

    #[test]
    fn a_line_end_is_found_wherever_it_is() {
        for length in 0..80 {
            for end in 0..length {
                let mut bytes = vec![b'\x0b'; length];
                bytes[end] = b'\n';
                bytes[length - 1] = b'\n';
                assert_eq!(line_end(&bytes), Some(end));
            }
            assert_eq!(line_end(&vec![0x8a; length]), None);
        }
    }

    #[test]
    fn lines_go_over_the_borders_of_blocks() {
        let line = vec![b'x'; BLOCK / 3 + 7];
        let whole = [line.as_slice(); 20].join(&b'\n');
        assert_eq!(lines(&whole), vec![line; 20]);
        assert_eq!(lines(&vec![b'x'; BLOCK * 3]).len(), 1);
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut input = &vec![b'x'; MAX_LINE * 3][..];
        let mut lines = Lines::new(&mut input, "test");
        let error = lines.next().unwrap_err();
        assert_eq!(
            error.to_string(),
            "broken test, line 1: the line is longer than a mebibyte"
        );
    }
}
