//! Metadata in a native file: numbered fields.
//!
//! Unknown values are left out. A later section's fields replace an earlier
//! one's, so that values which are known only at the end (the status, for
//! example) can follow the calls. Fields with unknown numbers are skipped.

use std::collections::HashMap;

use super::Error;
use super::varint::{Cursor, put, put_bytes};
use crate::table::{known_mut, part};
use crate::{Budget, Meta, Mode, allocated};

const TITLE: u64 = 1;
const STARTED: u64 = 2;
const HOST: u64 = 3;
const PROCESS: u64 = 4;
const SAPI: u64 = 5;
const PHP_VERSION: u64 = 6;
const CREATOR: u64 = 7;
const MODE: u64 = 8;
const INTERVAL: u64 = 9;
const TRUNCATED: u64 = 10;
const ESTIMATED: u64 = 11;
const TAG: u64 = 12;
const PEAK_MEMORY: u64 = 13;
const COUNTS: u64 = 14;
// Numbers 15 to 17 were those of adaptive timing, which is no more.

const TRACED: u64 = 1;
const SAMPLED: u64 = 2;

/// Appends the payload of a section with all known values.
pub(super) fn put_meta(out: &mut Vec<u8>, meta: &Meta) {
    let mut field = Fields {
        out,
        value: Vec::new(),
    };
    let texts = [
        (TITLE, &meta.title),
        (HOST, &meta.host),
        (SAPI, &meta.sapi),
        (PHP_VERSION, &meta.php_version),
        (CREATOR, &meta.creator),
        (COUNTS, &meta.counts),
    ];
    for (number, text) in texts {
        if let Some(text) = text {
            field.bytes(number, text.as_bytes());
        }
    }
    let mode = match meta.mode {
        Mode::Unknown => None,
        Mode::Traced => Some(TRACED),
        Mode::Sampled => Some(SAMPLED),
    };
    let numbers = [
        (STARTED, meta.started_unix_us),
        (PROCESS, meta.process.map(u64::from)),
        (MODE, mode),
        (INTERVAL, meta.interval_ns),
        (TRUNCATED, meta.is_truncated.then_some(1)),
        (ESTIMATED, meta.is_estimated.then_some(1)),
        (PEAK_MEMORY, meta.peak_memory),
    ];
    for (number, value) in numbers {
        if let Some(value) = value {
            field.number(number, value);
        }
    }
    for (name, value) in &meta.tags {
        field.tag(name.as_bytes(), value.as_bytes());
    }
}

struct Fields<'a> {
    out: &'a mut Vec<u8>,
    value: Vec<u8>,
}

impl Fields<'_> {
    fn bytes(&mut self, number: u64, value: &[u8]) {
        put(self.out, number);
        put_bytes(self.out, value);
    }

    fn tag(&mut self, name: &[u8], value: &[u8]) {
        self.value.clear();
        put_bytes(&mut self.value, name);
        self.value.extend_from_slice(value);
        put(self.out, TAG);
        put_bytes(self.out, &self.value);
    }

    fn number(&mut self, number: u64, value: u64) {
        self.value.clear();
        put(&mut self.value, value);
        put(self.out, number);
        put_bytes(self.out, &self.value);
    }
}

/// Reads the metadata from any number of sections.
#[derive(Debug)]
pub(super) struct MetaReader {
    pub(super) meta: Meta,
    /// The index of each tag by its name: a linear search for each would be
    /// quadratic in files with very many tags.
    tags: HashMap<String, usize>,
    budget: Budget,
}

/// Bytes of a tag besides its characters, which are stored twice.
const TAG_BYTES: usize = 160;

impl MetaReader {
    pub(super) fn within(budget: &Budget) -> Self {
        Self {
            meta: Meta::default(),
            tags: HashMap::new(),
            budget: budget.clone(),
        }
    }

