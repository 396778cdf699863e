//! Writes runs.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, params};

use super::cells::{Cell, Key, hour_of};
use super::days::{self, Day};
use super::ids::Ids;
use crate::prepare::{Dictionary, Prepared, RunSums};
use crate::rollup::Sign;
use crate::{Result, RunId, RunInfo, Stored, Taken, cancel};

/// How many paths of hours, and how many times of days, stay in memory after
/// they were written, at 100 and 16 bytes: the next runs are usually of the same.
const KEPT_PATHS: usize = 150_000;
const KEPT_TIMES: usize = 800_000;

const DAY_US: u64 = 86_400_000_000;

/// How long the counts of a day are kept, in days.
const KEPT_DAYS: i64 = 40;

/// An open transaction of the writer.
pub(super) struct Open<'a> {
    pub(super) connection: &'a Connection,
    pub(super) ids: &'a mut Ids,
    /// Hours and days as they are in the database.
    pub(super) kept: &'a mut Changed,
}

/// The hours and days that a transaction changes. The rate is a part of their
/// keys, and has no hash: few cells differ in it only.
#[derive(Debug, Default)]
pub(super) struct Changed {
    cells: Rows<Cell>,
    days: Rows<Day>,
}

/// Rows by route, time and release.
type Rows<T> = HashMap<(i64, i64, i64), Vec<Row<T>>>;

/// A row, and whether it differs from the database.
#[derive(Debug)]
struct Row<T> {
    key: Key,
    sums: T,
    is_changed: bool,
}

/// The row of a key; it is read if it is not in memory.
fn row<'r, T>(
    rows: &'r mut Vec<Row<T>>,
    key: &Key,
    read: impl FnOnce() -> Result<T>,
) -> Result<Option<&'r mut T>> {
    let found = rows.iter().position(|row| row.key == *key);
    let place = match found {
        Some(place) => place,
        None => {
            rows.push(Row {
                key: *key,
                sums: read()?,
                is_changed: false,
            });
            rows.len() - 1
        }
    };
    Ok(rows.get_mut(place).map(|row| {
        row.is_changed = true;
        &mut row.sums
    }))
}

/// Drops rows that did not change, if all are larger than `most`.
fn shrink<T>(rows: &mut Rows<T>, size: impl Fn(&T) -> usize, most: usize) {
    let sizes = rows.values().flatten().map(|row| size(&row.sums));
    if sizes.sum::<usize>() > most {
        rows.retain(|_, rows| {
            rows.retain(|row| row.is_changed);
            !rows.is_empty()
        });
    }
}

impl Changed {
    /// Adds a run's part to its hour and day, or takes it out.
    fn merge(
        &mut self,
        connection: &Connection,
        key: &Key,
        part: RunSums,
        names: &[u32],
        sign: Sign,
    ) -> Result<()> {
        let cells = self.cells.entry((key.route, key.hour, key.release));
        let cell = row(cells.or_default(), key, || Cell::read(connection, key))?;
        let Some(cell) = cell else { return Ok(()) };
        let spreads = cell.merge(part, names, sign);
        let day = days::day_of(key);
        let key_of_day = Key {
            hour: day * 24,
            ..*key
        };
        let days = self.days.entry((key.route, day, key.release)).or_default();
        if let Some(sum) = row(days, &key_of_day, || Day::read(connection, key))? {
            sum.merge(connection, key, &spreads, sign)?;
        }
        Ok(())
    }

    /// Writes what changed. If the transaction fails after that, all rows have
    /// to be dropped.
    pub(super) fn write(&mut self, connection: &Connection) -> Result<()> {
        shrink(&mut self.cells, |cell| cell.paths.len(), KEPT_PATHS);
        shrink(&mut self.days, Day::size, KEPT_TIMES);
        for row in self.cells.values_mut().flatten() {
            if std::mem::take(&mut row.is_changed) {
                row.sums.write(connection, &row.key)?;
            }
        }
        for row in self.days.values_mut().flatten() {
            if std::mem::take(&mut row.is_changed) {
                row.sums.write(connection, &row.key)?;
            }
        }
        Ok(())
    }
}

