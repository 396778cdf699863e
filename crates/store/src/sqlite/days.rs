//! The rows of daily spreads: two for each route, release, shape and rate.
//!
//! The spreads of a busy day are large, and every run changes them. So the latest
//! runs are in a row of their own, the *part*, which is added to the other when it
//! has some dozen.

use rusqlite::{Connection, OptionalExtension, params};

use super::cells::Key;
use crate::Result;
use crate::rollup::{Sign, Spreads, decode, encode};

/// What the shape of a part's row is larger by.
const PART_SHAPE_OFFSET: i64 = 16;

/// The runs of a part. Fewer make adding them up frequent, more make the writing
/// of each part dear.
const MAX_PART_RUNS: u64 = 32;

/// A day in memory, to be changed.
#[derive(Debug, Default)]
pub(super) struct Day {
    /// Those of the part, or of the whole day.
    spreads: Spreads,
    is_whole: bool,
}

impl Day {
    /// Reads the part: new runs need no more.
    pub(super) fn read(connection: &Connection, key: &Key) -> Result<Self> {
        Ok(Self {
            spreads: row(connection, key, PART_SHAPE_OFFSET)?.unwrap_or_default(),
            is_whole: false,
        })
    }

    /// Adds or subtracts a run.
    pub(super) fn merge(
        &mut self,
        connection: &Connection,
        key: &Key,
        more: &Spreads,
        sign: Sign,
    ) -> Result<()> {
        // The part may not have the run that is taken out.
        if sign == Sign::Minus && !self.is_whole {
            self.complete(connection, key)?;
        }
        self.spreads.merge(more, sign);
        Ok(())
    }

    fn complete(&mut self, connection: &Connection, key: &Key) -> Result<()> {
        if let Some(mut whole) = row(connection, key, 0)? {
            whole.merge(&self.spreads, Sign::Plus);
            self.spreads = whole;
        }
        self.is_whole = true;
        Ok(())
    }

    /// Writes the part, or the whole day if the part is large enough.
    pub(super) fn write(&mut self, connection: &Connection, key: &Key) -> Result<()> {
        if !self.is_whole && self.spreads.runs() >= MAX_PART_RUNS {
            self.complete(connection, key)?;
        }
        if !self.is_whole {
            return write_row(connection, key, PART_SHAPE_OFFSET, &self.spreads);
        }
        write(connection, key, &self.spreads)?;
        // The next runs are in a new part.
        *self = Self::default();
        Ok(())
    }

    /// About how many times it has in memory.
    pub(super) fn size(&self) -> usize {
        self.spreads.size()
    }
}

/// The day of a cell, in days since 1970.
pub(super) fn day_of(key: &Key) -> i64 {
    key.hour.div_euclid(24)
}

/// Reads the spreads of a cell's day.
pub(super) fn read(connection: &Connection, key: &Key) -> Result<Spreads> {
    let mut day = Day::read(connection, key)?;
    day.complete(connection, key)?;
    Ok(day.spreads)
}

/// Writes the spreads of a cell's day; removes them if there are none.
pub(super) fn write(connection: &Connection, key: &Key, spreads: &Spreads) -> Result<()> {
    write_row(connection, key, 0, spreads)?;
    write_row(connection, key, PART_SHAPE_OFFSET, &Spreads::default())
}

fn row(connection: &Connection, key: &Key, part: i64) -> Result<Option<Spreads>> {
    let mut statement = connection.prepare_cached(
        "SELECT data FROM day
         WHERE route = ? AND day = ? AND release = ? AND shape = ? AND rate = ?",
    )?;
    let values = params![
        key.route,
        day_of(key),
        key.release,
        key.shape.number() + part,
        key.rate
    ];
    let data: Option<Vec<u8>> = statement.query_row(values, |row| row.get(0)).optional()?;
    data.map(|data| decode(&data)).transpose()
}

fn write_row(connection: &Connection, key: &Key, part: i64, spreads: &Spreads) -> Result<()> {
    let shape = key.shape.number() + part;
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
