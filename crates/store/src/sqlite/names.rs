//! The names of functions, by their numbers in the cells.

use std::sync::Arc;

use profile::Symbol;
use rusqlite::Connection;

use super::SqliteStore;
use crate::Result;

impl SqliteStore {
    /// All names so far. Names are only added, so those that were read once are
    /// kept.
    pub(super) fn names(&self, connection: &Connection) -> Result<Arc<Vec<Symbol>>> {
        let newest: i64 =
            connection.query_row("SELECT ifnull(max(id), 0) FROM name", [], |row| row.get(0))?;
        let newest = usize::try_from(newest).unwrap_or(0);
        let known = Arc::clone(&self.names.read());
        if known.len() > newest {
            return Ok(known);
        }
        let mut names = Vec::with_capacity(newest + 1);
        names.extend_from_slice(&known);
        let mut statement = connection.prepare_cached(
            "SELECT id, name, file, line, internal FROM name WHERE id >= ? ORDER BY id",
        )?;
        let mut rows = statement.query([i64::try_from(known.len()).unwrap_or(i64::MAX)])?;
        while let Some(row) = rows.next()? {
            let id = usize::try_from(row.get::<_, i64>(0)?).unwrap_or(0);
            // A transaction that failed leaves no gap; a repaired store may.
            while names.len() < id {
                names.push(Symbol::new(*b"[unknown]"));
            }
            names.push(Symbol {
                name: row.get::<_, Vec<u8>>(1)?.into(),
                file: row.get::<_, Option<Vec<u8>>>(2)?.map(Into::into),
                line: row.get(3)?,
                internal: row.get(4)?,
            });
        }
        let names = Arc::new(names);
        let mut latest = self.names.write();
        if latest.len() < names.len() {
            *latest = Arc::clone(&names);
        }
        Ok(names)
    }
}
