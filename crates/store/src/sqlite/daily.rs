//! Sums of whole days, made of those of the hours when a day is over.
//!
//! The thread that writes makes them, one route at a time, while no run waits.
//!
//! **Invariant:** while `summed` has a day as complete, its rows in `daily` are
//! the sums of its rows in `cell`. Triggers of the database take a day out of
//! `summed` when one of its hours changes; then questions read the hours.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OptionalExtension, params};

use super::cells::{Cell, Key};
use crate::Result;
use crate::rollup::{Shape, Sign};

/// The hours after the begin of a day at which it is over: a run has begun then or later.
const OVER: i64 = 25;

/// How long a day that changed again waits the first time, and at most. Each
/// time it waits longer: a sender with a wrong clock changes a day again and
/// again.
const FIRST_WAIT: Duration = Duration::from_secs(10);
const MAX_WAIT: Duration = Duration::from_secs(3600);

/// How long runs are written before a part of the work is done between them.
const LATE: Duration = Duration::from_millis(250);

/// The work that is left to do.
#[derive(Debug, Default)]
pub(super) struct Daily {
    /// Whether days may have changed since `due` was read.
    is_stale: bool,
    newest: i64,
    /// The first hours of the days to sum.
    due: Vec<i64>,
    /// How often a day was summed, and when it may be again.
    waits: HashMap<i64, (u32, Instant)>,
    current: Option<Current>,
    /// The last part of the work.
    last: Option<Instant>,
}

/// The day that is being summed, and its routes that are left.
#[derive(Debug)]
struct Current {
    day: i64,
    routes: Vec<i64>,
}

impl Daily {
    /// What is left of the last time.
    pub(super) fn new() -> Self {
        Self {
            is_stale: true,
            ..Self::default()
        }
    }

    /// Hours have changed: which ones is not known.
    pub(super) fn changed(&mut self) {
        self.is_stale = true;
    }

    /// This hour has new runs.
    pub(super) fn changed_hour(&mut self, hour: i64) {
        // Runs of the newest hour make no day complete or incomplete.
        if hour != self.newest {
            self.is_stale = true;
            self.newest = self.newest.max(hour);
        }
    }

    /// How long until there is work; none if there is none.
    pub(super) fn wait(&self) -> Option<Duration> {
        if self.is_stale || self.current.is_some() {
            return Some(Duration::ZERO);
        }
        let now = Instant::now();
        let waits = self.due.iter().map(|day| self.left(*day, now));
        waits.min()
    }

    /// Whether there is work, and none was done for some time.
    pub(super) fn is_late(&self) -> bool {
        let is_late = self.last.is_none_or(|last| last.elapsed() >= LATE);
        is_late && self.wait() == Some(Duration::ZERO)
    }

