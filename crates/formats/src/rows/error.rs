//! Why rows are not a profile.

use std::fmt;

use crate::php_serialize::SerializeError;
use profile::OverBudget;

/// Why rows are not a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowsError {
    /// The serialized bytes are broken.
    Serialized(SerializeError),
    /// The value is not an array.
    NotAnArray,
    /// There is no `main()`.
    NoMain,
    /// `main()` has no wall time.
    NoWallTime,
    /// A key that names no caller, or has `main()` as callee.
    Key {
        /// The key.
        key: Box<[u8]>,
    },
    /// An entry is neither costs nor a stack, or of another kind than the
    /// first.
    Entry {
        /// The key.
        key: Box<[u8]>,
    },
    /// A metric that is not a number.
    Metric {
        /// The entry's key.
        key: Box<[u8]>,
        /// `ct`, `wt` or `cpu`.
        metric: &'static str,
    },
    /// The file has more symbols than the IDs can number.
    TooMany,
    /// The profile needs more memory than the budget allows.
    Memory(OverBudget),
}

/// How much of a key an error keeps, in bytes.
const MAX_KEY: usize = 300;

/// A key for an error message: a long one is cut.
pub(super) fn beginning(key: &[u8]) -> Box<[u8]> {
    match key.get(..MAX_KEY) {
        Some(cut) if key.len() > MAX_KEY => [cut, b"..."].concat().into(),
        _ => key.into(),
    }
}

impl RowsError {
    /// The error for an entry with neither costs nor a stack.
    #[must_use]
    pub fn entry(key: &[u8]) -> Self {
        Self::Entry {
            key: beginning(key),
        }
    }
}

impl fmt::Display for RowsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Serialized(error) => error.fmt(f),
            Self::NotAnArray => f.write_str("not an array"),
            Self::NoMain => f.write_str("no `main()` entry: not an XHProf profile, or cut off"),
            Self::NoWallTime => f.write_str("`main()` has no wall time (`wt`)"),
            Self::Key { key } => {
                write!(
                    f,
                    "`{}` does not name a caller and a callee",
                    key.escape_ascii()
                )
            }
            Self::Entry { key } => {
                write!(f, "`{}` has neither costs nor a stack", key.escape_ascii())
            }
            Self::Metric { key, metric } => {
                write!(f, "`{}` has an impossible `{metric}`", key.escape_ascii())
            }
            Self::Memory(error) => error.fmt(f),
            Self::TooMany => f.write_str("more functions than can be numbered"),
        }
    }
}

impl std::error::Error for RowsError {}

impl From<OverBudget> for RowsError {
    fn from(error: OverBudget) -> Self {
        Self::Memory(error)
    }
}

impl From<SerializeError> for RowsError {
    fn from(error: SerializeError) -> Self {
        Self::Serialized(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_only_the_beginning_of_a_long_key() {
        let message = RowsError::entry(&[b'x'; 1_000_000]).to_string();
        assert!(
            message.contains("xxx...") && message.len() < 1_000,
            "{message}"
        );
        let whole = RowsError::entry(&[b'x'; MAX_KEY]).to_string();
        assert!(!whole.contains("..."), "{whole}");
    }
}
