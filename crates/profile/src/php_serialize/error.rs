//! What can be wrong with serialized bytes, and where.

use std::fmt;

/// Why a serialized value could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadError {
    /// The input ended early.
    Truncated {
        /// Where it ended.
        offset: usize,
    },
    /// Not what the format has here.
    Unexpected {
        /// What was found.
        found: u8,
        /// What should have been there.
        expected: &'static str,
        /// Where.
        offset: usize,
    },
    /// An object or a reference, which a profile has no use for.
    Forbidden {
        /// The type's letter.
        kind: u8,
        /// Where.
        offset: usize,
    },
    /// A number that does not fit, or is none.
    Number {
        /// Where it begins.
        offset: usize,
    },
    /// A string or an array that claims to be longer than the input.
    Length {
        /// Where its length stands.
        offset: usize,
    },
    /// Arrays within arrays past the limit.
    Depth {
        /// How many levels are read.
        limit: usize,
        /// Where the level too many begins.
        offset: usize,
    },
    /// More array entries than the limit.
    Entries {
        /// How many entries are read.
        limit: usize,
        /// Where the array too many begins.
        offset: usize,
    },
    /// Bytes after the value.
    Trailing {
        /// Where they begin.
        offset: usize,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { offset } => write!(f, "input ends at byte {offset}"),
            Self::Unexpected {
                found,
                expected,
                offset,
            } => {
                let found = found.escape_ascii();
                write!(
                    f,
                    "expected {expected} at byte {offset}, but found `{found}`"
                )
            }
            Self::Forbidden { kind, offset } => {
                let kind = kind.escape_ascii();
                write!(
                    f,
                    "objects and references are refused: `{kind}:` at byte {offset}"
                )
            }
            Self::Number { offset } => write!(f, "not a number that fits at byte {offset}"),
            Self::Length { offset } => {
                write!(
                    f,
                    "the length at byte {offset} is more than the input holds"
                )
            }
            Self::Depth { limit, offset } => {
                write!(
                    f,
                    "more than {limit} arrays within each other at byte {offset}"
                )
            }
            Self::Entries { limit, offset } => {
                write!(f, "more than {limit} array entries at byte {offset}")
            }
            Self::Trailing { offset } => write!(f, "bytes after the end, from byte {offset}"),
        }
    }
}

impl std::error::Error for ReadError {}
