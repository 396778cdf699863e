//! Dictionaries: files that those of other runs are compressed with.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use rusqlite::{Connection, OptionalExtension, params};

use super::SqliteStore;
use crate::packed::unpacked;
use crate::prepare::{Dictionaries, MAX_DICTIONARY, MAX_FILE};
use crate::transposed::restored;
use crate::{Error, Result, RunInfo};

/// How many are kept in memory.
const MAX_CACHED: usize = 256;

/// A dictionary with its number.
type Numbered = (i64, Arc<Vec<u8>>);

/// The dictionaries that were used lately.
#[derive(Debug, Default)]
pub(super) struct DictionaryCache {
    /// By application, route and release.
    by_route: Mutex<HashMap<[String; 3], Numbered>>,
}

impl Dictionaries for SqliteStore {
    fn find(&self, info: &RunInfo) -> Result<Option<Numbered>> {
        let kept = || self.dictionaries.by_route.lock();
        let key = [&info.app, &info.route, &info.release].map(Clone::clone);
        if let Some((number, data)) = kept().get(&key) {
            return Ok(Some((*number, Arc::clone(data))));
        }
        let found: Option<(i64, Vec<u8>)> = self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT dictionary.id, dictionary.data FROM app
                 JOIN route ON route.app = app.id AND route.name = ?2
                 JOIN release ON release.app = app.id AND release.name = ?3
                 JOIN dictionary
                 ON dictionary.route = route.id AND dictionary.release = release.id
                 WHERE app.name = ?1",
            )?;
            let values = params![info.app, info.route, info.release];
            let found = statement.query_row(values, |row| Ok((row.get(0)?, row.get(1)?)));
            Ok(found.optional()?)
        })?;
        let Some((number, packed)) = found else {
            return Ok(None);
        };
        let data: Arc<Vec<u8>> = Arc::new(plain(&packed)?);
        let mut kept = kept();
        if kept.len() >= MAX_CACHED {
            kept.clear();
        }
        kept.insert(key, (number, Arc::clone(&data)));
        Ok(Some((number, data)))
    }
}

fn plain(packed: &[u8]) -> Result<Vec<u8>> {
    unpacked(packed, &[], MAX_DICTIONARY)
        .map_err(|error| Error::Damaged(format!("a dictionary: {error}")))
}

/// The native file of a run.
pub(super) fn file(connection: &Connection, run: i64) -> Result<Vec<u8>> {
    let mut statement = connection.prepare_cached(
        "SELECT run_file.file, dictionary.data, run_file.dictionary FROM run_file
         LEFT JOIN dictionary ON dictionary.id = run_file.dictionary
         WHERE run_file.number = ?",
    )?;
    type Found = (Vec<u8>, Option<Vec<u8>>, Option<i64>);
    let found: Option<Found> = statement
        .query_row([run], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let damaged = |reason: &str| Error::Damaged(format!("the file of run number {run}: {reason}"));
    let file = match found {
        None => return Err(damaged("it is missing")),
        Some((_, None, Some(_))) => return Err(damaged("its dictionary is missing")),
        Some((file, None, None)) => unpacked(&file, &[], MAX_FILE),
        Some((file, Some(packed), _)) => unpacked(&file, &plain(&packed)?, MAX_FILE),
    };
    let file = file.map_err(|error| damaged(&error.to_string()))?;
    let native = restored(&file, MAX_FILE).ok_or_else(|| damaged("its columns do not fit"))?;
    Ok(native.into_owned())
}
