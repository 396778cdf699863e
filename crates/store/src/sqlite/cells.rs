//! The rows of hourly sums.

use rusqlite::{Connection, OptionalExtension, params};

use crate::Result;
use crate::prepare::RunSums;
pub(super) use crate::rollup::hour_of;
use crate::rollup::{Paths, Shape, Sign, SpanSums, Spreads, Totals, decode, encode};

/// Which cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Key {
    pub(super) route: i64,
    pub(super) hour: i64,
    pub(super) release: i64,
    pub(super) shape: Shape,
    pub(super) rate: f64,
}

/// A cell in memory.
#[derive(Debug)]
pub(super) struct Cell {
    /// Its row; none if it is new.
    pub(super) number: Option<i64>,
    pub(super) totals: Totals,
    pub(super) paths: Paths,
    pub(super) spans: SpanSums,
    had_spans: bool,
}

impl Cell {
    /// A cell without runs.
    pub(super) fn new(shape: Shape) -> Self {
        Self {
            number: None,
            totals: Totals::default(),
            paths: Paths::new(shape),
            spans: SpanSums::default(),
            had_spans: false,
        }
    }

    /// Reads a cell that runs are to be added to; an empty one if there is none.
    pub(super) fn read(connection: &Connection, key: &Key) -> Result<Self> {
        let mut cell = Self::read_only(connection, key)?;
        cell.paths = cell.paths.indexed();
        Ok(cell)
    }

    /// Reads a cell; an empty one if there is none.
    pub(super) fn read_only(connection: &Connection, key: &Key) -> Result<Self> {
        let mut statement = connection.prepare_cached(
            "SELECT number, totals FROM cell
             WHERE route = ? AND hour = ? AND release = ? AND shape = ? AND rate = ?",
        )?;
        let found: Option<(i64, Vec<u8>)> = statement
            .query_row(
                params![
                    key.route,
                    key.hour,
                    key.release,
                    key.shape.number(),
                    key.rate
                ],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .optional()?;
        let Some((number, totals)) = found else {
            return Ok(Self::new(key.shape));
        };
        Self::parts(connection, "cell", number, &totals, key.shape)
    }

    /// Reads the parts of a row of `cell` or `daily`.
    pub(super) fn parts(
        connection: &Connection,
        table: &str,
        number: i64,
        totals: &[u8],
        shape: Shape,
    ) -> Result<Self> {
        let part = |name| part(connection, table, name, number);
        let spans = part("spans")?;
        Ok(Self {
            number: Some(number),
            totals: read_totals(totals)?,
            paths: match part("paths")? {
                Some(bytes) => decode(&bytes)?,
                None => Paths::new(shape),
            },
            had_spans: spans.is_some(),
            spans: match spans {
                Some(bytes) => decode(&bytes)?,
                None => SpanSums::default(),
            },
        })
    }

    /// Adds or subtracts a run, whose functions have the numbers `names`.
    /// Returns its spreads, which belong to the day.
    pub(super) fn merge(&mut self, part: RunSums, names: &[u32], sign: Sign) -> Spreads {
        self.totals.merge(&part.totals, sign);
        self.paths.merge(&part.paths.renamed(names), sign);
        self.spans.merge(&part.spans, sign);
        part.spreads.renamed(names)
    }

    /// Adds or subtracts another cell.
    pub(super) fn add(&mut self, other: &Self, sign: Sign) {
        self.totals.merge(&other.totals, sign);
        self.paths.merge(&other.paths, sign);
        self.spans.merge(&other.spans, sign);
    }

    /// The totals as bytes. They are some dozen, and read in thousands: they are
    /// not compressed.
    pub(super) fn packed_totals(&self) -> Result<Vec<u8>> {
        let bytes = postcard::to_stdvec(&self.totals);
        bytes.map_err(|error| crate::Error::Damaged(error.to_string()))
    }

    /// Writes the parts of a row of `cell` or `daily`.
    pub(super) fn write_parts(
        &self,
        connection: &Connection,
        table: &str,
        number: i64,
    ) -> Result<()> {
        write_part(connection, table, "paths", number, &encode(&self.paths)?)?;
        if self.had_spans || !self.spans.rows.is_empty() {
            write_part(connection, table, "spans", number, &encode(&self.spans)?)?;
        }
        Ok(())
    }

    /// Writes the cell; removes it if it has no runs.
    pub(super) fn write(&mut self, connection: &Connection, key: &Key) -> Result<()> {
        if self.totals.runs == 0 {
            return match self.number.take() {
                Some(number) => remove(connection, number),
                None => Ok(()),
            };
        }
        let runs = i64::try_from(self.totals.runs).unwrap_or(i64::MAX);
        let totals = self.packed_totals()?;
        let number = match self.number {
            Some(number) => {
                let update = "UPDATE cell SET runs = ?, totals = ? WHERE number = ?";
                let mut statement = connection.prepare_cached(update)?;
                statement.execute(params![runs, totals, number])?;
                number
            }
            None => {
                let mut statement = connection.prepare_cached(
                    "INSERT INTO cell (route, hour, release, shape, rate, runs, totals)
                     VALUES (?, ?, ?, ?, ?, ?, ?)",
                )?;
                statement.execute(params![
                    key.route,
                    key.hour,
                    key.release,
                    key.shape.number(),
                    key.rate,
                    runs,
                    totals
                ])?;
                connection.last_insert_rowid()
            }
        };
        self.number = Some(number);
        self.write_parts(connection, "cell", number)?;
        self.had_spans |= !self.spans.rows.is_empty();
        Ok(())
    }
}

/// A stored part of a row of `cell` or `daily`: its `paths` or `spans`.
pub(super) fn part(
    connection: &Connection,
    table: &str,
    name: &str,
    cell: i64,
) -> Result<Option<Vec<u8>>> {
    let select = format!("SELECT data FROM {table}_{name} WHERE cell = ?");
    let mut statement = connection.prepare_cached(&select)?;
    Ok(statement.query_row([cell], |row| row.get(0)).optional()?)
}

fn write_part(
    connection: &Connection,
    table: &str,
    name: &str,
    cell: i64,
    data: &[u8],
) -> Result<()> {
    let replace = format!("INSERT OR REPLACE INTO {table}_{name} (cell, data) VALUES (?, ?)");
    let mut statement = connection.prepare_cached(&replace)?;
    statement.execute(params![cell, data])?;
    Ok(())
}

/// Removes a cell.
pub(super) fn remove(connection: &Connection, number: i64) -> Result<()> {
    for table in ["cell_paths", "cell_spans"] {
        let delete = format!("DELETE FROM {table} WHERE cell = ?");
        connection.prepare_cached(&delete)?.execute([number])?;
    }
    let mut statement = connection.prepare_cached("DELETE FROM cell WHERE number = ?")?;
    statement.execute([number])?;
    Ok(())
}

/// Reads what [`Cell::packed_totals`] made.
pub(super) fn read_totals(bytes: &[u8]) -> Result<Totals> {
    let read = postcard::from_bytes(bytes);
    read.map_err(|error| crate::Error::Damaged(format!("hourly sums: {error}")))
}
