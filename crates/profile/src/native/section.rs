//! Sections: the structure of a file after its first ten bytes.
//!
//! A section is a kind, a length, a payload and a checksum. The checksum covers
//! everything from the beginning of the file except other checksums, so that a
//! missing, duplicated or moved section is detected as well as a changed one.

use std::io::Read;

use super::crc::Crc32;
use super::varint::Cursor;
use super::{Error, MAGIC, MAJOR};
use crate::Budget;
use crate::table::part;

/// The kinds of sections.
pub(super) mod kind {
    /// The kind of body, and the measured costs: the first section.
    pub(crate) const PROFILE: u8 = b'P';
    pub(crate) const META: u8 = b'M';
    pub(crate) const SYMBOLS: u8 = b'S';
    pub(crate) const EDGES: u8 = b'E';
    pub(crate) const TREE: u8 = b'T';
    pub(crate) const STACKS: u8 = b'K';
    pub(crate) const SAMPLES: u8 = b'A';
    /// The lines of the samples' stacks.
    pub(crate) const LINES: u8 = b'N';
    /// The costs of lines, beside edges, trees and events.
    pub(crate) const COSTS_OF_LINES: u8 = b'B';
    pub(crate) const CALLS: u8 = b'C';
    /// The lines of the calls that follow.
    pub(crate) const LINES_OF_CALLS: u8 = b'G';
    /// The values of the clocks at the end of the calls.
    pub(crate) const LAST: u8 = b'L';
    /// The spans.
    pub(crate) const SPANS: u8 = b'X';
    /// The end of a complete file; empty.
    pub(crate) const END: u8 = b'Z';
}

/// The bytes of a section without its payload: kind, length, checksum.
const FRAME: usize = 5;

/// Appends sections to a buffer.
#[derive(Debug, Clone)]
pub(super) struct SectionWriter {
    crc: Crc32,
}

impl SectionWriter {
    /// Starts a file of a minor version.
    pub(super) fn begin(out: &mut Vec<u8>, minor: u8) -> Self {
        let start = out.len();
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&[MAJOR, minor]);
        let mut crc = Crc32::new();
        crc.update(part(out, start..));
        Self { crc }
    }

    /// Adds a section, whose payload `fill` appends.
    pub(super) fn section(&mut self, out: &mut Vec<u8>, kind: u8, fill: impl FnOnce(&mut Vec<u8>)) {
        let start = out.len();
        out.extend_from_slice(&[kind, 0, 0, 0, 0]);
        fill(out);
        let section = out.get_mut(start..).unwrap_or_default();
        // The reader refuses a section of more than 4 GiB as damaged.
        let length = section.len().saturating_sub(FRAME);
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        if let Some(place) = section.get_mut(1..FRAME) {
            place.copy_from_slice(&length.to_le_bytes());
        }
        self.crc.update(section);
        out.extend_from_slice(&self.crc.value().to_le_bytes());
    }
}

/// Reads sections from an input, one after another.
#[derive(Debug)]
pub(super) struct SectionReader<R> {
    input: R,
    crc: Crc32,
    payload: Vec<u8>,
    /// The number of bytes that were read.
    offset: u64,
    /// The offset of the last section.
    start: u64,
    largest: u64,
    budget: Budget,
    minor: u8,
}

/// The number of bytes that are read at once.
const PIECE: u64 = 1 << 20;

impl<R: Read> SectionReader<R> {
    /// Reads the beginning of a file. No section may be larger than `largest`.
    pub(super) fn new(input: R, largest: u64, budget: &Budget) -> Result<Self, Error> {
        let mut sections = Self {
            input,
            crc: Crc32::new(),
            payload: Vec::new(),
            offset: 0,
            start: 0,
            largest,
            budget: budget.clone(),
            minor: 0,
        };
        let head: [u8; MAGIC.len() + 2] = sections.array(Error::Truncated { offset: 0 })?;
        sections.crc.update(&head);
        let Some(([major, minor], [])) = head
            .strip_prefix(&MAGIC)
            .and_then(<[u8]>::split_first_chunk)
        else {
            return Err(Error::NotNative);
        };
        if *major != MAJOR {
            return Err(Error::Version { found: *major });
        }
        sections.minor = *minor;
        Ok(sections)
    }

    /// The next section's kind; [`cursor`](Self::cursor) returns its payload.
    pub(super) fn next(&mut self) -> Result<u8, Error> {
        self.start = self.offset;
        let truncated = || Error::Truncated { offset: self.start };
        let (truncated, late) = (truncated(), truncated());
        let head: [u8; FRAME] = self.array(truncated)?;
        let [kind, length @ ..] = head;
        let length = u64::from(u32::from_le_bytes(length));
        if length > self.largest {
            return Err(Error::TooLarge {
                offset: self.start,
                what: "bytes in one section",
            });
        }
        self.payload.clear();
        // Grows with the data, regardless of the length in the file.
        let mut left = length;
        while left > 0 {
            let piece = left.min(PIECE);
            let room = usize::try_from(piece).unwrap_or(usize::MAX);
            self.budget
                .room_for(&mut self.payload, room, "unpacked bytes")?;
            let input = (&mut self.input).take(piece);
            let read = { input }.read_to_end(&mut self.payload)? as u64;
            self.offset += read;
            if read < piece {
                return Err(late);
            }
            left -= piece;
        }
        self.crc.update(&head);
        self.crc.update(&self.payload);
        let checksum: [u8; 4] = self.array(late)?;
        if u32::from_le_bytes(checksum) != self.crc.value() {
            return Err(Error::Checksum { offset: self.start });
        }
        Ok(kind)
    }

    /// The payload of the last section.
    pub(super) fn cursor(&self) -> Cursor<'_> {
        Cursor::new(&self.payload, self.start + FRAME as u64)
    }

    /// The file's minor version.
    pub(super) fn minor(&self) -> u8 {
        self.minor
    }

    /// The bytes of the payload of the last section.
    pub(super) fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// The offset of the last section.
    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// Checks that the last section is the end: empty, with no data after it.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        self.cursor().finish()?;
        let mut more = Vec::new();
        (&mut self.input).take(1).read_to_end(&mut more)?;
        if more.is_empty() {
            return Ok(());
        }
        Err(Error::Broken {
            offset: self.offset,
            reason: "something follows the end",
        })
    }

    fn array<const N: usize>(&mut self, truncated: Error) -> Result<[u8; N], Error> {
        let mut array = [0; N];
        match self.input.read_exact(&mut array) {
            Ok(()) => {
                self.offset += N as u64;
                Ok(array)
            }
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Err(truncated),
            Err(error) => Err(Error::Io(error)),
        }
    }
}
