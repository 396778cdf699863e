//! Rows of tokens and sessions that were just read from the store.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use store::StoredToken;

/// How long a row is not read again: a token that another server removed works as
/// long here.
const CACHE_TIME: Duration = Duration::from_secs(5);

/// The most rows in memory.
const MAX_CACHED: usize = 10_000;

/// Rows that were just read.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    rows: Mutex<HashMap<String, (Instant, StoredToken)>>,
}

impl Rows {
    /// The row with that id, if it was just read.
    pub(crate) fn kept(&self, id: &str) -> Option<StoredToken> {
        let rows = self.rows.lock();
        let (since, row) = rows.get(id)?;
        (since.elapsed() < CACHE_TIME).then(|| row.clone())
    }

    /// Keeps a row that was read.
    pub(crate) fn keep(&self, row: &StoredToken) {
        let mut rows = self.rows.lock();
        if rows.len() >= MAX_CACHED {
            rows.clear();
        }
        rows.insert(row.id.clone(), (Instant::now(), row.clone()));
    }

    /// Reads all rows again.
    pub(crate) fn forget(&self) {
        let mut rows = self.rows.lock();
        rows.clear();
    }
}
