//! Deletes runs, and takes them out of the sums.

use super::Inner;
use super::literal::ids;
use super::runs::{Change, these};
use crate::{Result, RunId};

impl Inner {
    /// Deletes those runs of `ids` that are there. If this fails in between, the runs
    /// that are deleted do not count, and folding does the rest.
    pub(super) fn delete(&self, asked: &[RunId]) -> Result<Vec<RunId>> {
        let runs = self.present(asked)?;
        for some in runs.chunks(500) {
            // Without its file, a run could not be taken out of the sums.
            self.files.check(self.objects_of(some)?)?;
            self.mark_changed(some)?;
            self.change(some, &Change::Deleted)?;
            let condition = format!("id IN ({})", ids(some.iter().map(|(id, _)| &id.0)));
            let changes = self.changes(&condition)?;
            self.fold_changes(&changes)?;
        }
        Ok(runs.into_iter().map(|(id, _)| id).collect())
    }

    /// Notes that runs may not be in their cells as they should be, twice: a run that
    /// is named once was stored, and one that is in its cell then needs nothing more
    /// ([`settled`](super::verified_cells)).
    pub(super) fn mark_changed(&self, runs: &[(RunId, u32)]) -> Result<()> {
        if runs.is_empty() {
            return Ok(());
        }
        self.client.execute(&format!(
            "INSERT INTO {} (id, key, day, hour, app, route, release)
             SELECT id, key, day, toUInt32(intDiv(started, 3600000000)), app, route, release
             FROM (SELECT id, key, day, started, app, route, release, arrayJoin([1, 2]) AS time
                 FROM {} FINAL WHERE {} AND shape >= 0)",
            self.all("changed"),
            self.all("run"),
            these(runs.iter().map(|(id, day)| (id, *day)))
        ))
    }
}
