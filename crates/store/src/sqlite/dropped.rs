//! Runs that agents dropped before they came here.

use rusqlite::{Connection, Row, params};

use super::put::number;
use crate::{DroppedRuns, Result};

const DAY_S: u64 = 86_400;

/// How long counters are kept, in days.
const KEPT_DAYS: i64 = 800;

/// The most counters of a store: beyond it the oldest days go.
const MAX_COUNTERS: i64 = 200_000;

/// The most counters of one answer.
const LISTED: u32 = 10_000;

/// Notes counters; each replaces a smaller one.
pub(super) fn note(connection: &Connection, rows: &[DroppedRuns]) -> Result<()> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO dropped (day, agent, app, reason, host, runs, bytes)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT DO UPDATE SET host = excluded.host,
             runs = max(runs, excluded.runs), bytes = max(bytes, excluded.bytes)",
    )?;
    for row in rows {
        let day = number(row.day_s / DAY_S);
        insert.execute(params![
            day,
            row.agent,
            row.app,
            row.reason,
            row.host,
            number(row.runs),
            number(row.bytes)
        ])?;
    }
    let newest: Option<i64> =
        connection.query_row("SELECT max(day) FROM dropped", [], |row| row.get(0))?;
    let oldest = newest.unwrap_or(0).saturating_sub(KEPT_DAYS);
    connection.execute("DELETE FROM dropped WHERE day < ?", [oldest])?;
    connection.execute(
        "DELETE FROM dropped WHERE day <=
         (SELECT day FROM dropped ORDER BY day DESC LIMIT 1 OFFSET ?)",
        [MAX_COUNTERS],
    )?;
    Ok(())
}

/// The counters since an instant, the latest first.
pub(super) fn since(
    connection: &Connection,
    app: Option<&str>,
    since_us: u64,
) -> Result<Vec<DroppedRuns>> {
    let mut find = connection.prepare_cached(
        "SELECT agent, host, day, app, reason, runs, bytes FROM dropped
         WHERE day >= ?1 AND (?2 IS NULL OR app = ?2)
         ORDER BY day DESC, app, reason, host, agent LIMIT ?3",
    )?;
    let since = number(since_us / 1_000_000 / DAY_S);
    let rows = find.query_map(params![since, app, LISTED], counter)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn counter(row: &Row<'_>) -> rusqlite::Result<DroppedRuns> {
    let unsigned = |value: i64| u64::try_from(value).unwrap_or(0);
    Ok(DroppedRuns {
        agent: row.get(0)?,
        host: row.get(1)?,
        day_s: unsigned(row.get(2)?).saturating_mul(DAY_S),
        app: row.get(3)?,
        reason: row.get(4)?,
        runs: unsigned(row.get(5)?),
        bytes: unsigned(row.get(6)?),
    })
}
