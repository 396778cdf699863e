//! The native file, `*.xhp`: the only format without losses.
//!
//! `crates/profile` reads and writes the bytes, and `docs/format.md` describes
//! them; this module makes it a [`Format`] like the others.

use std::io::{BufRead, Write};

use profile::native::{self, Limits, MAGIC};
use profile::{Budget, Profile};

use crate::format::{Detection, Format, Holds, Reads, Writes};
use crate::{ReadError, WriteError, WriteOptions};

const NAME: &str = "native profile";

/// Every property of a profile.
pub const NATIVE: Format = Format {
    id: "native",
    name: NAME,
    endings: &["xhp"],
    warning: None,
    reads: Some(Reads { detect, read }),
    writes: Some(
        Writes::new(Holds::StacksOrEdges, write)
            .all_metrics()
            .in_order(),
    ),
};

fn detect(head: &[u8]) -> Detection {
    Detection::by_first_bytes(head, &MAGIC)
}

fn read(input: &mut dyn BufRead, budget: &Budget) -> Result<Profile, ReadError> {
    native::read_within(input, &Limits::default(), budget).map_err(read_error)
}

fn write(profile: &Profile, options: &WriteOptions, out: &mut dyn Write) -> Result<(), WriteError> {
    let Some(title) = &options.title else {
        return Ok(native::write(profile, out)?);
    };
    let mut profile = profile.clone();
    profile.meta.title = Some(title.clone());
    Ok(native::write(&profile, out)?)
}

fn read_error(error: native::Error) -> ReadError {
    let reason = match error {
        native::Error::Io(error) => return error.into(),
        native::Error::Memory(error) => return error.into(),
        // The error that is returned contains the position.
        native::Error::Broken { reason, .. } => reason.to_owned(),
        native::Error::TooLarge { what, .. } => format!("too many {what}"),
        native::Error::Truncated { .. } => "the section that begins here is cut off".to_owned(),
        native::Error::Checksum { .. } => {
            "the section that begins here is damaged: wrong checksum".to_owned()
        }
        ref other => other.to_string(),
    };
    ReadError::Offset {
        format: NAME,
        offset: error.offset().unwrap_or(0),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(options: &WriteOptions) -> Vec<u8> {
        let mut bytes = Vec::new();
        crate::write(&NATIVE, &Profile::empty(), options, &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn what_it_wrote_is_recognized_and_read_back() {
        let bytes = written(&WriteOptions::default());
        assert_eq!(crate::read(bytes.as_slice()).unwrap(), Profile::empty());
        for end in 0..MAGIC.len() {
            assert_eq!(NATIVE.detect(&bytes[..end]), Detection::NeedMore, "{end}");
        }
        assert_eq!(NATIVE.detect(&bytes[..MAGIC.len()]), Detection::Yes);
        assert_eq!(NATIVE.detect(b"\x89PNG\r\n\x1A\n"), Detection::No);
    }

    #[test]
    fn a_title_stands_in_place_of_the_profiles_own() {
        let options = WriteOptions {
            title: Some("other".to_owned()),
            ..WriteOptions::default()
        };
        let read = crate::read(written(&options).as_slice()).unwrap();
        assert_eq!(read.meta.title.as_deref(), Some("other"));
    }

    #[test]
    fn errors_say_where_and_what() {
        let mut bytes = written(&WriteOptions::default());
        bytes[15] ^= 1;
        let error = crate::read(bytes.as_slice()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "broken native profile, byte 10: the section that begins here is damaged: \
             wrong checksum"
        );
        bytes.truncate(20);
        let error = crate::read(bytes.as_slice()).unwrap_err();
        assert!(error.to_string().contains("cut off"), "{error}");
        bytes[8] = 9;
        let error = crate::read(bytes.as_slice()).unwrap_err();
        assert!(error.to_string().contains("version 9"), "{error}");
    }
}
