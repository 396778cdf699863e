//! What questions that belong together have found out, so that the later ones need not ask
//! again: which sums a selection has, and which runs a list had.
//!
//! **Invariant:** headers that are older than an answer do not make it wrong. A cell that has
//! another version by now is read with the changes that it has then, and a run that was
//! added to its cell since is in it by its id.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::Inner;
use super::select::Hours;
use super::sum_headers::SumHeaders;
use crate::answers::Resolution;
use crate::{Result, RunId, RunInfo, Selection};

/// Questions that belong together.
#[derive(Debug, Default)]
pub(super) struct QuerySession {
    headers: Mutex<HashMap<(String, Resolution), OneSelection>>,
    runs: Mutex<HashMap<RunId, RunInfo>>,
}

/// The heads of a selection, when they are known.
type OneSelection = Arc<Mutex<Option<SumHeaders>>>;

impl QuerySession {
    /// The heads of a selection, as they were when they were first asked for. Of several
    /// threads that ask at once, one reads them.
    pub(super) fn headers(
        &self,
        inner: &Inner,
        of: &Hours,
        step: Resolution,
    ) -> Result<SumHeaders> {
        let known = Arc::clone(
            self.headers
                .lock()
                .entry((of.condition(), step))
                .or_default(),
        );
        let mut known = known.lock();
        if let Some(headers) = &*known {
            return Ok(headers.clone());
        }
        let headers = inner.headers(of, step)?;
        *known = Some(headers.clone());
        Ok(headers)
    }

    /// Keeps the runs of a list.
    pub(super) fn keep(&self, runs: &[RunInfo]) {
        self.runs
            .lock()
            .extend(runs.iter().map(|run| (run.id, run.clone())));
    }

    /// The latest runs of a selection; none if not all of them are known. It is known only
    /// of ids, and of a time, whether a run is selected.
    pub(super) fn runs(&self, selection: &Selection, most: usize) -> Option<Vec<RunInfo>> {
        let of_ids = Selection {
            ids: selection.ids.clone(),
            since_us: selection.since_us,
            until_us: selection.until_us,
            ..Selection::default()
        };
        if selection.ids.is_empty() || of_ids != *selection {
            return None;
        }
        let known = self.runs.lock();
        let runs = selection.ids.iter().map(|id| known.get(id).cloned());
        let mut runs: Vec<RunInfo> = runs.collect::<Option<_>>()?;
        runs.retain(|run| {
            selection
                .since_us
                .is_none_or(|since| run.started_us >= since)
                && selection
                    .until_us
                    .is_none_or(|until| run.started_us < until)
        });
        runs.sort_unstable_by_key(|run| Reverse((run.started_us, run.id)));
        runs.dedup_by_key(|run| run.id);
        runs.truncate(most);
        Some(runs)
    }

    /// Forgets everything: something was stored or deleted.
    pub(super) fn clear(&self) {
        self.headers.lock().clear();
        self.runs.lock().clear();
    }
}
