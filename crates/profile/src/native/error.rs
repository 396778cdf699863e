//! Why a native file could not be read.

use std::fmt;
use std::io;

use crate::OverBudget;

/// Why a native file could not be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// Reading the input failed.
    Io(io::Error),
    /// The magic number is missing.
    NotNative,
    /// A later version than this reader's.
    Version {
        /// The file's major version.
        found: u8,
    },
    /// The file ends too early.
    Truncated {
        /// The offset of the incomplete part.
        offset: u64,
    },
    /// The checksum is wrong.
    Checksum {
        /// The offset of the damaged section.
        offset: u64,
    },
    /// The file violates the format.
    Broken {
        /// Counted from 0.
        offset: u64,
        /// The fault.
        reason: &'static str,
    },
    /// The profile needs more memory than the budget allows.
    Memory(OverBudget),
    /// The profile exceeds a limit of the reader.
    TooLarge {
        /// The offset at which the limit was reached.
        offset: u64,
        /// The limited items.
        what: &'static str,
    },
}

impl Error {
    /// The offset of the error in the file; none for other errors.
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
