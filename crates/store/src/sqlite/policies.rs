//! The policies of a store, and what they removed.

use rusqlite::{Connection, Row, params};

use super::put::number;
use crate::{Error, Policies, Policy, Reason, Removal, RemovedFor, Result};

/// The most policies of applications, as many as there are applications.
const MAX_POLICIES: i64 = 1_000;

/// The longest name of an application, in bytes.
const MAX_NAME: usize = 1024;

const DAY_US: u64 = 86_400_000_000;

/// All policies.
pub(super) fn all(connection: &Connection) -> Result<Policies> {
    let mut policies = Policies::default();
    let mut statement = connection.prepare_cached(
        "SELECT app, days, runs, bytes, notable, keep_notable_days, sums_days, runs_a_day,
             bytes_a_day
         FROM policy ORDER BY app",
    )?;
    let rows = statement.query_map([], policy)?;
    for row in rows {
        let (app, policy) = row?;
        policies.add(app, policy);
    }
    Ok(policies)
}

fn policy(row: &Row<'_>) -> rusqlite::Result<(String, Policy)> {
    let policy = Policy {
        days: row.get(1)?,
        runs: row.get::<_, Option<i64>>(2)?.map(unsigned),
        bytes: row.get::<_, Option<i64>>(3)?.map(unsigned),
        notable: row.get(4)?,
        keep_notable_days: row.get(5)?,
        sums_days: row.get(6)?,
        runs_a_day: row.get::<_, Option<i64>>(7)?.map(unsigned),
        bytes_a_day: row.get::<_, Option<i64>>(8)?.map(unsigned),
    };
    Ok((row.get(0)?, policy))
}

/// Sets or removes a policy.
pub(super) fn set(
    connection: &Connection,
    app: Option<&str>,
    policy: Option<&Policy>,
) -> Result<()> {
    let app = match app {
        Some("") => return Err(Error::Query("an application has a name".to_owned())),
        Some(app) if app.len() > MAX_NAME => {
            let reason = format!("an application's name has at most {MAX_NAME} bytes");
            return Err(Error::Query(reason));
        }
        app => app.unwrap_or_default(),
    };
    connection.execute("DELETE FROM policy WHERE app = ?", [app])?;
    let Some(policy) = policy else {
        return Ok(());
    };
    policy.check()?;
    let count: i64 = connection.query_row("SELECT count(*) FROM policy", [], |row| row.get(0))?;
    if count > MAX_POLICIES {
        return Err(Error::Query(format!(
            "a store has at most {MAX_POLICIES} policies"
        )));
    }
    connection.execute(
        "INSERT INTO policy (app, days, runs, bytes, notable, keep_notable_days, sums_days,
             runs_a_day, bytes_a_day)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        params![
            app,
            policy.days,
            policy.runs.map(number),
            policy.bytes.map(number),
            policy.notable,
            policy.keep_notable_days,
            policy.sums_days,
            policy.runs_a_day.map(number),
            policy.bytes_a_day.map(number)
        ],
    )?;
    Ok(())
}

/// Notes what a policy removed.
pub(super) fn note(
    connection: &Connection,
    day: i64,
    app: &str,
    reason: Reason,
    removed: (u64, u64),
) -> Result<()> {
    let (count, bytes) = removed;
    let mut statement = connection.prepare_cached(
        "INSERT INTO removed (day, app, reason, count, bytes) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET count = count + excluded.count, bytes = bytes + excluded.bytes",
    )?;
    statement.execute(params![
        day,
        app,
        reason.name(),
        number(count),
        number(bytes)
    ])?;
    Ok(())
}

/// What was removed since an instant.
pub(super) fn removals(
    connection: &Connection,
    app: Option<&str>,
    since_us: u64,
) -> Result<Vec<Removal>> {
    let mut statement = connection.prepare_cached(
        "SELECT day, app, reason, count, bytes FROM removed
         WHERE day >= ?1 AND (?2 IS NULL OR app = ?2)
         ORDER BY day DESC, app, reason LIMIT 10000",
    )?;
    let rows = statement.query_map(params![number(since_us / DAY_US), app], |row| {
        let reason: String = row.get(2)?;
        Ok((reason, row.get(0)?, row.get(1)?, row.get(3)?, row.get(4)?))
    })?;
    let mut removals = Vec::new();
    for row in rows {
        let (reason, day, app, count, bytes): (String, i64, String, i64, i64) = row?;
        // A later version may have others.
        let Some(reason) = reason_of(&reason) else {
            continue;
        };
        removals.push(Removal {
            day_s: day * 86_400,
            app,
            reason,
            count: unsigned(count),
            bytes: unsigned(bytes),
        });
    }
    Ok(removals)
}

/// What was removed so far, by reason.
pub(super) fn removed(connection: &Connection) -> Result<Vec<RemovedFor>> {
    let mut statement =
        connection.prepare_cached("SELECT sum(count), sum(bytes) FROM removed WHERE reason = ?")?;
    let reasons = Reason::ALL.into_iter().map(|reason| {
        statement.query_row([reason.name()], |row| {
            Ok(RemovedFor {
                reason,
                count: unsigned(row.get::<_, Option<i64>>(0)?.unwrap_or(0)),
                bytes: unsigned(row.get::<_, Option<i64>>(1)?.unwrap_or(0)),
            })
        })
    });
    Ok(reasons.collect::<rusqlite::Result<_>>()?)
}

fn reason_of(name: &str) -> Option<Reason> {
    Reason::ALL.into_iter().find(|reason| reason.name() == name)
}

fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}
