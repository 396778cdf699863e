//! Why a document could not be opened, or a question not be answered.

use std::fmt;

use formats::{ReadError, WriteError};
use profile::MergeError;

/// Why a document could not be opened, or a question not be answered.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// No file was given.
    NothingToOpen,
    /// A file could not be read.
    Read {
        /// The file's name, as the front end gave it.
        name: String,
        /// What is wrong with it.
        source: ReadError,
    },
    /// A file needs more memory than reading may use.
    TooLarge {
        /// The file's name, as the front end gave it.
        name: String,
        /// What needs the memory.
        source: ReadError,
    },
    /// The profiles cannot be added up.
    Merge(MergeError),
    /// The profile holds callers and callees only, and the question needs whole
    /// stacks.
    NeedsStacks,
    /// The profile does not say when calls happened.
    NeedsTimes,
    /// Nothing is compared: there is no base.
    NeedsBase,
    /// There is no function of that number or name.
    UnknownFunction(String),
    /// There is no file of that number.
    UnknownFile(u32),
    /// There is no such node in this arrangement of the tree.
    UnknownNode,
    /// There is no output format with that id.
    UnknownFormat(String),
    /// The profile could not be written in the format asked for.
    Write(WriteError),
}

impl Error {
    /// A short identifier for programs: it never changes.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NothingToOpen => "nothing-to-open",
            Self::Read { .. } => "unreadable",
            Self::TooLarge { .. } => "too-large",
            Self::Merge(_) => "not-mergeable",
            Self::NeedsStacks => "needs-stacks",
            Self::NeedsTimes => "needs-times",
            Self::NeedsBase => "needs-base",
            Self::UnknownFunction(_) => "unknown-function",
            Self::UnknownFile(_) => "unknown-file",
            Self::UnknownNode => "unknown-node",
            Self::UnknownFormat(_) => "unknown-format",
            Self::Write(_) => "not-writable",
        }
    }
}

/// What [`Document::open_above`](crate::Document::open_above) should leave out
/// of a profile that is too large, in percent of its time.
const THRESHOLD: f64 = 0.01;

impl Error {
    /// The threshold to open the file with instead, in percent; none if that
    /// would not help.
    #[must_use]
    pub fn threshold(&self) -> Option<f64> {
        matches!(self, Self::TooLarge { .. }).then_some(THRESHOLD)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingToOpen => f.write_str("no file was given"),
            Self::Read { name, .. } => write!(f, "cannot read {name}"),
            Self::TooLarge { name, .. } => write!(f, "{name} is too large to open as a whole"),
            Self::Merge(_) => f.write_str("the profiles cannot be merged"),
            Self::NeedsStacks => f.write_str(
                "this profile holds callers and callees only: it has no call stacks to show",
            ),
            Self::NeedsTimes => f.write_str(
                "this profile does not say when calls happened: record it with mode events, or sample",
            ),
            Self::NeedsBase => f.write_str("there is no base to compare with"),
            Self::UnknownFunction(name) => write!(f, "there is no function {name}"),
            Self::UnknownFile(number) => write!(f, "there is no file number {number}"),
            Self::UnknownNode => f.write_str("there is no such call path in this profile"),
            Self::UnknownFormat(id) => write!(f, "there is no format called {id}"),
            Self::Write(_) => f.write_str("the profile cannot be exported"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read { source, .. } | Self::TooLarge { source, .. } => Some(source),
            Self::Merge(source) => Some(source),
            Self::Write(source) => Some(source),
            _ => None,
        }
    }
}
