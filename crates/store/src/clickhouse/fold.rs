//! Folds runs into the sums of their hours, so that questions read few rows.
//!
//! Several servers may fold at once. A cell is written with the ids of its runs
//! under a higher version, so one of two writers wins, and the runs that only the
//! other had are folded again: they stay in `changed` until no writer can be left.
//!
//! **Invariant:** rows of `changed` are dropped only when all of their runs are in
//! their cells as they should be, and none of these cells was written within
//! [`QUIET_SECONDS`], which is longer than a writer may take ([`DEADLINE`]).

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::cells::Cell;
use super::changes::ByCell;
use super::periodic_thread::PeriodicThread;
use super::rows::{RowReader, RowWriter};
use super::runs::{Change, these};
use super::verified_cells::ALL;
use super::{Inner, now_us, schema};
use crate::{Error, Result, RunId};

/// How long a cell may be in memory before it is written. After that it is read
/// again.
const DEADLINE: Duration = Duration::from_secs(60);

/// How long the cells of runs must be unchanged before `changed` forgets the runs,
/// in seconds: ten times the deadline and the longest statement.
const QUIET_SECONDS: u64 = 1800;

/// How long the file of a deleted run stays, in seconds: as long as a writer may be
/// left that adds the run to its sums again, and it has to be taken out once more.
const SCRUB_AFTER: u64 = 300;

/// The age of those rows, in hours: longer than a server may take from a row of `changed`
/// to the row of its run. That is three inserts, each at most [`MAX_SECONDS`] on each
/// node, and the upload of files.
///
/// [`MAX_SECONDS`]: super::client::MAX_SECONDS
const KEPT_HOURS: u32 = 1;

/// Starts the thread that folds.
pub(super) fn start(inner: Arc<Inner>, every: Duration) -> Result<PeriodicThread> {
    PeriodicThread::start("store-folder", every, move |_| {
        // What fails is done the next time; questions read the runs until then.
        let _ = inner.fold().and_then(|_| inner.forget());
    })
}

impl Inner {
    /// Folds all changed runs into their cells. Returns the number of cells.
    pub(super) fn fold(&self) -> Result<u64> {
        let cells = self.fold_selected(ALL)?;
        self.scrub()?;
        Ok(cells)
    }

    /// Folds these.
    pub(super) fn fold_changes(&self, changes: &ByCell) -> Result<u64> {
        let mut written = 0;
        let mut began = Instant::now();
        self.each_changed_cell(changes, &mut |cells| {
            if began.elapsed() < DEADLINE {
                written += cells.len() as u64;
                self.write_cells(cells)?;
            }
            began = Instant::now();
            Ok(())
        })?;
        Ok(written)
    }

    /// Writes cells that were changed.
    pub(super) fn write_cells(&self, cells: Vec<Cell>) -> Result<()> {
        let version_jitter = version_jitter()?;
        let mut rows = RowWriter::default();
        for mut cell in cells {
            cell.version = now_us().max(cell.version + 1) + version_jitter;
            cell.is_gone = cell.totals.runs == 0;
            cell.write(&mut rows)?;
        }
        let into = format!("{} ({})", self.all("cell"), Cell::written_columns());
        self.client.insert(&into, &rows.bytes)
    }

    /// Removes the files of deleted runs that are out of the sums.
    fn scrub(&self) -> Result<()> {
        let database = &self.client.address().database;
        let of = format!("FROM {database}.changed");
        let before = now_us().saturating_sub(SCRUB_AFTER * 1_000_000);
        // The files of all other runs are not read for this.
        let bytes = self.client.read(&format!(
            "SELECT DISTINCT id, day FROM {} PREWHERE state = 2
             WHERE version < {before} AND day IN (SELECT DISTINCT day {of})
             AND id IN (SELECT id {of})",
            self.all("run")
        ))?;
        let deleted = read_runs(&bytes)?;
        for some in deleted.chunks(1000) {
            let bytes = self.client.read(&format!(
                "SELECT id, day FROM {} FINAL
                 WHERE {} AND state = 2 AND notEmpty(file) AND version < {before}
                 AND id NOT IN (SELECT arrayJoin(ids) FROM {database}.cell FINAL
                     WHERE (app, route, hour) IN (SELECT app, route, hour {of}))",
                self.all("run"),
                these(some.iter().map(|(id, day)| (id, *day)))
            ))?;
            self.change(&read_runs(&bytes)?, &Change::Scrubbed)?;
        }
        Ok(())
    }

    /// Drops what is not needed any more.
    pub(super) fn forget(&self) -> Result<()> {
        self.forget_changes()?;
        self.forget_taken()
    }

    /// Drops the rows of `changed` of those hours that are done.
    fn forget_changes(&self) -> Result<()> {
        let bytes = self.client.read(&format!(
            "SELECT DISTINCT toRelativeHourNum(arrived) FROM {}
             WHERE toRelativeHourNum(arrived) + {KEPT_HOURS} < toRelativeHourNum(now())",
            self.all("changed")
        ))?;
        let mut answer = RowReader::new(&bytes);
        while answer.has_more() {
            let hour = answer.u32()?;
            let of_hour = format!("toRelativeHourNum(arrived) = {hour}");
            if self.is_quiet(&of_hour)? && self.changes(&of_hour)?.is_empty() {
                schema::drop_partition(&self.client, "changed", hour)?;
            }
        }
        Ok(())
    }

    /// Whether no cell of these changes was written lately.
    fn is_quiet(&self, of_hour: &str) -> Result<bool> {
        let database = &self.client.address().database;
        let bytes = self.client.read(&format!(
            "SELECT count() FROM {} WHERE written + {QUIET_SECONDS} > now()
             AND (app, route, hour) IN (
                 SELECT app, route, hour FROM {database}.changed WHERE {of_hour})",
            self.all("cell")
        ))?;
        Ok(RowReader::new(&bytes).u64()? == 0)
    }
}

/// Something to add to a version: two servers that write a row at once must not give two
/// contents one version, because servers remember contents by version.
pub(super) fn version_jitter() -> Result<u64> {
    let mut version_jitter = [0; 2];
    getrandom::fill(&mut version_jitter).map_err(|error| Error::Io(error.to_string()))?;
    Ok(u64::from(u16::from_ne_bytes(version_jitter)))
}

fn read_runs(bytes: &[u8]) -> Result<Vec<(RunId, u32)>> {
    let mut answer = RowReader::new(bytes);
    let mut runs = Vec::new();
    while answer.has_more() {
        runs.push((RunId(answer.fixed()?), answer.u32()?));
    }
    Ok(runs)
}