    /// Reads the payload of a section.
    pub(super) fn take(&mut self, mut cursor: Cursor<'_>) -> Result<(), Error> {
        while cursor.len() > 0 {
            let number = cursor.number()?;
            let bytes = cursor.bytes()?;
            let start = cursor.offset() - bytes.len() as u64;
            let room = 2 * allocated(bytes.len());
            let room = room + if number == TAG { TAG_BYTES } else { 0 };
            self.budget.take(room, "tags")?;
            self.field(number, Cursor::new(bytes, start), bytes)?;
        }
        Ok(())
    }

    fn field(&mut self, number: u64, mut value: Cursor<'_>, bytes: &[u8]) -> Result<(), Error> {
        let meta = &mut self.meta;
        match number {
            TITLE => meta.title = Some(text(bytes, &value)?),
            HOST => meta.host = Some(text(bytes, &value)?),
            SAPI => meta.sapi = Some(text(bytes, &value)?),
            PHP_VERSION => meta.php_version = Some(text(bytes, &value)?),
            CREATOR => meta.creator = Some(text(bytes, &value)?),
            COUNTS => meta.counts = Some(text(bytes, &value)?),
            PEAK_MEMORY => meta.peak_memory = Some(value.number()?),
            STARTED => meta.started_unix_us = Some(value.number()?),
            PROCESS => meta.process = Some(value.number_32()?),
            MODE => {
                meta.mode = match value.number()? {
                    TRACED => Mode::Traced,
                    SAMPLED => Mode::Sampled,
                    _ => Mode::Unknown,
                }
            }
            INTERVAL => meta.interval_ns = Some(value.number()?),
            TRUNCATED => meta.is_truncated = value.number()? != 0,
            ESTIMATED => meta.is_estimated = value.number()? != 0,
            TAG => {
                let name = text(value.bytes()?, &value)?;
                let rest = bytes.len() - value.len();
                let text = text(part(bytes, rest..), &value)?;
                self.tag(name, text);
            }
            _ => {}
        }
        Ok(())
    }

    fn tag(&mut self, name: String, value: String) {
        let tags = &mut self.meta.tags;
        let place = self.tags.get(&name);
        match place.and_then(|&place| known_mut(tags, place)) {
            Some(tag) => tag.1 = value,
            None => {
                self.tags.insert(name.clone(), tags.len());
                tags.push((name, value));
            }
        }
    }
}

fn text(bytes: &[u8], at: &Cursor<'_>) -> Result<String, Error> {
    let text = std::str::from_utf8(bytes);
    text.map(str::to_owned)
        .map_err(|_| at.broken("text that is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_a_later_section_stand_in_place_of_earlier_ones() {
        let mut first = Meta {
            title: Some("before".to_owned()),
            process: Some(7),
            ..Meta::default()
        };
        first.set_tag("status", "none yet");
        first.set_tag("method", "GET");
        let mut last = Meta {
            title: Some("after".to_owned()),
            mode: Mode::Traced,
            ..Meta::default()
        };
        last.set_tag("status", "200");
        let mut reader = MetaReader::within(&Budget::unlimited());
        for meta in [&first, &last] {
            let mut bytes = Vec::new();
            put_meta(&mut bytes, meta);
            reader.take(Cursor::new(&bytes, 0)).unwrap();
        }
        let meta = reader.meta;
        assert_eq!(meta.title.as_deref(), Some("after"));
        assert_eq!((meta.process, meta.mode), (Some(7), Mode::Traced));
        assert_eq!(meta.tag("status"), Some("200"));
        assert_eq!(meta.tag("method"), Some("GET"));
        assert_eq!(meta.tags.len(), 2);
    }

    #[test]
    fn fields_not_known_yet_are_skipped() {
        let mut bytes = Vec::new();
        put(&mut bytes, 99);
        put_bytes(&mut bytes, b"whatever");
        put_meta(
            &mut bytes,
            &Meta {
                host: Some("web7".to_owned()),
                ..Meta::default()
            },
        );
        let mut reader = MetaReader::within(&Budget::unlimited());
        reader.take(Cursor::new(&bytes, 0)).unwrap();
        assert_eq!(reader.meta.host.as_deref(), Some("web7"));
    }
}
