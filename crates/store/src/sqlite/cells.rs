//! The rows of hourly sums.

use rusqlite::{Connection, OptionalExtension, params};

use crate::Result;
use crate::prepare::Part;
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

/// The hour of an instant, in hours since 1970.
pub(super) fn hour_of(started_us: u64) -> i64 {
    i64::try_from(started_us / 3_600_000_000).unwrap_or(i64::MAX)
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

    /// Reads a cell; an empty one if there is none.
    pub(super) fn read(connection: &Connection, key: &Key) -> Result<Self> {
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
        let part = |table| part(connection, table, number);
        let spans = part("spans")?;
        Ok(Self {
            number: Some(number),
            totals: read_totals(&totals)?,
            paths: match part("paths")? {
                Some(bytes) => decode::<Paths>(&bytes)?.indexed(),
                None => Paths::new(key.shape),
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
    pub(super) fn merge(&mut self, part: Part, names: &[u32], sign: Sign) -> Spreads {
        self.totals.merge(&part.totals, sign);
        self.paths.merge(&part.paths.renamed(names), sign);
        self.spans.merge(&part.spans, sign);
        part.spreads.renamed(names)
    }

    /// Writes the cell; removes it if it has no runs.
    pub(super) fn write(&self, connection: &Connection, key: &Key) -> Result<()> {
        if self.totals.runs == 0 {
            return match self.number {
                Some(number) => remove(connection, number),
                None => Ok(()),
            };
        }
        let runs = i64::try_from(self.totals.runs).unwrap_or(i64::MAX);
        let totals = write_totals(&self.totals)?;
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
        write_part(connection, "paths", number, &encode(&self.paths)?)?;
        if self.had_spans || !self.spans.rows.is_empty() {
            write_part(connection, "spans", number, &encode(&self.spans)?)?;
        }
        Ok(())
    }
}

/// A stored part of a cell: `paths` or `spans`.
pub(super) fn part(connection: &Connection, table: &str, cell: i64) -> Result<Option<Vec<u8>>> {
    let select = format!("SELECT data FROM cell_{table} WHERE cell = ?");
    let mut statement = connection.prepare_cached(&select)?;
    Ok(statement.query_row([cell], |row| row.get(0)).optional()?)
}

fn write_part(connection: &Connection, table: &str, cell: i64, data: &[u8]) -> Result<()> {
    let replace = format!("INSERT OR REPLACE INTO cell_{table} (cell, data) VALUES (?, ?)");
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

/// Totals are some dozen bytes, and read in thousands: they are not compressed.
fn write_totals(totals: &Totals) -> Result<Vec<u8>> {
    postcard::to_stdvec(totals).map_err(|error| crate::Error::Damaged(error.to_string()))
}

/// Reads what `write` wrote.
pub(super) fn read_totals(bytes: &[u8]) -> Result<Totals> {
    let read = postcard::from_bytes(bytes);
    read.map_err(|error| crate::Error::Damaged(format!("hourly sums: {error}")))
}
