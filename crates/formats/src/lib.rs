//! Profiles in the formats people have: read, written, recognized.
//!
//! One file a format, its reader and its writer side by side. Programs call
//! [`read`], which looks through compression and recognizes the format by
//! content, never by a file's name.
//!
//! **Invariant:** readers take any bytes. They ask for memory in proportion to
//! what is really there, and say where it went wrong.

#![forbid(unsafe_code)]

pub mod gzip;
pub mod xhprof;
pub mod xhprof_json;

use std::fmt;

use profile::{Profile, classic};

/// Whether an input is in a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detection {
    /// It is.
    Yes,
    /// It is not.
    No,
    /// It may be: more bytes would tell.
    NeedMore,
}

/// A format that can be recognized and read.
pub trait Format: Sync {
    /// What users call it.
    fn name(&self) -> &'static str;

    /// Looks at the beginning of an input.
    fn detect(&self, head: &[u8]) -> Detection;

    /// Reads a whole input.
    ///
    /// # Errors
    ///
    /// [`ReadError`], for an input that is not in this format.
    fn read(&self, input: &[u8]) -> Result<Profile, ReadError>;
}

/// Every format that can be read.
pub static FORMATS: [&dyn Format; 2] = [&xhprof::Xhprof, &xhprof_json::XhprofJson];

/// The most an input may be unpacked to: 512 MiB.
pub const MAX_UNPACKED: u64 = 512 << 20;

/// Reads a whole input of any known format, compressed or not.
///
/// # Errors
///
/// [`ReadError`], for an input in no known format or broken in its own.
pub fn read(input: &[u8]) -> Result<Profile, ReadError> {
    let input = gzip::unpack(input, MAX_UNPACKED)?;
    if input.is_empty() {
        return Err(ReadError::Empty);
    }
    let find = |wanted| {
        FORMATS
            .iter()
            .find(|format| format.detect(&input) == wanted)
    };
    // An input that ends before it says what it is gets the error of the
    // format it began like.
    let format = find(Detection::Yes).or_else(|| find(Detection::NeedMore));
    format.ok_or(ReadError::Unknown)?.read(&input)
}

/// Why an input could not be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// There is nothing in it.
    Empty,
    /// In no known format.
    Unknown,
    /// It holds several profiles.
    Several,
    /// Its compression is broken.
    Gzip(std::io::Error),
    /// Unpacked, it is larger than the limit.
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// Not the rows of a profile.
    Rows(classic::Error),
    /// Broken JSON, or not the JSON of a profile.
    Json(serde_json::Error),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the input is empty"),
            Self::Unknown => f.write_str("not a profile in any format known here"),
            Self::Several => f.write_str("more than one profile: give one line at a time"),
            Self::Gzip(_) => f.write_str("broken gzip"),
            Self::TooLarge { limit } => {
                write!(f, "unpacks to more than {} MiB", limit >> 20)
            }
            Self::Rows(_) => f.write_str("broken XHProf array"),
            Self::Json(_) => f.write_str("broken XHProf JSON"),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Gzip(error) => Some(error),
            Self::Rows(error) => Some(error),
            Self::Json(error) => Some(error),
            _ => None,
        }
    }
}

impl From<classic::Error> for ReadError {
    fn from(error: classic::Error) -> Self {
        Self::Rows(error)
    }
}
