//! Removes runs by age, number and size. Their sums stay.
//!
//! Readers find what is to be removed; the writer removes it in small
//! transactions, between which runs that arrive are written.
//!
//! **Invariant:** a run that got a label since it was found stays.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, params};

use super::put::{Open, number};
use super::writer::Writer;
use super::{cells, policies, runs};
use crate::expiry::{self, Candidate};
use crate::{Error, Policy, Reason, Removed, Result};

/// How many runs one transaction removes: runs that arrive wait for it.
const CHUNK: usize = 100;

/// How many pages one step gives back to the file system: 2 MiB.
const PAGES: u32 = 512;

/// How long a removed run is remembered, in days.
const REMEMBERED: i64 = 400;

const HOUR_US: u64 = 3_600_000_000;
const DAY_US: u64 = 24 * HOUR_US;

/// A run to remove.
#[derive(Debug, Clone, Copy)]
struct Victim {
    run: i64,
    /// Tells it from a later run that got its number.
    started: i64,
    size: u64,
    reason: Reason,
}

/// What is to be removed of an application.
#[derive(Debug, Default)]
pub(super) struct Plan {
    victims: Vec<Victim>,
    cells: Vec<i64>,
    days: Vec<i64>,
}

/// What a policy would remove.
pub(super) fn removable(
    connection: &Connection,
    app: &str,
    policy: &Policy,
    now_us: u64,
) -> Result<Removed> {
    let plan = plan(connection, app, policy, now_us)?;
    let mut removed = Removed {
        cells: plan.cells.len() as u64,
        ..Removed::default()
    };
    for victim in plan.victims {
        removed.add(victim.reason, victim.size);
    }
    Ok(removed)
}

/// Finds what a policy removes; nothing if there is no such application.
pub(super) fn plan(
    connection: &Connection,
    app: &str,
    policy: &Policy,
    now_us: u64,
) -> Result<Plan> {
    let find = "SELECT id FROM app WHERE name = ?";
    let app: Option<i64> = connection
        .query_row(find, [app], |row| row.get(0))
        .optional()?;
    let Some(app) = app else {
        return Ok(Plan::default());
    };
    let mut plan = Plan {
        victims: victims(connection, app, policy, now_us)?,
        ..Plan::default()
    };
    if let Some(days) = policy.sums_days {
        let before = cells::hour_of(now_us) - i64::from(days) * 24;
        let numbers = |sql: &str, before: i64| -> Result<Vec<i64>> {
            let mut statement = connection.prepare(sql)?;
            let rows = statement.query_map(params![before, app], |row| row.get(0))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        };
        // The sums of runs that are there stay: a label, or a late import, keeps
        // runs longer than sums.
        let old = |table: &str, column: &str, length: u64| {
            format!(
                "SELECT number FROM {table} AS old WHERE {column} < ?
                 AND route IN (SELECT id FROM route WHERE app = ?)
                 AND NOT EXISTS (SELECT 1 FROM run WHERE run.route = old.route
                     AND run.started >= old.{column} * {length}
                     AND run.started < (old.{column} + 1) * {length})"
            )
        };
        plan.cells = numbers(&old("cell", "hour", HOUR_US), before)?;
        plan.days = numbers(&old("day", "day", DAY_US), before.div_euclid(24))?;
    }
    Ok(plan)
}

/// The runs that a policy removes, those of each reason the latest first.
fn victims(connection: &Connection, app: i64, policy: &Policy, now_us: u64) -> Result<Vec<Victim>> {
    let notable = notable(connection, app, policy.notable)?;
    let mut statement = connection.prepare(
        "SELECT number, started, size, label <> '', ifnull(stored, started) FROM run WHERE app = ?
         ORDER BY started DESC, number DESC",
    )?;
    let rows = statement.query_map([app], |row| {
        let run: i64 = row.get(0)?;
        let unsigned = |value: i64| u64::try_from(value).unwrap_or(0);
        Ok(Candidate {
            run: (run, row.get(1)?),
            size: unsigned(row.get(2)?),
            has_label: row.get(3)?,
            is_notable: notable.contains(&run),
            stored: unsigned(row.get(4)?),
        })
    })?;
    let rows = rows.map(|row| row.map_err(Error::from));
    let victims = expiry::victims(rows, policy, now_us)?.into_iter();
    let victim = |((run, started), size, reason)| Victim {
        run,
        started,
        size,
        reason,
    };
    Ok(victims.map(victim).collect())
}