    fn left(&self, day: i64, now: Instant) -> Duration {
        let until = self.waits.get(&day).map(|wait| wait.1);
        until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now))
    }

    /// Does a part of the work: one route of one day. What fails is tried again
    /// later; until then questions read the hours.
    pub(super) fn step(&mut self, connection: &mut Connection) {
        let outcome = self.without_wait(connection);
        self.last = Some(Instant::now());
        if outcome.is_err() {
            self.is_stale = false;
            self.due.clear();
            if let Some(current) = self.current.take() {
                self.due.push(current.day);
                self.defer(current.day);
            }
        }
    }

    /// The disk is not waited for: what a power failure takes is made again, and
    /// the next run that is acknowledged waits for all before it.
    fn without_wait(&mut self, connection: &mut Connection) -> Result<()> {
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        let outcome = self.try_step(connection);
        connection.pragma_update(None, "synchronous", "FULL")?;
        outcome
    }

    /// Does all of the work.
    pub(super) fn finish(&mut self, connection: &mut Connection) -> Result<()> {
        self.current = None;
        self.is_stale = true;
        self.waits.clear();
        while self.wait() == Some(Duration::ZERO) {
            self.try_step(connection)?;
        }
        Ok(())
    }

    /// Lets a day wait before it is summed again.
    fn defer(&mut self, day: i64) {
        let times = self.waits.get(&day).map_or(0, |wait| wait.0);
        let wait = FIRST_WAIT
            .saturating_mul(4_u32.saturating_pow(times))
            .min(MAX_WAIT);
        self.waits.insert(day, (times + 1, Instant::now() + wait));
    }

    fn try_step(&mut self, connection: &mut Connection) -> Result<()> {
        let transaction = connection.transaction()?;
        match &mut self.current {
            Some(Current { day, routes }) => {
                let day = *day;
                match routes.pop() {
                    Some(route) if is_begun(&transaction, day)? => {
                        sum(&transaction, day, route)?;
                        transaction.commit()?;
                    }
                    // It changed: it is due again.
                    Some(_) => {
                        self.current = None;
                        self.is_stale = true;
                        self.defer(day);
                    }
                    None => {
                        let complete = "UPDATE summed SET is_complete = 1 WHERE hour = ?";
                        transaction.execute(complete, [day])?;
                        transaction.commit()?;
                        self.current = None;
                        self.is_stale = true;
                        self.defer(day);
                    }
                }
            }
            None if self.is_stale => {
                self.due = due(&transaction)?;
                self.is_stale = false;
            }
            None => {
                let now = Instant::now();
                let ready = self
                    .due
                    .iter()
                    .position(|day| self.left(*day, now).is_zero());
                let Some(place) = ready else {
                    return Ok(());
                };
                let day = self.due.remove(place);
                let routes = begin(&transaction, day)?;
                transaction.commit()?;
                self.current = Some(Current { day, routes });
            }
        }
        Ok(())
    }
}

