//! Copies a file as it is, with another title: for event files that do not fit into memory.

use std::io::{self, BufReader, Read, Write};

use super::Error;
use super::limits::LARGEST_SECTION;
use super::meta::put_meta;
use super::section::{SectionReader, SectionWriter, kind};
use crate::{Budget, Meta};

/// Copies a native file section by section. The title, if there is one, goes before the end,
/// where a later value replaces an earlier one. A file that ends early is copied up to its last
/// complete section, with its own title: it still ends early.
///
/// # Errors
///
/// Those of reading and writing; of the kind `InvalidData`, with [`Error`], for a file that is
/// damaged or not native.
pub fn copy_titled(
    input: impl Read,
    title: Option<&str>,
    out: &mut (impl Write + ?Sized),
) -> io::Result<()> {
    let input = BufReader::with_capacity(1 << 16, input);
    let mut sections =
        SectionReader::new(input, LARGEST_SECTION, &Budget::unlimited()).map_err(damaged)?;
    let mut bytes = Vec::new();
    let mut writer = SectionWriter::begin(&mut bytes, sections.minor());
    loop {
        let kind = match sections.next() {
            Ok(kind) => kind,
            Err(Error::Truncated { .. }) => break,
            Err(error) => return Err(damaged(error)),
        };
        if kind == kind::END {
            sections.finish().map_err(damaged)?;
            if let Some(title) = title {
                let meta = Meta {
                    title: Some(title.to_owned()),
                    ..Meta::default()
                };
                writer.section(&mut bytes, kind::META, |out| put_meta(out, &meta));
            }
        }
        writer.section(&mut bytes, kind, |out| {
            out.extend_from_slice(sections.payload());
        });
        out.write_all(&bytes)?;
        bytes.clear();
        if kind == kind::END {
            break;
        }
    }
    out.write_all(&bytes)
}

fn damaged(error: Error) -> io::Error {
    match error {
        Error::Io(error) => error,
        error => io::Error::new(io::ErrorKind::InvalidData, error),
    }
}
