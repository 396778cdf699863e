//! Findings that were sent.

use rusqlite::{Connection, OptionalExtension, params};

use super::number::number;
use crate::Result;

const DAY_US: u64 = 86_400_000_000;

/// How long a finding is remembered, in days.
const REMEMBERED: i64 = 800;

/// Whether it was sent.
pub(super) fn has(connection: &Connection, id: &str) -> Result<bool> {
    let mut find = connection.prepare_cached("SELECT 1 FROM notice WHERE id = ?")?;
    let found: Option<i64> = find.query_row([id], |row| row.get(0)).optional()?;
    Ok(found.is_some())
}

/// Notes that it was sent.
pub(super) fn add(connection: &Connection, id: &str, now_us: u64) -> Result<()> {
    let today = number(now_us / DAY_US);
    connection.execute(
        "INSERT OR REPLACE INTO notice (id, day) VALUES (?, ?)",
        params![id, today],
    )?;
    connection.execute("DELETE FROM notice WHERE day < ?", [today - REMEMBERED])?;
    Ok(())
}
