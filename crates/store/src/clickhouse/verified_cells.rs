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

use parking_lot::Mutex;

use super::Inner;
use super::cell_version::{CellVersion, DayRows};
use super::cells::Key;
use super::changes::ByCell;
use super::rows::RowReader;
use crate::Result;
use crate::answers::Resolution;

/// The condition that selects all cells.
pub(super) const ALL: &str = "1";

/// More runs than these that are in no cell are first folded into theirs.
const MAX_CHANGED: usize = 1000;

/// How many rows of `changed`, of how many cells, are folded at a time. After a bulk load
/// there may be millions, which would not fit into memory.
const ROWS: u64 = 20_000;
const CELLS: usize = 1000;

/// The cells that were found right.
#[derive(Debug, Default)]
pub(super) struct VerifiedCells {
    cells: Mutex<HashMap<Key, CellVersion>>,
    /// Held while a part of a backlog is folded: a question and the thread that folds
    /// would do the same work.
    folding: Mutex<()>,
}

impl VerifiedCells {
    /// Notes cells that are as they should be.
    pub(super) fn note(&self, settled: &[(Key, CellVersion)]) {
        self.cells.lock().extend(settled.iter().copied());
    }
}

/// The cells of a selection.
#[derive(Debug)]
pub(super) struct Selected {
    /// Those that are as they should be and have runs, with their versions, in order.
    pub(super) cells: Vec<(Key, u64)>,
    /// The others.
    pub(super) changes: ByCell,
    /// The sums of days, up to date or not, if days are exact enough.
    pub(super) days: Vec<(Key, u64)>,
    /// The rows of each day in the tables. Of a day with runs that may still be on their
    /// way there is nothing here.
    pub(super) rows: HashMap<u32, DayRows>,
}

/// What is in the tables of a cell.
#[derive(Debug, Clone, Copy, Default)]
struct Found {
    /// The latest version, and the rows of `changed`.
    cell_version: CellVersion,
    is_gone: bool,
    hour: u32,
}

/// What is in the tables of a selection.
#[derive(Debug, Default)]
struct AllFound {
    cells: HashMap<Key, Found>,
    days: Vec<(Key, u64)>,
    rows: HashMap<u32, DayRows>,
}

impl Inner {
    /// The cells that a condition on `cell` and on `changed` selects. Many changes are
    /// folded into their cells first.
    pub(super) fn selected(&self, condition: &str, step: Resolution) -> Result<Selected> {
        let found = self.found(condition, condition, step)?;
        let unknown = self.unknown(&found);
        if rows(&found, &unknown) <= ROWS {
            let selected = self.select(found, &unknown, condition)?;
            let changed = selected.changes.values().map(|(_, runs)| runs.len());
            if changed.sum::<usize>() <= MAX_CHANGED {
                return Ok(selected);
            }
            self.fold_changes(&selected.changes)?;
        } else {
            self.fold_cells(&found, unknown, condition)?;
        }
        let found = self.found(condition, condition, step)?;
        let unknown = self.unknown(&found);
        self.select(found, &unknown, condition)
    }

