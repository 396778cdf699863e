//! The tables, and how older stores get them.

use rusqlite::Connection;

use crate::{Error, Result};

/// Each step is applied once, in a transaction; `user_version` counts them.
/// Steps are never changed, only added.
const STEPS: [&str; 9] = [
    include_str!("schema-1.sql"),
    include_str!("schema-2.sql"),
    include_str!("schema-daily.sql"),
    include_str!("schema-sizes.sql"),
    include_str!("schema-dropped.sql"),
    include_str!("schema-tokens.sql"),
    include_str!("schema-slowest.sql"),
    include_str!("schema-totals.sql"),
    include_str!("schema-traces.sql"),
];

/// Creates the tables, or brings those of an older version up to date.
pub(super) fn migrate(connection: &mut Connection) -> Result<()> {
    let found = version(connection)?;
    for (number, step) in (1_i64..).zip(STEPS) {
        if number <= found {
            continue;
        }
        let transaction = connection.transaction()?;
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "user_version", number)?;
        transaction.commit()?;
    }
    check(connection)
}

/// Whether an older version wrote the store.
pub(super) fn is_older(connection: &Connection) -> Result<bool> {
    Ok(usize::try_from(version(connection)?).is_ok_and(|found| found < STEPS.len()))
}

/// Refuses a store of a later version.
pub(super) fn check(connection: &Connection) -> Result<()> {
    let newest = i64::try_from(STEPS.len()).unwrap_or(i64::MAX);
    match version(connection)? {
        found if found > newest => Err(Error::Version { found, newest }),
        _ => Ok(()),
    }
}

fn version(connection: &Connection) -> Result<i64> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}
