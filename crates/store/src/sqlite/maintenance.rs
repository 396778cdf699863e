//! Inspection, repair and copies of a store.

use std::path::Path;

use rusqlite::Connection;

use super::cells::{Cell, Key};
use super::conditions::Conditions;
use super::put::Open;
use super::{SqliteStore, daily, days, dictionaries, folder, retention, runs};
use crate::prepare::{RunSums, profile_of, sums_of_run};
use crate::rollup::{Shape, Sign, Spreads};
use crate::{Error, Problem, Result, RunId, Selection, Verified};

/// The most problems that are listed.
const MAX_PROBLEMS: usize = 1000;

/// Counts runs and hourly sums.
const COUNT_AGAIN: &str = "DELETE FROM run_total;
     INSERT INTO run_total SELECT app, count(*), sum(size) FROM run GROUP BY app;
     UPDATE cell_total SET cells = (SELECT count(*) FROM cell);";

impl SqliteStore {
    /// Computes the sums again from the runs: those whose runs are all there.
    /// Returns how many were computed.
    ///
    /// # Errors
    ///
    /// Those of the database.
    pub fn rebuild(&self) -> Result<u64> {
        let writer = self.writer()?;
        let keys = writer.transaction(|open| keys_of_runs(open.connection))?;
        let mut rebuilt = 0;
        for key in keys {
            let is_rebuilt = writer.transaction(move |open| rebuild(open, &key))?;
            rebuilt += u64::from(is_rebuilt);
        }
        let keys = writer.transaction(|open| keys_of_days(open.connection))?;
        for key in keys {
            writer.transaction(move |open| rebuild_day(open, &key))?;
        }
        writer.transaction(|open| daily::clear(open.connection))?;
        writer.transaction(|open| Ok(open.connection.execute_batch(COUNT_AGAIN)?))?;
        writer.sum_days()?;
        Ok(rebuilt)
    }

    /// Makes the files as small as they can be. That needs as much free space as the
    /// store takes; with less, free pages are given back, and the rest stays as it is.
    ///
    /// # Errors
    ///
    /// Those of the database; [`Error::Full`].
    pub fn compact(&self) -> Result<()> {
        let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
        let writer = self.writer()?;
        let whole = writer.outside(move |connection| {
            let outcome = connection.execute_batch("VACUUM");
            connection.execute_batch(checkpoint)?;
            Ok(outcome?)
        });
        match whole {
            Err(Error::Full) => {}
            outcome => return outcome,
        }
        retention::give_back(writer)?;
        writer.removal_outside(move |connection| Ok(connection.execute_batch(checkpoint)?))
    }

    /// Writes a copy of the whole store into the folder `to`, while it is in
    /// use.
    ///
    /// # Errors
    ///
    /// Those of the database and the file system; a copy over a store.
    pub fn backup(&self, to: &Path) -> Result<()> {
        let to = folder::created(to)?;
        let file = folder::database(&to);
        if file.metadata()?.len() > 0 {
            return Err(Error::Io(format!("{} is not empty", to.display())));
        }
        let name = file.to_str().map(str::to_owned);
        let name = name.ok_or_else(|| Error::Io("the folder's name is not text".to_owned()))?;
        // A connection of its own: no transaction may be open.
        let connection = super::reader::connect(&self.folder)?;
        connection.execute("VACUUM INTO ?", [name])?;
        Ok(())
    }

