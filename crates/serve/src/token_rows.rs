//! Rows of tokens and sessions that a server need not read again for a moment.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use store::StoredToken;

/// How long a row is not read again: a token that another server removed works as
/// long here.
const KEPT: Duration = Duration::from_secs(5);

/// The most rows in memory.
const MOST: usize = 10_000;

/// Rows that were just read.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    rows: Mutex<HashMap<String, (Instant, StoredToken)>>,
}

impl Rows {
    /// The row of an id, if it was read a moment ago.
    pub(crate) fn kept(&self, id: &str) -> Option<StoredToken> {
        let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, row) = rows.get(id)?;
        (since.elapsed() < KEPT).then(|| row.clone())
    }

    /// Keeps a row that was read.
    pub(crate) fn keep(&self, row: &StoredToken) {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        if rows.len() >= MOST {
            rows.clear();
        }
        rows.insert(row.id.clone(), (Instant::now(), row.clone()));
    }

    /// Reads all rows again.
    pub(crate) fn forget(&self) {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        rows.clear();
    }
}
