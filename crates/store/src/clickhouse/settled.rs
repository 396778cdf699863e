//! The cells that are known to be as they should be.
//!
//! Rows stay in `changed` for hours, so most of them are of runs that are in their
//! cells by now. To compare ids with ids again for each question would cost as much as
//! all runs of the last hours. So a server remembers which version of a cell it found
//! right for which rows of `changed`, and a question compares versions, and hashes of
//! those rows.
//!
//! **Invariant:** what is remembered of a cell holds for that version and exactly those
//! rows. Each change of a cell has a new version, and before a run is stored or deleted
//! a row is added to `changed`. What a server may be about to do after that row is
//! never remembered: see [`compare`](super::changes).

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Inner;
use super::cells::Key;
use super::changes::ByCell;
use super::rows::Answer;
use super::seen::Seen;
use crate::Result;

/// The condition that selects all cells.
pub(super) const ALL: &str = "1";

/// More runs than these that are in no cell are first folded into theirs.
const MOST_CHANGED: usize = 1000;

/// The cells that were found right.
#[derive(Debug, Default)]
pub(super) struct Settled {
    cells: Mutex<HashMap<Key, Seen>>,
}

impl Settled {
    fn cells(&self) -> MutexGuard<'_, HashMap<Key, Seen>> {
        self.cells.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes cells that are as they should be.
    pub(super) fn note(&self, settled: &[(Key, Seen)]) {
        self.cells().extend(settled.iter().copied());
    }
}

/// The cells of a selection.
#[derive(Debug)]
pub(super) struct Selected {
    /// Those that are as they should be and have runs, with their versions.
    pub(super) cells: Vec<(Key, u64)>,
    /// The others.
    pub(super) changes: ByCell,
}

/// The latest version of cells, and whether they are gone; and the rows of `changed`.
type Seens = HashMap<Key, (Seen, bool)>;

impl Inner {
    /// The cells that a condition on `cell` and on `changed` selects. Many changes are
    /// folded into their cells first.
    pub(super) fn selected(&self, condition: &str) -> Result<Selected> {
        let selected = self.select(condition)?;
        let changed = selected.changes.values().map(|(_, runs)| runs.len());
        if changed.sum::<usize>() <= MOST_CHANGED {
            return Ok(selected);
        }
        self.fold_changes(&selected.changes)?;
        self.select(condition)
    }

    /// The changes that a condition selects.
    pub(super) fn unsettled(&self, condition: &str) -> Result<ByCell> {
        Ok(self.select(condition)?.changes)
    }

    fn select(&self, condition: &str) -> Result<Selected> {
        let mut seen = self.seen(condition)?;
        let mut changed: Vec<Key> = {
            let mut settled = self.settled.cells();
            if condition == ALL {
                // Those that have no rows in `changed` any more.
                let has_rows = |key: &Key| seen.get(key).is_some_and(|(seen, _)| seen.rows > 0);
                settled.retain(|key, _| has_rows(key));
            }
            let has_changed = |(key, (seen, _)): &(&Key, &(Seen, bool))| {
                seen.rows > 0 && settled.get(*key) != Some(seen)
            };
            seen.iter()
                .filter(has_changed)
                .map(|(key, _)| *key)
                .collect()
        };
        changed.sort_unstable();
        let (changes, versions) = self.changes_of(&changed, condition)?;
        // A cell may have had another version when it was compared, with more runs.
        for (key, (version, is_gone)) in versions {
            if let Some((seen, was_gone)) = seen.get_mut(&key) {
                (seen.version, *was_gone) = (version, is_gone);
            }
        }
        let cells = seen.into_iter().filter(|(key, (seen, is_gone))| {
            !changes.contains_key(key) && !is_gone && seen.version > 0
        });
        let mut cells: Vec<(Key, u64)> =
            cells.map(|(key, (seen, _))| (key, seen.version)).collect();
        cells.sort_unstable();
        Ok(Selected { cells, changes })
    }

    fn seen(&self, condition: &str) -> Result<Seens> {
        // One statement costs less than two.
        let bytes = self.client.read(&format!(
            "SELECT key, max(version), toUInt64(0), argMax(gone, version) FROM {}
             WHERE {condition} GROUP BY key
             UNION ALL
             SELECT key, count(), {}, toUInt8(2) FROM {} WHERE {condition} GROUP BY key",
            self.all("cell"),
            Seen::HASH,
            self.all("changed")
        ))?;
        let mut answer = Answer::new(&bytes);
        let mut all = Seens::new();
        while answer.has_more() {
            let key = answer.fixed()?;
            let (number, hash, kind) = (answer.u64()?, answer.u64()?, answer.u8()?);
            let nothing = Seen {
                version: 0,
                rows: 0,
                hash: 0,
            };
            let (seen, is_gone) = all.entry(key).or_insert((nothing, false));
            if kind == 2 {
                (seen.rows, seen.hash) = (number, hash);
            } else {
                (seen.version, *is_gone) = (number, kind == 1);
            }
        }
        Ok(all)
    }
}
