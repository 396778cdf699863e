//! Connections for questions.

use std::path::Path;
use std::sync::PoisonError;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::{SqliteStore, folder};
use crate::Result;

/// How many connections are kept. More questions at a time open more, and
/// close them.
const KEPT: usize = 8;

impl SqliteStore {
    /// Answers a question in one read transaction: all of its statements see
    /// the same runs.
    pub(super) fn read<T>(&self, question: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let kept = || self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept().pop();
        let connection = match known {
            Some(connection) => connection,
            None => connect(&self.folder)?,
        };
        let transaction = connection.unchecked_transaction()?;
        let answer = question(&transaction);
        // A reader that stays open keeps the log from being reused.
        transaction.finish()?;
        let mut kept = kept();
        if kept.len() < KEPT {
            kept.push(connection);
        }
        answer
    }
}

/// A connection that cannot write.
pub(super) fn connect(folder: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(folder::database(folder), flags)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    // In KiB: eight readers take 32 MiB.
    connection.pragma_update(None, "cache_size", -4096)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}