/// The days that are over and not summed.
fn due(connection: &Connection) -> Result<Vec<i64>> {
    let mut statement = connection.prepare_cached(
        "WITH RECURSIVE days (hour) AS (
            SELECT min(hour) / 24 * 24 FROM cell
            UNION ALL
            SELECT (SELECT min(hour) / 24 * 24 FROM cell WHERE cell.hour >= days.hour + 24)
            FROM days WHERE days.hour IS NOT NULL
         )
         SELECT hour FROM days
         WHERE hour + ? <= (SELECT max(hour) FROM cell)
         AND hour NOT IN (SELECT hour FROM summed WHERE is_complete)
         ORDER BY hour DESC",
    )?;
    let rows = statement.query_map([OVER], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Marks a day as begun. Returns its routes.
fn begin(connection: &Connection, day: i64) -> Result<Vec<i64>> {
    connection.execute("DELETE FROM daily WHERE hour = ?", [day])?;
    let begin = "INSERT OR REPLACE INTO summed (hour, is_complete) VALUES (?, 0)";
    connection.execute(begin, [day])?;
    let select = "SELECT DISTINCT route FROM cell WHERE hour >= ? AND hour < ?";
    let mut statement = connection.prepare_cached(select)?;
    let rows = statement.query_map([day, day + 24], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Whether no hour of the day changed since it was begun.
fn is_begun(connection: &Connection, day: i64) -> Result<bool> {
    let mut statement = connection.prepare_cached("SELECT 1 FROM summed WHERE hour = ?")?;
    let found: Option<i64> = statement.query_row([day], |row| row.get(0)).optional()?;
    Ok(found.is_some())
}

/// Writes the sums of one route on one day.
fn sum(connection: &Connection, day: i64, route: i64) -> Result<()> {
    for (key, (cell, first, last)) in sums(connection, day, route)? {
        let number = insert(connection, &key, &cell, first, last)?;
        cell.write_parts(connection, "daily", number)?;
    }
    Ok(())
}

/// The sum of a day's hours, the first and the last of them.
type Sum = (Cell, i64, i64);

/// The sums of the hours of one route on one day.
fn sums(connection: &Connection, day: i64, route: i64) -> Result<Vec<(Key, Sum)>> {
    let mut statement = connection.prepare_cached(
        "SELECT hour, release, shape, rate FROM cell
         WHERE route = ? AND hour >= ? AND hour < ? ORDER BY hour",
    )?;
    let rows = statement.query_map([route, day, day + 24], |row| {
        Ok(Key {
            route,
            hour: row.get(0)?,
            release: row.get(1)?,
            shape: Shape::from_number(row.get(2)?),
            rate: row.get(3)?,
        })
    })?;
    let mut sums: Vec<(Key, Sum)> = Vec::new();
    for key in rows {
        let key = key?;
        let of_day = Key { hour: day, ..key };
        let place = match sums.iter().position(|(other, _)| *other == of_day) {
            Some(place) => place,
            None => {
                sums.push((of_day, (Cell::new(key.shape), key.hour, key.hour)));
                sums.len() - 1
            }
        };
        if let Some((_, (sum, _, last))) = sums.get_mut(place) {
            sum.add(&Cell::read_only(connection, &key)?, Sign::Plus);
            *last = key.hour;
        }
    }
    Ok(sums)
}

fn insert(connection: &Connection, key: &Key, cell: &Cell, first: i64, last: i64) -> Result<i64> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO daily (route, hour, release, shape, rate, runs, first, last, totals)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    statement.execute(params![
        key.route,
        key.hour,
        key.release,
        key.shape.number(),
        key.rate,
        super::put::number(cell.totals.runs),
        first,
        last,
        cell.packed_totals()?
    ])?;
    Ok(connection.last_insert_rowid())
}

/// The first hours of the days that are complete, ascending.
pub(super) fn complete(connection: &Connection) -> Result<Vec<i64>> {
    let select = "SELECT hour FROM summed WHERE is_complete ORDER BY hour";
    let mut statement = connection.prepare_cached(select)?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Takes all sums of days away: they are made again.
pub(super) fn clear(connection: &Connection) -> Result<()> {
    Ok(connection.execute_batch("DELETE FROM summed; DELETE FROM daily")?)
}

/// The routes of a complete day whose sums are not those of their hours.
pub(super) fn differing(connection: &Connection, day: i64) -> Result<Vec<i64>> {
    let mut statement = connection.prepare_cached(
        "SELECT route FROM cell WHERE hour >= ?1 AND hour < ?1 + 24
         UNION SELECT route FROM daily WHERE hour = ?1",
    )?;
    let routes = statement.query_map([day], |row| row.get(0))?;
    let mut differing = Vec::new();
    for route in routes.collect::<rusqlite::Result<Vec<i64>>>()? {
        if !is_same(connection, day, route).unwrap_or(false) {
            differing.push(route);
        }
    }
    Ok(differing)
}

fn is_same(connection: &Connection, day: i64, route: i64) -> Result<bool> {
    let sums = sums(connection, day, route)?;
    let mut count =
        connection.prepare_cached("SELECT count(*) FROM daily WHERE route = ? AND hour = ?")?;
    let count: i64 = count.query_row([route, day], |row| row.get(0))?;
    if usize::try_from(count).ok() != Some(sums.len()) {
        return Ok(false);
    }
    let mut find = connection.prepare_cached(
        "SELECT number, first, last, totals FROM daily
         WHERE route = ? AND hour = ? AND release = ? AND shape = ? AND rate = ?",
    )?;
    for (key, (sum, first, last)) in sums {
        let shape = key.shape.number();
        let values = params![route, day, key.release, shape, key.rate];
        type Found = (i64, i64, i64, Vec<u8>);
        let found: Option<Found> = find
            .query_row(values, |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })
            .optional()?;
        let Some((number, found_first, found_last, totals)) = found else {
            return Ok(false);
        };
        let stored = Cell::parts(connection, "daily", number, &totals, key.shape)?;
        let is_same = stored.totals == sum.totals
            && stored.paths == sum.paths
            && stored.spans == sum.spans
            && (found_first, found_last) == (first, last);
        if !is_same {
            return Ok(false);
        }
    }
    Ok(true)
}