impl Open<'_> {
    /// Stores runs.
    pub(super) fn put(&mut self, runs: Vec<Prepared>) -> Result<Vec<Stored>> {
        let mut stored = Vec::with_capacity(runs.len());
        let mut changed = std::mem::take(self.kept);
        let mut taken = HashMap::new();
        for run in runs {
            // The store may be told to stop.
            cancel::check()?;
            let id = run.info.id;
            let is_new = !is_known(self.connection, &id)?;
            if is_new {
                let day = run.received / DAY_US;
                let sum: &mut Taken = taken.entry((day, run.info.app.clone())).or_default();
                sum.runs += 1;
                sum.bytes += run.info.size;
                self.add(run, &mut changed)?;
            }
            stored.push(Stored { id, is_new });
        }
        for ((day, app), sum) in taken {
            count(self.connection, day, &app, sum)?;
        }
        changed.write(self.connection)?;
        *self.kept = changed;
        Ok(stored)
    }

    fn add(&mut self, run: Prepared, changed: &mut Changed) -> Result<()> {
        let Prepared {
            info,
            received,
            file,
            dictionary,
            cell,
        } = run;
        let app = self.ids.app(self.connection, &info.app)?;
        let route = self.ids.route(self.connection, app, &info.route)?;
        let release = self.ids.release(self.connection, app, &info.release)?;
        let shape = cell.as_ref().map(|part| part.shape);
        let mut statement = self.connection.prepare_cached(
            "INSERT INTO run (id, app, route, release, started, title, host, method, status,
                failed, shape, rate, unit, body, wall, cpu, peak, calls, spans, sql, size, label,
                stored)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?;
        statement.execute(params![
            info.id.0,
            app,
            route,
            release,
            number(info.started_us),
            info.title,
            info.host,
            info.method,
            info.status,
            info.failed,
            shape.map(crate::rollup::Shape::number),
            info.rate,
            info.unit,
            info.body,
            number(info.wall),
            info.cpu.map(number),
            info.peak.map(number),
            number(info.calls),
            number(info.spans),
            number(info.sql),
            number(info.size),
            info.label,
            number(received)
        ])?;
        let run = self.connection.last_insert_rowid();
        let dictionary = match dictionary {
            Dictionary::Known(id) => Some(id),
            Dictionary::Candidate(data) => {
                let mut statement = self.connection.prepare_cached(
                    "INSERT OR IGNORE INTO dictionary (route, release, data) VALUES (?, ?, ?)",
                )?;
                statement.execute(params![route, release, data])?;
                None
            }
        };
        let mut statement = self
            .connection
            .prepare_cached("INSERT INTO run_file (number, dictionary, file) VALUES (?, ?, ?)")?;
        statement.execute(params![run, dictionary, file])?;
        let mut statement = self
            .connection
            .prepare_cached("INSERT OR REPLACE INTO run_tag (run, name, value) VALUES (?, ?, ?)")?;
        for (name, value) in &info.tags {
            statement.execute(params![run, name, value])?;
        }
        if let Some(part) = cell {
            let key = Key {
                route,
                hour: hour_of(info.started_us),
                release,
                shape: part.shape,
                rate: info.rate,
            };
            self.merge(part, &key, changed, Sign::Plus)?;
        }
        Ok(())
    }

    /// Adds a run's part to its cell, or takes it out.
    pub(super) fn merge(
        &mut self,
        part: RunSums,
        key: &Key,
        changed: &mut Changed,
        sign: Sign,
    ) -> Result<()> {
        let names = self.ids.names(self.connection, &part.symbols)?;
        changed.merge(self.connection, key, part, &names, sign)
    }

    /// The key of the cell of a stored run.
    pub(super) fn key(&mut self, info: &RunInfo, part: &RunSums) -> Result<Key> {
        let app = self.ids.app(self.connection, &info.app)?;
        Ok(Key {
            route: self.ids.route(self.connection, app, &info.route)?,
            hour: hour_of(info.started_us),
            release: self.ids.release(self.connection, app, &info.release)?,
            shape: part.shape,
            rate: info.rate,
        })
    }
}

/// Counts runs that are stored, by the day of their arrival: quotas need it.
fn count(connection: &Connection, day: u64, app: &str, taken: Taken) -> Result<()> {
    let day = number(day);
    let mut update = connection.prepare_cached(
        "INSERT INTO taken (day, app, runs, bytes) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET runs = runs + excluded.runs, bytes = bytes + excluded.bytes",
    )?;
    update.execute(params![day, app, number(taken.runs), number(taken.bytes)])?;
    let mut forget = connection.prepare_cached("DELETE FROM taken WHERE day < ?")?;
    forget.execute([day - KEPT_DAYS])?;
    Ok(())
}

/// Whether the run is there, or was until the policy removed it.
fn is_known(connection: &Connection, id: &RunId) -> Result<bool> {
    let mut statement = connection.prepare_cached(
        "SELECT 1 FROM run WHERE id = ?1 UNION ALL SELECT 1 FROM forgotten WHERE id = ?1",
    )?;
    let known: Option<i64> = statement.query_row([&id.0], |row| row.get(0)).optional()?;
    Ok(known.is_some())
}

/// A number for the database, which has signed ones only.
pub(super) fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
