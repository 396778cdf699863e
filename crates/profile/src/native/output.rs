//! Where a whole profile is written to, section by section.

use std::io::{self, Write};

use super::limits::LARGEST_SECTION;
use super::section::SectionWriter;

/// The initial buffer for small sections, in bytes.
const SMALL_SECTION: usize = 2048;

/// Writes each section as soon as it is complete.
pub(super) struct Output<'a> {
    writer: SectionWriter,
    buffer: Vec<u8>,
    out: &'a mut dyn Write,
}

impl<'a> Output<'a> {
    /// Begins a file of a minor version.
    pub(super) fn begin(out: &'a mut dyn Write, minor: u8) -> Self {
        let mut buffer = Vec::with_capacity(SMALL_SECTION);
        Self {
            writer: SectionWriter::begin(&mut buffer, minor),
            buffer,
            out,
        }
    }

    /// Writes the section that `put` appends.
    pub(super) fn section(
        &mut self,
        put: impl FnOnce(&mut SectionWriter, &mut Vec<u8>),
    ) -> io::Result<()> {
        put(&mut self.writer, &mut self.buffer);
        flush(&mut self.buffer, self.out)
    }
}

/// Writes the sections in `buffer`, and empties it.
pub(super) fn flush(buffer: &mut Vec<u8>, out: &mut dyn Write) -> io::Result<()> {
    if buffer.len() as u64 > LARGEST_SECTION {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "a name of more than a gigabyte",
        ));
    }
    out.write_all(buffer)?;
    buffer.clear();
    Ok(())
}
