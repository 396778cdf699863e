//! Why a profile could not be read or written.

use std::fmt;
use std::io;

use profile::{Metric, OverBudget};

use crate::rows::RowsError;

/// Why an input could not be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// The input is empty.
    Empty,
    /// The format is unknown.
    Unknown,
    /// JSON of an unknown format.
    UnknownJson {
        /// The first keys of the outermost object.
        keys: Vec<String>,
        /// The names of the JSON formats that can be read.
        known: Vec<&'static str>,
    },
    /// A format that this crate only writes.
    NotReadable {
        /// The format's name.
        format: &'static str,
    },
    /// A known form that this crate does not read.
    Refused {
        /// The form.
        what: &'static str,
        /// What to do instead.
        advice: &'static str,
    },
    /// The input holds several profiles.
    Several,
    /// Reading the input failed.
    Io(io::Error),
    /// The gzip compression is broken.
    Gzip(io::Error),
    /// The zip file is broken or has not exactly one file.
    Zip {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The unpacked input is larger than the limit.
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The profile needs more memory than the budget allows.
    Memory(OverBudget),
    /// A broken line, in a text format.
    Line {
        /// The format's name.
        format: &'static str,
        /// Counted from 1.
        line: u64,
        /// The fault.
        reason: String,
    },
    /// A broken byte, in a binary format.
    Offset {
        /// The format's name.
        format: &'static str,
        /// Counted from 0, in the unpacked input.
        offset: u64,
        /// The fault.
        reason: String,
    },
    /// The input is a broken XHProf array.
    Rows(RowsError),
    /// The JSON is broken, or is not a profile.
    Json(serde_json::Error),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the input is empty"),
            Self::Unknown => f.write_str("not a profile in any known format"),
            Self::UnknownJson { keys, known } => {
                let keys: Vec<_> = keys.iter().map(|key| format!("{key:?}")).collect();
                f.write_str("JSON of an unknown kind, ")?;
                match keys.as_slice() {
                    [] => f.write_str("without keys")?,
                    [key] => write!(f, "with the key {key}")?,
                    keys => write!(f, "with the keys {}", keys.join(", "))?,
                }
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

impl From<RowsError> for ReadError {
    fn from(error: RowsError) -> Self {
        match error {
            RowsError::Memory(error) => Self::Memory(error),
            error => Self::Rows(error),
        }
    }
}

impl From<io::Error> for ReadError {
    /// An error of this crate that passed through another reader is unwrapped.
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
    /// Writing to the output failed.
    Io(io::Error),
    /// The format can only be read.
    NotWritable {
        /// The format's name.
        format: &'static str,
    },
    /// The format needs stacks, and the profile has only edges.
    NeedsStacks {
        /// The format's name.
        format: &'static str,
    },
    /// The format holds times, and the profile counts something else.
    NeedsTime {
        /// The format's name.
        format: &'static str,
        /// The counted unit: `samples`, `Ir`.
        counted: String,
    },
    /// The format has an entry for each sample, and there are too many.
    TooManySamples {
        /// The format's name.
        format: &'static str,
        /// The maximum number of samples.
        limit: u64,
    },
    /// The profile lasts longer than readers of the format accept.
    TooLong {
        /// The format's name.
        format: &'static str,
        /// The longest profile, in seconds.
        limit_s: u64,
    },
    /// The format cannot hold this cost.
    NotHeld {
        /// The format's name.
        format: &'static str,
        /// The requested cost.
        metric: Metric,
    },
    /// The profile does not have this cost.
    NotMeasured {
        /// The requested cost.
        metric: Metric,
    },
    /// The base cannot be compared: one counts time, the other samples.
    BaseDiffers,
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(_) => f.write_str("cannot write"),
            Self::NotWritable { format } => write!(f, "{format} can be read, but not written"),
            Self::NeedsStacks { format } => write!(
                f,
                "{format} is made of whole stacks, and this profile has only caller and callee pairs; \
                 --estimate estimates the stacks"
            ),
            Self::NeedsTime { format, counted } => write!(
                f,
                "{format} holds times, and this profile counts {counted}; \
                 native, callgrind, pprof and speedscope keep the unit"
            ),
            Self::TooManySamples { format, limit } => {
                write!(
                    f,
                    "{format} has an entry for each sample: more than {limit} are too many"
                )
            }
            Self::TooLong { format, limit_s } => {
                write!(f, "{format}: more than {limit_s} s are not accepted")
            }
            Self::NotHeld { format, metric } => {
                write!(f, "{format} has no place for {} costs", metric.name())
            }
            Self::NotMeasured {
                metric: Metric::Calls,
            } => f.write_str("the profile has no number of calls"),
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