/// The slowest and the latest failed runs of each route.
fn notable(connection: &Connection, app: i64, most: u32) -> Result<HashSet<i64>> {
    let mut routes = connection.prepare("SELECT id FROM route WHERE app = ?")?;
    let routes = routes.query_map([app], |row| row.get::<_, i64>(0))?;
    let mut slowest =
        connection.prepare("SELECT number FROM run WHERE route = ? ORDER BY wall DESC LIMIT ?")?;
    let mut failed = connection.prepare(
        "SELECT number FROM run WHERE route = ? AND failed <> 0 ORDER BY started DESC LIMIT ?",
    )?;
    let mut notable = HashSet::new();
    for route in routes {
        let route = route?;
        for statement in [&mut slowest, &mut failed] {
            for run in statement.query_map(params![route, most], |row| row.get(0))? {
                notable.insert(run?);
            }
        }
    }
    Ok(notable)
}

/// Removes what was found.
pub(super) fn apply(writer: &Writer, app: &str, plan: &Plan, now_us: u64) -> Result<Removed> {
    let today = number(now_us / DAY_US);
    let mut removed = Removed::default();
    for chunk in plan.victims.chunks(CHUNK) {
        let (app, chunk) = (app.to_owned(), chunk.to_vec());
        for victim in writer.removal(move |open| remove(open, &app, &chunk, today))? {
            removed.add(victim.reason, victim.size);
        }
    }
    for chunk in plan.cells.chunks(CHUNK) {
        let (app, chunk) = (app.to_owned(), chunk.to_vec());
        removed.cells += chunk.len() as u64;
        writer.removal(move |open| remove_cells(open.connection, &app, &chunk, today))?;
    }
    for chunk in plan.days.chunks(CHUNK) {
        let chunk = chunk.to_vec();
        writer.removal(move |open| {
            let delete = "DELETE FROM day WHERE number = ?";
            let mut statement = open.connection.prepare_cached(delete)?;
            for day in &chunk {
                statement.execute([day])?;
            }
            Ok(())
        })?;
    }
    if removed != Removed::default() {
        writer.removal(move |open| {
            let forget = "DELETE FROM forgotten WHERE day < ?";
            open.connection.execute(forget, [today - REMEMBERED])?;
            Ok(())
        })?;
        give_back(writer)?;
    }
    Ok(removed)
}

/// Gives free pages back to the file system, some at a time.
pub(super) fn give_back(writer: &Writer) -> Result<()> {
    let free = |connection: &Connection| -> Result<u32> {
        Ok(connection.pragma_query_value(None, "freelist_count", |row| row.get(0))?)
    };
    let mut left = writer.outside(free)?;
    while left > 0 {
        let now = writer.removal_outside(move |connection| {
            connection.execute_batch(&format!("PRAGMA incremental_vacuum({PAGES})"))?;
            free(connection)
        })?;
        // Runs that arrive use free pages, too.
        if now >= left {
            break;
        }
        left = now;
    }
    Ok(())
}

/// Removes runs; returns those that were removed.
fn remove(open: &mut Open<'_>, app: &str, victims: &[Victim], today: i64) -> Result<Vec<Victim>> {
    let mut removed = Vec::with_capacity(victims.len());
    // A user may have deleted or labelled it since.
    let mut forget = open.connection.prepare_cached(
        "INSERT OR REPLACE INTO forgotten (id, day)
         SELECT id, ? FROM run WHERE number = ? AND started = ? AND label = ''",
    )?;
    for victim in victims {
        if forget.execute(params![today, victim.run, victim.started])? > 0 {
            runs::remove(open.connection, victim.run)?;
            removed.push(*victim);
        }
    }
    for reason in Reason::ALL {
        let of_reason = removed.iter().filter(|victim| victim.reason == reason);
        let (count, bytes) = of_reason.fold((0, 0), |(count, bytes), victim| {
            (count + 1, bytes + victim.size)
        });
        if count > 0 {
            policies::note(open.connection, today, app, reason, (count, bytes))?;
        }
    }
    Ok(removed)
}

fn remove_cells(connection: &Connection, app: &str, numbers: &[i64], today: i64) -> Result<()> {
    // The rest of such a day is summed again.
    let mut forget_day = connection.prepare_cached(
        "DELETE FROM daily
         WHERE (route, hour) IN (SELECT route, hour / 24 * 24 FROM cell WHERE number = ?)",
    )?;
    for &number in numbers {
        forget_day.execute([number])?;
        cells::remove(connection, number)?;
    }
    let count = numbers.len() as u64;
    policies::note(connection, today, app, Reason::Sums, (count, 0))
}