    /// Folds the changes that a condition selects into their cells. Returns the number of
    /// cells that were written.
    pub(super) fn fold_selected(&self, condition: &str) -> Result<u64> {
        // Cells without changes need nothing.
        let database = &self.client.address().database;
        let cells = format!(
            "(app, route, hour) IN (
                 SELECT app, route, hour FROM {database}.changed WHERE {condition})"
        );
        let found = self.found(&cells, condition, Resolution::Hour)?;
        if condition == ALL {
            // Those that have no rows in `changed` any more.
            let is_changed = |key: &Key| {
                found
                    .cells
                    .get(key)
                    .is_some_and(|of| of.cell_version.rows > 0)
            };
            self.verified.cells.lock().retain(|key, _| is_changed(key));
        }
        let unknown = self.unknown(&found);
        self.fold_cells(&found, unknown, condition)
    }

    /// Folds the changes of these cells, some at a time.
    fn fold_cells(&self, found: &AllFound, mut cells: Vec<Key>, condition: &str) -> Result<u64> {
        // Runs of one day are in one partition.
        cells.sort_by_key(|key| (found.cells.get(key).map(|found| found.hour), *key));
        let mut written = 0;
        let mut rest = cells.as_slice();
        while !rest.is_empty() {
            let mut sum = 0;
            let fits = |key: &&Key| {
                let is_first = sum == 0;
                sum += found
                    .cells
                    .get(*key)
                    .map_or(0, |found| found.cell_version.rows);
                is_first || sum <= ROWS
            };
            let length = rest.iter().take(CELLS).take_while(fits).count();
            let (some, after) = rest.split_at(length.max(1));
            rest = after;
            let folding = &self.verified.folding;
            let _alone = folding.lock();
            // Runs that another thread has folded since are in their cells, and are no changes.
            let (changes, _) = self.changes_of(some, condition)?;
            written += self.fold_changes(&changes)?;
        }
        Ok(written)
    }

    /// The cells with rows in `changed` which are not known to be as they should be.
    fn unknown(&self, found: &AllFound) -> Vec<Key> {
        let settled = self.verified.cells.lock();
        let cells = found.cells.iter();
        let unknown = cells.filter(|(key, found)| {
            found.cell_version.rows > 0 && settled.get(*key) != Some(&found.cell_version)
        });
        let mut unknown: Vec<Key> = unknown.map(|(key, _)| *key).collect();
        unknown.sort_unstable();
        unknown
    }

    fn select(&self, found: AllFound, unknown: &[Key], condition: &str) -> Result<Selected> {
        let (changes, versions) = self.changes_of(unknown, condition)?;
        let still_unknown = self.unknown(&found);
        let AllFound {
            mut cells,
            days,
            mut rows,
        } = found;
        for key in still_unknown {
            if let Some(found) = cells.get(&key) {
                rows.remove(&(found.hour / 24));
            }
        }
        // A cell may have had another version when it was compared, with more runs.
        for (key, (version, is_gone)) in versions {
            if let Some(found) = cells.get_mut(&key) {
                (found.cell_version.version, found.is_gone) = (version, is_gone);
            }
        }
        let cells = cells.into_iter().filter(|(key, found)| {
            !changes.contains_key(key) && !found.is_gone && found.cell_version.version > 0
        });
        let cells = cells.map(|(key, found)| (key, found.cell_version.version));
        let mut cells: Vec<(Key, u64)> = cells.collect();
        cells.sort_unstable();
        Ok(Selected {
            cells,
            changes,
            days,
            rows,
        })
    }

    /// What the tables have for a condition on `cell` and one on `changed`.
    fn found(&self, of_cells: &str, of_changed: &str, step: Resolution) -> Result<AllFound> {
        let days = match step {
            Resolution::Hour => String::new(),
            Resolution::Day => format!(
                " UNION ALL
                 SELECT key, max(version), {}, toUInt8({DAY}), any(hour), count() FROM {}
                 WHERE {of_cells} GROUP BY key",
                DayRows::VERSIONS,
                self.all("daily")
            ),
        };
        // One statement costs less than several.
        let bytes = self.client.read(&format!(
            "SELECT key, max(version), {}, argMax(gone, version), any(hour), count() FROM {}
             WHERE {of_cells} GROUP BY key
             UNION ALL
             SELECT key, toUInt64(0), {}, toUInt8({CHANGED}), any(hour), count() FROM {}
             WHERE {of_changed} GROUP BY key{days}",
            DayRows::VERSIONS,
            self.all("cell"),
            CellVersion::HASH,
            self.all("changed")
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut all = AllFound::default();
        while answer.has_more() {
            let key = answer.fixed()?;
            let (version, hash, kind) = (answer.u64()?, answer.u64()?, answer.u8()?);
            let (hour, count) = (answer.u32()?, answer.u64()?);
            let rows = all.rows.entry(hour / 24).or_default();
            match kind {
                DAY => {
                    rows.daily.add(count, hash);
                    all.days.push((key, version));
                }
                CHANGED => {
                    rows.changed.add(count, hash);
                    let found = all.cells.entry(key).or_default();
                    found.hour = hour;
                    (found.cell_version.rows, found.cell_version.hash) = (count, hash);
                }
                _ => {
                    rows.cell.add(count, hash);
                    let found = all.cells.entry(key).or_default();
                    found.hour = hour;
                    (found.cell_version.version, found.is_gone) = (version, kind == GONE);
                }
            }
        }
        Ok(all)
    }
}

/// What a row of [`Inner::found`] is about: a cell without runs, rows of `changed`, the
/// sums of a day, or else a cell.
const GONE: u8 = 1;
const CHANGED: u8 = 2;
const DAY: u8 = 3;

fn rows(found: &AllFound, cells: &[Key]) -> u64 {
    let cells = cells.iter().filter_map(|key| found.cells.get(key));
    cells.map(|found| found.cell_version.rows).sum()
}
