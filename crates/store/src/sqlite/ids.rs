//! Numbers for the names that rows refer to: applications, routes, releases and
//! functions. Only the writer uses them.
//!
//! **Invariant:** what is remembered here is in the database. So a transaction
//! that fails clears it.

use std::collections::HashMap;

use profile::Symbol;
use rusqlite::{Connection, OptionalExtension, params};

use crate::Result;

/// The most routes of an application. A program that puts numbers into its
/// routes would otherwise fill the store with sums of one run each.
const MAX_ROUTES: i64 = 10_000;

/// The most releases of an application.
const MAX_RELEASES: i64 = 10_000;

/// The most applications.
const MAX_APPS: i64 = 1_000;

/// The most names of functions.
const MAX_NAMES: i64 = 4_000_000;

/// How many names are remembered: about 100 bytes each.
const REMEMBERED: usize = 300_000;

/// What replaces names beyond a limit.
const OTHER: &str = "[other]";

/// The numbers that were looked up before.
#[derive(Debug, Default)]
pub(super) struct Ids {
    apps: HashMap<String, i64>,
    routes: HashMap<(i64, String), i64>,
    releases: HashMap<(i64, String), i64>,
    names: HashMap<Box<[u8]>, u32>,
}

impl Ids {
    /// Forgets everything: a transaction failed.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The number of an application.
    pub(super) fn app(&mut self, connection: &Connection, name: &str) -> Result<i64> {
        if let Some(&id) = self.apps.get(name) {
            return Ok(id);
        }
        let find = "SELECT id FROM app WHERE name = ?";
        let mut statement = connection.prepare_cached(find)?;
        let known = statement.query_row([name], |row| row.get(0)).optional()?;
        let id = match known {
            Some(id) => id,
            None => {
                let count: i64 =
                    connection.query_row("SELECT count(*) FROM app", [], |row| row.get(0))?;
                if count >= MAX_APPS && name != OTHER {
                    return self.app(connection, OTHER);
                }
                connection.execute("INSERT INTO app (name) VALUES (?)", [name])?;
                connection.last_insert_rowid()
            }
        };
        self.apps.insert(name.to_owned(), id);
        Ok(id)
    }

    /// The number of a route.
    pub(super) fn route(&mut self, connection: &Connection, app: i64, name: &str) -> Result<i64> {
        if self.routes.len() > REMEMBERED {
            self.routes.clear();
        }
        named(connection, &mut self.routes, "route", app, name, MAX_ROUTES)
    }

    /// The number of a release.
    pub(super) fn release(&mut self, connection: &Connection, app: i64, name: &str) -> Result<i64> {
        named(
            connection,
            &mut self.releases,
            "release",
            app,
            name,
            MAX_RELEASES,
        )
    }

    /// The numbers of functions.
    pub(super) fn names(
        &mut self,
        connection: &Connection,
        symbols: &[Symbol],
    ) -> Result<Vec<u32>> {
        if self.names.len() > REMEMBERED {
            self.names.clear();
        }
        let mut numbers = Vec::with_capacity(symbols.len());
        for symbol in symbols {
            let number = match self.names.get(&symbol.name) {
                Some(&number) => number,
                None => self.name(connection, symbol)?,
            };
            numbers.push(number);
        }
        Ok(numbers)
    }

    fn name(&mut self, connection: &Connection, symbol: &Symbol) -> Result<u32> {
        let mut find = connection.prepare_cached("SELECT id FROM name WHERE name = ?")?;
        let known: Option<i64> = find
            .query_row([&symbol.name[..]], |row| row.get(0))
            .optional()?;
        let id = match known {
            Some(id) => id,
            None => {
                let mut last = connection.prepare_cached("SELECT ifnull(max(id), 0) FROM name")?;
                let last: i64 = last.query_row([], |row| row.get(0))?;
                if last >= MAX_NAMES && &*symbol.name != OTHER.as_bytes() {
                    return self.name(connection, &Symbol::new(OTHER.as_bytes()));
                }
                let mut insert = connection.prepare_cached(
                    "INSERT INTO name (id, name, file, line, internal) VALUES (?, ?, ?, ?, ?)",
                )?;
                insert.execute(params![
                    last + 1,
                    &symbol.name[..],
                    symbol.file.as_deref(),
                    symbol.line,
                    symbol.internal
                ])?;
                last + 1
            }
        };
        let id = u32::try_from(id).unwrap_or(0);
        self.names.insert(symbol.name.clone(), id);
        Ok(id)
    }
}

fn named(
    connection: &Connection,
    known: &mut HashMap<(i64, String), i64>,
    table: &str,
    app: i64,
    name: &str,
    most: i64,
) -> Result<i64> {
    let key = (app, name.to_owned());
    if let Some(&id) = known.get(&key) {
        return Ok(id);
    }
    let find = format!("SELECT id FROM {table} WHERE app = ? AND name = ?");
    let mut statement = connection.prepare_cached(&find)?;
    let found = statement
        .query_row(params![app, name], |row| row.get(0))
        .optional()?;
    let id = match found {
        Some(id) => id,
        None => {
            let count = format!("SELECT count(*) FROM {table} WHERE app = ?");
            let count: i64 = connection.query_row(&count, [app], |row| row.get(0))?;
            if count >= most && name != OTHER {
                return named(connection, known, table, app, OTHER, most);
            }
            let insert = format!("INSERT INTO {table} (app, name) VALUES (?, ?)");
            connection.execute(&insert, params![app, name])?;
            connection.last_insert_rowid()
        }
    };
    known.insert(key, id);
    Ok(id)
}