    /// Calls `each` with the ids of a selection's runs, the latest first.
    ///
    /// # Errors
    ///
    /// Those of the database and of `each`.
    pub fn each_id(
        &self,
        selection: &Selection,
        each: &mut dyn FnMut(RunId) -> Result<()>,
    ) -> Result<()> {
        let conditions = Conditions::of_runs(selection)?;
        let ids: Vec<RunId> = self.read(|connection| {
            let select = format!(
                "SELECT run.id FROM run{} ORDER BY run.started DESC, run.number DESC",
                conditions.sql()
            );
            let mut statement = connection.prepare(&select)?;
            let rows = statement.query_map(conditions.values(), |row| Ok(RunId(row.get(0)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })?;
        ids.into_iter().try_for_each(each)
    }
}

/// Reads everything, and compares the sums with the runs.
pub(super) fn verify(store: &SqliteStore, connection: &Connection) -> Result<Verified> {
    let mut verified = Verified::default();
    let problem = |verified: &mut Verified, item: String, reason: String| {
        if verified.problems.len() < MAX_PROBLEMS {
            verified.problems.push(Problem { item, reason });
        }
    };
    let mut statement = connection.prepare("PRAGMA integrity_check(100)")?;
    let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
    for row in rows {
        let row = row?;
        if row != "ok" {
            problem(&mut verified, "the database".to_owned(), row);
        }
    }
    // One statement each: runs may be stored in between.
    for (item, is_right) in [
        (
            "the numbers of runs",
            "SELECT (SELECT ifnull(sum(runs), 0) FROM run_total) = (SELECT count(*) FROM run)
             AND (SELECT ifnull(sum(bytes), 0) FROM run_total) = (SELECT ifnull(sum(size), 0) FROM run)",
        ),
        (
            "the number of hourly sums",
            "SELECT (SELECT cells FROM cell_total) = (SELECT count(*) FROM cell)",
        ),
    ] {
        let is_right: bool = connection.query_row(is_right, [], |row| row.get(0))?;
        if !is_right {
            let reason = "it is not what is there; `xhprof store rebuild` counts again";
            problem(&mut verified, item.to_owned(), reason.to_owned());
        }
    }
    let mut statement = connection.prepare("SELECT number, id FROM run")?;
    let rows = statement.query_map([], |row| Ok((row.get::<_, i64>(0)?, RunId(row.get(1)?))))?;
    for row in rows {
        let (number, id) = row?;
        verified.runs += 1;
        if let Err(error) = verify_run(connection, number, &id) {
            problem(&mut verified, format!("run {id}"), error.to_string());
        }
    }
    let names = store.names(connection)?;
    for key in keys(connection)? {
        verified.cells += 1;
        match verify_cell(connection, &key, &names) {
            Ok(is_compared) => verified.compared += u64::from(is_compared),
            Err(error) => problem(
                &mut verified,
                item(connection, (key.route, key.hour)),
                error.to_string(),
            ),
        }
    }
    for key in keys_of_days(connection)? {
        if let Err(error) = verify_day(connection, &key) {
            problem(
                &mut verified,
                item(connection, (key.route, key.hour)),
                error.to_string(),
            );
        }
    }
    for day in daily::complete(connection)? {
        for route in daily::differing(connection, day)? {
            let key = (route, day);
            let reason = "its day is not the sum of its hours; `xhprof store rebuild` \
                          computes it again";
            problem(&mut verified, item(connection, key), reason.to_owned());
        }
    }
    for key in keys_of_runs(connection)? {
        if Cell::read_only(connection, &key).is_ok_and(|cell| cell.number.is_none()) {
            let reason = "its runs are there, but no sums".to_owned();
            problem(
                &mut verified,
                item(connection, (key.route, key.hour)),
                reason,
            );
        }
    }
    Ok(verified)
}

fn verify_run(connection: &Connection, number: i64, id: &RunId) -> Result<()> {
    let file = dictionaries::file(connection, number)?;
    if RunId::of(&file) != *id {
        return Err(Error::Damaged("its content has changed".to_owned()));
    }
    profile_of(&file).map(|_| ())
}

/// Compares a cell with its runs, if they are all there.
fn verify_cell(connection: &Connection, key: &Key, names: &[profile::Symbol]) -> Result<bool> {
    let stored = Cell::read_only(connection, key)?;
    let missing = |name: &u32| *name == 0 || *name as usize >= names.len();
    if stored.paths.names().any(|name| missing(&name)) {
        return Err(Error::Damaged("it has functions without a name".to_owned()));
    }
    if runs::count(connection, &runs::of_cell(key))? != stored.totals.runs {
        return Ok(false);
    }
    let mut find = connection.prepare_cached("SELECT id FROM name WHERE name = ?")?;
    let mut computed = Cell::new(key.shape);
    each_part(connection, key, &mut |part| {
        let mut numbers = Vec::with_capacity(part.symbols.len());
        for symbol in &part.symbols {
            let known = find.query_row([&symbol.name[..]], |row| row.get::<_, u32>(0));
            numbers.push(known.unwrap_or(0));
        }
        computed.merge(part, &numbers, Sign::Plus);
        Ok(())
    })?;
    let is_same = computed.totals == stored.totals
        && computed.paths == stored.paths
        && computed.spans.rows.len() == stored.spans.rows.len();
    if is_same {
        Ok(true)
    } else {
        let reason = "it is not the sum of its runs; `xhprof store rebuild` computes it again";
        Err(Error::Damaged(reason.to_owned()))
    }
}

/// Computes a cell again, unless runs of it are missing.
fn rebuild(open: &mut Open<'_>, key: &Key) -> Result<bool> {
    let stored = Cell::read_only(open.connection, key);
    let runs = runs::count(open.connection, &runs::of_cell(key))?;
    if let Ok(stored) = &stored
        && stored.totals.runs > runs
    {
        return Ok(false);
    }
    let known = stored.as_ref().map_or(0, |cell| cell.totals.runs);
    let mut computed = Cell::new(key.shape);
    computed.number = match stored {
        Ok(stored) => stored.number,
        // Not readable: its row is removed, and a new one written.
        Err(_) => {
            remove_row(open.connection, key)?;
            None
        }
    };
    each_part(open.connection, key, &mut |part| {
        let names = open.ids.names(open.connection, &part.symbols)?;
        computed.merge(part, &names, Sign::Plus);
        Ok(())
    })?;
    // A run whose file is damaged is in the stored sums only.
    if computed.totals.runs < known {
        return Ok(false);
    }
    computed.write(open.connection, key)?;
    Ok(true)
}

/// Compares a day's spreads with its runs, if they are all there.
fn verify_day(connection: &Connection, key: &Key) -> Result<()> {
    let stored = days::read(connection, key)?;
    if !is_complete(connection, key)? {
        return Ok(());
    }
    let mut find = connection.prepare_cached("SELECT id FROM name WHERE name = ?")?;
    let mut computed = Spreads::default();
    each_of_day(connection, key, &mut |part| {
        let names = part.symbols.iter().map(|symbol| {
            let known = find.query_row([&symbol.name[..]], |row| row.get::<_, u32>(0));
            known.unwrap_or(0)
        });
        let names: Vec<u32> = names.collect();
        computed.merge(&part.spreads.renamed(&names), Sign::Plus);
        Ok(())
    })?;
    if computed == stored {
        Ok(())
    } else {
        let reason = "its day is not that of its runs; `xhprof store rebuild` computes it again";
        Err(Error::Damaged(reason.to_owned()))
    }
}

fn rebuild_day(open: &mut Open<'_>, key: &Key) -> Result<()> {
    if !is_complete(open.connection, key)? {
        return Ok(());
    }
    let mut computed = Spreads::default();
    each_of_day(open.connection, key, &mut |part| {
        let names = open.ids.names(open.connection, &part.symbols)?;
        computed.merge(&part.spreads.renamed(&names), Sign::Plus);
        Ok(())
    })?;
    days::write(open.connection, key, &computed)
}

/// Whether all runs of a day are there.
fn is_complete(connection: &Connection, key: &Key) -> Result<bool> {
    let first = days::day_of(key) * 24;
    let mut counted = 0;
    let mut stored = 0;
    for hour in first..first + 24 {
        let key = Key { hour, ..*key };
        counted += runs::count(connection, &runs::of_cell(&key))?;
        stored += Cell::read_only(connection, &key)?.totals.runs;
    }
    Ok(counted == stored)
}

fn each_of_day(
    connection: &Connection,
    key: &Key,
    each: &mut dyn FnMut(RunSums) -> Result<()>,
) -> Result<()> {
    let first = days::day_of(key) * 24;
    (first..first + 24).try_for_each(|hour| each_part(connection, &Key { hour, ..*key }, each))
}

/// The first hours of the days that have hours.
fn keys_of_days(connection: &Connection) -> Result<Vec<Key>> {
    key_rows(
        connection,
        "SELECT DISTINCT route, hour / 24 * 24, release, shape, rate FROM cell",
    )
}

fn remove_row(connection: &Connection, key: &Key) -> Result<()> {
    let mut statement = connection.prepare(
        "SELECT number FROM cell
         WHERE route = ? AND hour = ? AND release = ? AND shape = ? AND rate = ?",
    )?;
    let values = rusqlite::params![
        key.route,
        key.hour,
        key.release,
        key.shape.number(),
        key.rate
    ];
    let numbers = statement.query_map(values, |row| row.get(0))?;
    for number in numbers.collect::<rusqlite::Result<Vec<i64>>>()? {
        super::cells::remove(connection, number)?;
    }
    Ok(())
}

/// Calls `each` with the parts of those runs of a cell that can be read.
fn each_part(
    connection: &Connection,
    key: &Key,
    each: &mut dyn FnMut(RunSums) -> Result<()>,
) -> Result<()> {
    for (number, info) in runs::infos(connection, &runs::of_cell(key), usize::MAX >> 1)? {
        let file = dictionaries::file(connection, number);
        if let Ok(profile) = file.and_then(|file| profile_of(&file))
            && let Some(part) = sums_of_run(profile, &info)
        {
            each(part)?;
        }
    }
    Ok(())
}

fn keys(connection: &Connection) -> Result<Vec<Key>> {
    key_rows(
        connection,
        "SELECT route, hour, release, shape, rate FROM cell",
    )
}

/// The keys of the cells that the runs belong to.
fn keys_of_runs(connection: &Connection) -> Result<Vec<Key>> {
    key_rows(
        connection,
        "SELECT DISTINCT route, started / 3600000000, release, shape, rate FROM run
         WHERE shape IS NOT NULL",
    )
}

fn key_rows(connection: &Connection, select: &str) -> Result<Vec<Key>> {
    let mut statement = connection.prepare(select)?;
    let rows = statement.query_map([], |row| {
        Ok(Key {
            route: row.get(0)?,
            hour: row.get(1)?,
            release: row.get(2)?,
            shape: Shape::from_number(row.get(3)?),
            rate: row.get(4)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// A cell in words.
fn item(connection: &Connection, (route, hour): (i64, i64)) -> String {
    let name = connection.query_row("SELECT name FROM route WHERE id = ?", [route], |row| {
        row.get::<_, String>(0)
    });
    let route = name.unwrap_or_else(|_| format!("route {route}"));
    format!("sums of {route} in the hour {hour} since 1970")
}
