//! Tokens and sessions, and what counts for quotas.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::put::number;
use crate::{Error, Result, StoredToken, Taken};

const DAY_US: u64 = 86_400_000_000;

const COLUMNS: &str = "id, name, scopes, app, hash, created, until, session_of";

/// Adds a token, or a session.
pub(super) fn add(connection: &Connection, token: &StoredToken) -> Result<()> {
    token.check()?;
    let now = number(token.created_us);
    connection.execute("DELETE FROM token WHERE until <= ?", [now])?;
    let count: i64 = connection.query_row(
        "SELECT count(*) FROM token WHERE (session_of IS NULL) = ?",
        [token.session_of.is_none()],
        |row| row.get(0),
    )?;
    let most = StoredToken::MAX_TOKENS;
    if usize::try_from(count).unwrap_or(0) >= most {
        let kind = match token.session_of {
            Some(_) => "open sessions",
            None => "tokens",
        };
        return Err(Error::Query(format!("a store has at most {most} {kind}")));
    }
    let added = connection.execute(
        &format!("INSERT OR IGNORE INTO token ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
        params![
            token.id,
            token.name,
            token.scopes,
            token.app,
            token.hash,
            now,
            token.until_us.map(number),
            token.session_of
        ],
    )?;
    if added == 0 {
        return Err(Error::Query("id: there is such a token".to_owned()));
    }
    Ok(())
}

/// The token, or session, with that id.
pub(super) fn one(connection: &Connection, id: &str) -> Result<Option<StoredToken>> {
    let sql = format!("SELECT {COLUMNS} FROM token WHERE id = ?");
    let mut find = connection.prepare_cached(&sql)?;
    Ok(find.query_row([id], token).optional()?)
}

/// All tokens, without sessions.
pub(super) fn all(connection: &Connection) -> Result<Vec<StoredToken>> {
    let sql = format!("SELECT {COLUMNS} FROM token WHERE session_of IS NULL ORDER BY name, id");
    let mut find = connection.prepare_cached(&sql)?;
    let rows = find.query_map([], token)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn token(row: &Row<'_>) -> rusqlite::Result<StoredToken> {
    let unsigned = |value: i64| u64::try_from(value).unwrap_or(0);
    Ok(StoredToken {
        id: row.get(0)?,
        name: row.get(1)?,
        scopes: row.get(2)?,
        app: row.get(3)?,
        hash: row.get(4)?,
        created_us: unsigned(row.get(5)?),
        until_us: row.get::<_, Option<i64>>(6)?.map(unsigned),
        session_of: row.get(7)?,
    })
}

/// Removes a token with its sessions, or a session.
pub(super) fn remove(connection: &Connection, id: &str) -> Result<bool> {
    let removed = connection.execute("DELETE FROM token WHERE id = ?", [id])?;
    connection.execute("DELETE FROM token WHERE session_of = ?", [id])?;
    Ok(removed > 0)
}

/// What was stored of an application on the day of an instant.
pub(super) fn taken(connection: &Connection, app: &str, at_us: u64) -> Result<Taken> {
    let mut find =
        connection.prepare_cached("SELECT runs, bytes FROM taken WHERE day = ? AND app = ?")?;
    let found = find.query_row(params![number(at_us / DAY_US), app], |row| {
        let unsigned = |value: i64| u64::try_from(value).unwrap_or(0);
        Ok(Taken {
            runs: unsigned(row.get(0)?),
            bytes: unsigned(row.get(1)?),
        })
    });
    Ok(found.optional()?.unwrap_or_default())
}
