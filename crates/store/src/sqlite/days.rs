//! The rows of daily spreads.

use rusqlite::{Connection, OptionalExtension, params};

use super::cells::Key;
use crate::Result;
use crate::rollup::{Spreads, decode, encode};

/// The day of a cell, in days since 1970.
pub(super) fn day_of(key: &Key) -> i64 {
    key.hour.div_euclid(24)
}

/// Reads the spreads of a cell's day.
pub(super) fn read(connection: &Connection, key: &Key) -> Result<Option<Spreads>> {
    let mut statement = connection.prepare_cached(
        "SELECT data FROM day
         WHERE route = ? AND day = ? AND release = ? AND shape = ? AND rate = ?",
    )?;
    let values = params![
        key.route,
        day_of(key),
        key.release,
        key.shape.number(),
        key.rate
    ];
    let data: Option<Vec<u8>> = statement.query_row(values, |row| row.get(0)).optional()?;
    data.map(|data| decode(&data)).transpose()
}

/// Writes the spreads of a cell's day; removes them if there are none.
pub(super) fn write(connection: &Connection, key: &Key, spreads: &Spreads) -> Result<()> {
    let shape = key.shape.number();
    if spreads.rows.is_empty() {
        let mut statement = connection.prepare_cached(
            "DELETE FROM day
             WHERE route = ? AND day = ? AND release = ? AND shape = ? AND rate = ?",
        )?;
        statement.execute(params![
            key.route,
            day_of(key),
            key.release,
            shape,
            key.rate
        ])?;
        return Ok(());
    }
    let mut statement = connection.prepare_cached(
        "INSERT INTO day (route, day, release, shape, rate, data) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET data = excluded.data",
    )?;
    let data = encode(spreads)?;
    statement.execute(params![
        key.route,
        day_of(key),
        key.release,
        shape,
        key.rate,
        data
    ])?;
    Ok(())
}
