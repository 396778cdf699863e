//! Errors in serialized bytes, with their offsets.

use std::fmt;

/// Why a serialized value could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SerializeError {
    /// The input ended early.
    Truncated {
        /// Where it ended.
        offset: usize,
    },
    /// An unexpected byte.
    Unexpected {
        /// The byte that was found.
        found: u8,
        /// The byte that was expected.
        expected: &'static str,
        /// The offset.
        offset: usize,
    },
    /// An object or a reference, which profiles never contain.
    Forbidden {
        /// The type's letter.
        kind: u8,
        /// The offset.
        offset: usize,
    },
    /// A number that does not fit, or is not a number.
    Number {
        /// The offset of its first byte.
        offset: usize,
    },
    /// A string or an array whose length exceeds the input.
    Length {
        /// The offset of its length.
        offset: usize,
    },
    /// Arrays nested deeper than the limit.
    Depth {
        /// The limit.
        limit: usize,
        /// The offset of the array beyond the limit.
        offset: usize,
    },
    /// More array entries than the limit.
    Entries {
        /// The limit.
        limit: usize,
        /// The offset of the array beyond the limit.
        offset: usize,
    },
    /// Bytes after the value.
    Trailing {
        /// The offset of the first one.
        offset: usize,
    },
}

impl fmt::Display for SerializeError {
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

impl std::error::Error for SerializeError {}
