//! Why a native file could not be read.

use std::fmt;
use std::io;

use crate::OverBudget;

/// Why a native file could not be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// It could not be had.
    Io(io::Error),
    /// It does not begin like one.
    NotNative,
    /// Written by a later version than this one.
    Version {
        /// The file's major version.
        found: u8,
    },
    /// It ends too early.
    Truncated {
        /// Where the part begins that is not there as a whole.
        offset: u64,
    },
    /// Its bytes are not those that were written.
    Checksum {
        /// Where the section begins that was changed.
        offset: u64,
    },
    /// Written by something that does not keep to the format.
    Broken {
        /// Counted from 0.
        offset: u64,
        /// What is wrong there.
        reason: &'static str,
    },
    /// It holds more than there is memory for.
    Memory(OverBudget),
    /// It holds more than the reader was told to take.
    TooLarge {
        /// Where the limit was met.
        offset: u64,
        /// More of what.
        what: &'static str,
    },
}

impl Error {
    /// Where in the file it went wrong; none if it never was about the bytes.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        match self {
            Self::Io(_) | Self::Memory(_) => None,
            Self::NotNative | Self::Version { .. } => Some(0),
            Self::Truncated { offset }
            | Self::Checksum { offset }
            | Self::Broken { offset, .. }
            | Self::TooLarge { offset, .. } => Some(*offset),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(_) => f.write_str("cannot read the input"),
            Self::Memory(error) => error.fmt(f),
            Self::NotNative => f.write_str("not a native profile"),
            Self::Version { found } => {
                let newest = super::MAJOR;
                write!(
                    f,
                    "profile version {found}, but {newest} is the newest known"
                )
            }
            Self::Truncated { offset } => write!(f, "the section at byte {offset} is cut off"),
            Self::Checksum { offset } => {
                write!(f, "the section at byte {offset} is damaged: wrong checksum")
            }
            Self::Broken { offset, reason } => write!(f, "byte {offset}: {reason}"),
            Self::TooLarge { offset, what } => write!(f, "byte {offset}: too many {what}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<OverBudget> for Error {
    fn from(error: OverBudget) -> Self {
        Self::Memory(error)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
