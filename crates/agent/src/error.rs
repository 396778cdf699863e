//! Why the agent could not do something.

use std::path::{Path, PathBuf};
use std::{fmt, io};

/// The result of what the agent does.
pub type Result<T> = std::result::Result<T, Error>;

/// Why the agent could not do something.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// An option is not usable.
    Option(String),
    /// Another agent uses the folder of the queue.
    Locked(PathBuf),
    /// A file of the queue, or the folder, cannot be used.
    Queue(PathBuf, io::Error),
    /// A file of the spool cannot be read.
    Spool(PathBuf, io::Error),
    /// A file of the queue is damaged.
    Damaged(PathBuf, String),
    /// Something else of the system.
    System(io::Error),
}

impl Error {
    /// Names the file of the queue that an error is about.
    pub(crate) fn queue(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        |error| Self::Queue(path, error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Option(reason) => f.write_str(reason),
            Self::Locked(folder) => write!(
                f,
                "another agent uses the queue {}: end it, or use another folder with --queue",
                folder.display()
            ),
            Self::Queue(path, error) => write!(f, "the queue, {}: {error}", path.display()),
            Self::Spool(path, error) => write!(f, "cannot read {}: {error}", path.display()),
            Self::Damaged(path, reason) => {
                write!(f, "{} is damaged: {reason}", path.display())
            }
            Self::System(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}
