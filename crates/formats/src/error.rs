//! Why something could not be read or written.

use std::fmt;
use std::io;

use profile::{Metric, OverBudget, classic};

use crate::unknown_json;

/// Why an input could not be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// There is nothing in it.
    Empty,
    /// In no known format.
    Unknown,
    /// JSON, in no known format.
    UnknownJson {
        /// The keys of the outermost object, the first of them.
        keys: Vec<String>,
    },
    /// In a format that can only be written here.
    NotReadable {
        /// The format's name.
        format: &'static str,
    },
    /// In a form that is known, and not read.
    Refused {
        /// What it is.
        what: &'static str,
        /// What to do instead.
        advice: &'static str,
    },
    /// It holds several profiles.
    Several,
    /// It could not be had.
    Io(io::Error),
    /// Its compression is broken.
    Gzip(io::Error),
    /// It is no zip file of one file.
    Zip {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Unpacked, it is larger than the limit.
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// What it holds needs more memory than it may take.
    Memory(OverBudget),
    /// Broken, in a format of lines.
    Line {
        /// The format's name.
        format: &'static str,
        /// Counted from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// Broken, in a format of bytes.
    Offset {
        /// The format's name.
        format: &'static str,
        /// Counted from 0, in the unpacked input.
        offset: u64,
        /// What is wrong there.
        reason: String,
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
            Self::UnknownJson { keys } => {
                let keys: Vec<_> = keys.iter().map(|key| format!("{key:?}")).collect();
                f.write_str("JSON of an unknown kind, ")?;
                match keys.as_slice() {
                    [] => f.write_str("without keys")?,
                    [key] => write!(f, "with the key {key}")?,
                    keys => write!(f, "with the keys {}", keys.join(", "))?,
                }
                let known = unknown_json::known();
                write!(f, "; known are {}", known.join(", "))
            }
            Self::NotReadable { format } => write!(f, "{format} can be written, but not read"),
            Self::Refused { what, advice } => write!(f, "{what} is not read here: {advice}"),
            Self::Several => f.write_str("more than one profile: give one line at a time"),
            Self::Io(_) => f.write_str("cannot read the input"),
            Self::Gzip(_) => f.write_str("broken gzip"),
            Self::Zip { reason } => write!(f, "cannot use the zip file: {reason}"),
            Self::TooLarge { limit } => write!(f, "unpacks to more than {} MiB", limit >> 20),
            Self::Memory(error) => error.fmt(f),
            Self::Line {
                format,
                line,
                reason,
            } => write!(f, "broken {format}, line {line}: {reason}"),
            Self::Offset {
                format,
                offset,
                reason,
            } => write!(f, "broken {format}, byte {offset}: {reason}"),
            Self::Rows(_) => f.write_str("broken XHProf array"),
            Self::Json(_) => f.write_str("broken XHProf JSON"),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) | Self::Gzip(error) => Some(error),
            Self::Rows(error) => Some(error),
            Self::Json(error) => Some(error),
            _ => None,
        }
    }
}

impl From<OverBudget> for ReadError {
    fn from(error: OverBudget) -> Self {
        Self::Memory(error)
    }
}

impl From<classic::Error> for ReadError {
    fn from(error: classic::Error) -> Self {
        match error {
            classic::Error::Memory(error) => Self::Memory(error),
            error => Self::Rows(error),
        }
    }
}

impl From<io::Error> for ReadError {
    /// An error of ours that came up through a reader is itself again.
    fn from(error: io::Error) -> Self {
        match error.downcast::<Self>() {
            Ok(ours) => ours,
            Err(error) => Self::Io(error),
        }
    }
}

impl From<serde_json::Error> for ReadError {
    fn from(error: serde_json::Error) -> Self {
        if error.is_io() {
            io::Error::from(error).into()
        } else {
            Self::Json(error)
        }
    }
}

/// Why a profile could not be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum WriteError {
    /// Where it should go did not take it.
    Io(io::Error),
    /// The format can only be read here.
    NotWritable {
        /// The format's name.
        format: &'static str,
    },
    /// The format is made of stacks, and the profile knows edges only.
    NeedsStacks {
        /// The format's name.
        format: &'static str,
    },
    /// The format has an entry for each sample, and there are too many.
    TooManySamples {
        /// The format's name.
        format: &'static str,
        /// How many it may be.
        limit: u64,
    },
    /// The format has no place for such costs.
    NotHeld {
        /// The format's name.
        format: &'static str,
        /// Those asked for.
        metric: Metric,
    },
    /// The profile has no such costs.
    NotMeasured {
        /// Those asked for.
        metric: Metric,
    },
    /// The base cannot be compared with: one counts time, the other samples.
    BaseDiffers,
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(_) => f.write_str("cannot write"),
            Self::NotWritable { format } => write!(f, "{format} can be read, but not written"),
            Self::NeedsStacks { format } => write!(
                f,
                "{format} is made of whole stacks, and this profile knows only who called whom; \
                 --estimate guesses the stacks"
            ),
            Self::TooManySamples { format, limit } => {
                write!(
                    f,
                    "{format} has an entry for each sample: more than {limit} are too many"
                )
            }
            Self::NotHeld { format, metric } => {
                write!(f, "{format} has no place for {} costs", metric.name())
            }
            Self::NotMeasured { metric } => {
                write!(f, "the profile has no {} costs", metric.name())
            }
            Self::BaseDiffers => f.write_str(
                "the base is in other units: one profile counts time, the other samples",
            ),
        }
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
