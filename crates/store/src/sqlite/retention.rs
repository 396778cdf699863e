//! Removes runs by age, number and size. Their sums stay.

use rusqlite::{Connection, OptionalExtension, params};

use super::put::{Open, number};
use super::writer::Writer;
use super::{cells, runs};
use crate::{Policy, Removed, Result};

/// How many runs one transaction removes: runs that arrive wait for it.
const CHUNK: usize = 500;

/// How long a removed run is remembered, in days.
const REMEMBERED: i64 = 400;

const DAY_US: u64 = 86_400_000_000;

/// Applies a policy to the runs of an application.
pub(super) fn retain(writer: &Writer, app: &str, policy: &Policy, now_us: u64) -> Result<Removed> {
    let (app, chosen) = (app.to_owned(), policy.clone());
    let victims = writer.transaction(move |open| victims(open, &app, &chosen, now_us))?;
    let Some((app, victims)) = victims else {
        return Ok(Removed::default());
    };
    let mut removed = Removed::default();
    let today = number(now_us / DAY_US);
    for chunk in victims.chunks(CHUNK) {
        let chunk = chunk.to_vec();
        let part = writer.transaction(move |open| remove(open, &chunk, today))?;
        removed.runs += part.runs;
        removed.bytes += part.bytes;
    }
    if let Some(days) = policy.sums_days {
        let before = cells::hour_of(now_us) - i64::from(days) * 24;
        removed.cells = writer.transaction(move |open| remove_cells(open, app, before))?;
    }
    if removed != Removed::default() {
        writer.transaction(move |open| {
            let forget = "DELETE FROM forgotten WHERE day < ?";
            open.connection.execute(forget, [today - REMEMBERED])?;
            Ok(())
        })?;
        // Gives free pages back to the file system.
        writer.outside(|connection| Ok(connection.execute_batch("PRAGMA incremental_vacuum")?))?;
    }
    Ok(removed)
}

/// The application's number, and the runs to remove.
fn victims(
    open: &mut Open<'_>,
    app: &str,
    policy: &Policy,
    now_us: u64,
) -> Result<Option<(i64, Vec<i64>)>> {
    let connection = open.connection;
    let find = "SELECT id FROM app WHERE name = ?";
    let app: Option<i64> = connection
        .query_row(find, [app], |row| row.get(0))
        .optional()?;
    let Some(app) = app else {
        return Ok(None);
    };
    notable(connection, app, policy.notable)?;
    let before = |days: u32| runs::instant(now_us.saturating_sub(u64::from(days) * DAY_US));
    let mut victims = Vec::new();
    // Too old: notable runs have an age limit of their own.
    let days = policy.days.map_or(i64::MIN, before);
    let mut statement = connection.prepare(
        "SELECT number FROM run WHERE app = ?1 AND label = '' AND started < ?2
         AND (number NOT IN (SELECT number FROM temp.notable) OR started < ?3)",
    )?;
    let notable_days = days.min(before(policy.keep_notable_days));
    let rows = statement.query_map(params![app, days, notable_days], |row| row.get(0))?;
    for row in rows {
        victims.push(row?);
    }
    // Too many, or too large: the oldest first, and no notable ones.
    let mut statement = connection.prepare(
        "SELECT number, size,
            label <> '' OR number IN (SELECT number FROM temp.notable)
         FROM run WHERE app = ?1 AND (started >= ?2 OR label <> ''
            OR (number IN (SELECT number FROM temp.notable) AND started >= ?3))
         ORDER BY started DESC, number DESC",
    )?;
    let mut rows = statement.query(params![app, days, notable_days])?;
    let (mut count, mut bytes) = (0_u64, 0_u64);
    let mut rest = Vec::new();
    while let Some(row) = rows.next()? {
        let (run, size, is_kept): (i64, i64, bool) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let size = u64::try_from(size).unwrap_or(0);
        if is_kept {
            // Counted first, so that limits hold for all runs together.
            count += 1;
            bytes += size;
        } else {
            rest.push((run, size));
        }
    }
    for (run, size) in rest {
        count += 1;
        bytes += size;
        let is_over = policy.runs.is_some_and(|most| count > most)
            || policy.bytes.is_some_and(|most| bytes > most);
        if is_over {
            victims.push(run);
            count -= 1;
            bytes -= size;
        }
    }
    connection.execute_batch("DROP TABLE temp.notable")?;
    Ok(Some((app, victims)))
}

/// Makes a table of the slowest and the latest failed runs of each route.
fn notable(connection: &Connection, app: i64, most: u32) -> Result<()> {
    connection.execute_batch(
        "DROP TABLE IF EXISTS temp.notable;
         CREATE TEMP TABLE notable (number INTEGER PRIMARY KEY)",
    )?;
    let mut routes = connection.prepare("SELECT id FROM route WHERE app = ?")?;
    let routes = routes.query_map([app], |row| row.get::<_, i64>(0))?;
    let mut slowest = connection.prepare(
        "INSERT OR IGNORE INTO temp.notable
         SELECT number FROM run WHERE route = ? ORDER BY wall DESC LIMIT ?",
    )?;
    let mut failed = connection.prepare(
        "INSERT OR IGNORE INTO temp.notable
         SELECT number FROM run WHERE route = ? AND failed <> 0 ORDER BY started DESC LIMIT ?",
    )?;
    for route in routes {
        let route = route?;
        slowest.execute(params![route, most])?;
        failed.execute(params![route, most])?;
    }
    Ok(())
}

fn remove(open: &mut Open<'_>, victims: &[i64], today: i64) -> Result<Removed> {
    let mut removed = Removed::default();
    let mut size = open
        .connection
        .prepare_cached("SELECT size FROM run WHERE number = ?")?;
    let mut forget = open.connection.prepare_cached(
        "INSERT OR REPLACE INTO forgotten (id, day) SELECT id, ? FROM run WHERE number = ?",
    )?;
    for &run in victims {
        // A run that a user deleted since is gone.
        let Some(bytes) = size
            .query_row([run], |row| row.get::<_, i64>(0))
            .optional()?
        else {
            continue;
        };
        forget.execute(params![today, run])?;
        runs::remove(open.connection, run)?;
        removed.runs += 1;
        removed.bytes += u64::try_from(bytes).unwrap_or(0);
    }
    Ok(removed)
}

fn remove_cells(open: &mut Open<'_>, app: i64, before: i64) -> Result<u64> {
    let mut old = open.connection.prepare(
        "SELECT number FROM cell WHERE hour < ?
         AND route IN (SELECT id FROM route WHERE app = ?)",
    )?;
    let old = old.query_map(params![before, app], |row| row.get::<_, i64>(0))?;
    let old = old.collect::<rusqlite::Result<Vec<_>>>()?;
    for &number in &old {
        cells::remove(open.connection, number)?;
    }
    // Half a day is summed again.
    open.connection.execute(
        "DELETE FROM daily WHERE hour < ?
         AND route IN (SELECT id FROM route WHERE app = ?)",
        params![before, app],
    )?;
    open.connection.execute(
        "DELETE FROM day WHERE day < ?
         AND route IN (SELECT id FROM route WHERE app = ?)",
        params![before.div_euclid(24), app],
    )?;
    Ok(old.len() as u64)
}
