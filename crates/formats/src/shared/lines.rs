//! Splits an input into lines: reads whole blocks, and returns lines as slices
//! of them.
//!
//! **Invariant:** memory is one block and the longest line, which has a maximum
//! length.

use std::io::BufRead;

use crate::ReadError;

/// The maximum length of a line, in bytes.
pub(crate) const MAX_LINE: usize = 1 << 20;

const BLOCK: usize = 256 << 10;

/// How many bytes are searched at once: one bit each.
const CHUNK: usize = 64;

/// Returns one line after another.
pub(crate) struct Lines<'i> {
    input: &'i mut dyn BufRead,
    format: &'static str,
    /// The block, with some bytes more than are ever read, so that chunks are
    /// whole.
    block: Vec<u8>,
    /// The end of the part that was returned.
    start: usize,
    /// The end of the part that was searched.
    searched: usize,
    /// The end of the part that was read.
    end: usize,
    /// The line ends found in the last chunk that were not returned yet.
    found: u64,
    /// The beginning of that chunk.
    chunk: usize,
    is_at_end: bool,
    number: u64,
}

impl<'i> Lines<'i> {
    /// The lines of an input; `format` is the name in error messages.
    pub(crate) fn new(input: &'i mut dyn BufRead, format: &'static str) -> Self {
        Self {
            input,
            format,
            block: vec![0; BLOCK + CHUNK],
            start: 0,
            searched: 0,
            end: 0,
            found: 0,
            chunk: 0,
            is_at_end: false,
            number: 0,
        }
    }

    /// The number of the last returned line, from 1.
    #[cfg(test)]
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The error for a broken line: the last returned one.
    pub(crate) fn error(&self, reason: impl Into<String>) -> ReadError {
        ReadError::Line {
            format: self.format,
            line: self.number,
            reason: reason.into(),
        }
    }

    /// The next line, without its end (LF or CR LF).
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>, ReadError> {
        while self.found == 0 {
            if self.searched < self.end {
                self.search();
            } else if !self.is_at_end {
                self.fill()?;
            } else if self.start < self.end {
                return Ok(Some(self.give(self.end)));
            } else {
                return Ok(None);
            }
        }
        let end = self.chunk + self.found.trailing_zeros() as usize;
        self.found &= self.found - 1;
        Ok(Some(self.give(end)))
    }

    #[inline]
    fn give(&mut self, end: usize) -> &[u8] {
        let start = std::mem::replace(&mut self.start, (end + 1).min(self.end));
        self.number += 1;
        match &self.block[start..end] {
            [line @ .., b'\r'] => line,
            line => line,
        }
    }

    /// Finds the line ends of the next chunk.
    #[inline]
    fn search(&mut self) {
        let chunk = self.block.get(self.searched..);
        let found = chunk
            .and_then(|rest| rest.first_chunk())
            .map_or(0, line_ends);
        let length = (self.end - self.searched).min(CHUNK);
        // Bytes after the end are left over from earlier blocks.
        let there = u64::MAX >> (CHUNK - length);
        self.found = found & there;
        self.chunk = self.searched;
        self.searched += length;
    }

    /// Reads more bytes after the rest of the block.
    #[cold]
    fn fill(&mut self) -> Result<(), ReadError> {
        self.block.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.searched = self.end;
        self.start = 0;
        if self.end > MAX_LINE {
            self.number += 1;
            return Err(self.error("the line is longer than a mebibyte"));
        }
        if self.end + CHUNK == self.block.len() {
            self.block.resize(self.end * 2 + CHUNK, 0);
        }
        let room = self.block.len() - CHUNK;
        while let Some(free) = self.block.get_mut(self.end..room)
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

/// A bit for each byte that is LF. Lines are short: a search for one line end
/// at a time would mispredict most branches.
#[inline]
fn line_ends(chunk: &[u8; CHUNK]) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let (words, _) = chunk.as_chunks::<8>();
    let mut bits = 0;
    for word in words.iter().rev() {
        let word = u64::from_le_bytes(*word) ^ 0x0a0a_0a0a_0a0a_0a0a;
        // The highest bit of each byte that is zero now, then those eight bits
        // packed together.
        let zeros = !(((word & LOW) + LOW) | word | LOW);
        bits = bits << 8 | (zeros >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    }
    bits
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
    fn every_line_end_of_a_chunk_is_found_and_nothing_else() {
        for filler in [0, 0x0b, 0x8a, 0x09, 0x0d, 0xff, 0x80] {
            for bits in [0, 1, 1 << 63, u64::MAX, 0x8421_0000_f00f_8001] {
                let byte = |at: usize| if bits >> at & 1 == 1 { b'\n' } else { filler };
                let chunk: [u8; CHUNK] = std::array::from_fn(byte);
                assert_eq!(line_ends(&chunk), bits, "{filler}");
            }
        }
    }

    #[test]
    fn lines_of_any_length_are_given_whole() {
        for length in 0..200 {
            let line = vec![b'x'; length];
            let whole = [line.as_slice(); 7].join(&b'\n');
            let count = if length == 0 { 6 } else { 7 };
            assert_eq!(lines(&whole), vec![line; count]);
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
