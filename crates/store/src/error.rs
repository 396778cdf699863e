//! Why a store could not do what it was asked.

use std::path::PathBuf;
use std::{fmt, io};

/// The result of a question to the store.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a store could not do what it was asked.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Error {
    /// The disk, or the limit of the database, is full. Nothing was changed.
    Full,
    /// Another process has the store open for writing.
    Locked {
        /// The folder.
        folder: PathBuf,
    },
    /// The store was written by a later version.
    Version {
        /// The version of its tables.
        found: i64,
        /// The newest known version.
        newest: i64,
    },
    /// The folder has no store.
    Missing {
        /// The folder.
        folder: PathBuf,
    },
    /// The profile is not usable.
    Profile(String),
    /// The question is not usable.
    Query(String),
    /// A part of the stored data is damaged.
    Damaged(String),
    /// The database itself is damaged: no answer of it can be trusted.
    Corrupt(String),
    /// The client that asked does not wait for the answer any more.
    Cancelled,
    /// The store was opened for reading only.
    ReadOnly,
    /// The store is closing.
    Closed,
    /// An error of the file system.
    Io(String),
    /// A part that the store needs does not answer, or refuses: nothing was
    /// acknowledged, and what was sent may be sent again.
    Unavailable(String),
    /// An error of the database.
    Database(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => f.write_str("the store's disk is full; nothing was changed"),
            Self::Locked { folder } => write!(
                f,
                "another process has the store {} open; end it, or use another folder",
                folder.display()
            ),
            Self::Version { found, newest } => write!(
                f,
                "the store has version {found}, but {newest} is the newest that this program knows"
            ),
            Self::Missing { folder } => write!(f, "{} has no store", folder.display()),
            Self::Profile(reason) => write!(f, "cannot store this profile: {reason}"),
            Self::Query(reason) => f.write_str(reason),
            Self::Damaged(what) => write!(
                f,
                "the store is damaged: {what}; `xhprof store verify` lists all damage"
            ),
            Self::Corrupt(what) => write!(
                f,
                "the database of the store is damaged: {what}; `xhprof store verify` lists all \
                 damage, and a backup has what was there"
            ),
            Self::Cancelled => f.write_str("the client has closed the connection"),
            Self::ReadOnly => f.write_str("the store is open for reading only"),
            Self::Closed => f.write_str("the store is closing"),
            Self::Io(reason) | Self::Unavailable(reason) => f.write_str(reason),
            Self::Database(reason) => write!(f, "the database failed: {reason}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Corrupt(error.to_string())
            }
            Some(ErrorCode::OperationInterrupted) => Self::Cancelled,
            Some(ErrorCode::ReadOnly) => Self::ReadOnly,
            _ => Self::Database(error.to_string()),
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::StorageFull {
            return Self::Full;
        }
        Self::Io(error.to_string())
    }
}
