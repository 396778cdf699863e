//! Connections for questions.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension};

use super::{SqliteStore, dictionaries, folder, policies, runs, schema};
use crate::{CancelToken, Error, Result};

/// How many connections are kept. More questions at a time open more, and
/// close them.
const MAX_IDLE_CONNECTIONS: usize = 8;

/// After how many of its steps `SQLite` looks whether the answer is still cancel: some ten
/// microseconds.
const STEPS: i32 = 1000;

impl SqliteStore {
    /// Answers a question in one read transaction: all of its statements see
    /// the same runs.
    pub(super) fn read<T>(&self, question: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let kept = || self.readers.lock();
        let known = kept().pop();
        let connection = match known {
            Some(connection) => connection,
            None => connect(&self.folder)?,
        };
        let cancel = CancelToken::current();
        if let Some(cancel) = cancel.clone() {
            connection.progress_handler(STEPS, Some(move || cancel.is_cancelled()))?;
        }
        let transaction = connection.unchecked_transaction()?;
        let answer = question(&transaction);
        // A reader that stays open keeps the log from being reused.
        transaction.finish()?;
        if cancel.is_some() {
            connection.progress_handler(0, None::<fn() -> bool>)?;
        }
        let mut kept = kept();
        if kept.len() < MAX_IDLE_CONNECTIONS {
            kept.push(connection);
        }
        if let Err(Error::Corrupt(_)) = answer {
            self.is_corrupt.store(true, Ordering::Relaxed);
        }
        answer
    }

    /// Checks the database on a new connection, without caches: the tables, the totals, and
    /// the run that was stored last.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`], also if any answer before found damage.
    pub(super) fn check(&self) -> Result<()> {
        if self.is_corrupt.load(Ordering::Relaxed) {
            let reason = "an answer since the server began found that";
            return Err(Error::Corrupt(reason.to_owned()));
        }
        let connection = connect(&self.folder)?;
        schema::check(&connection)?;
        policies::all(&connection)?;
        runs::apps(&connection)?;
        let last = "SELECT number FROM run ORDER BY number DESC LIMIT 1";
        let last: Option<i64> = connection
            .query_row(last, [], |row| row.get(0))
            .optional()?;
        if let Some(number) = last {
            dictionaries::file(&connection, number)?;
        }
        Ok(())
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
