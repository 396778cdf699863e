//! Removes objects of the bucket that no run has.
//!
//! Objects lose their run when a policy or a user removes it. Objects without a run
//! are also left when a server dies between an object and its row, or when two
//! servers store a run at once. Lists of the bucket find those.
//!
//! **Invariant:** an object is removed only if no row names it, twice with [`UNUSED_TIME`]
//! between, and its name is older than [`SETTLED`]. By then no statement can be left
//! that writes a row with it.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use super::client::MAX_SECONDS;
use super::files::{in_parallel, is_in_bucket, name_in, parts_of};
use super::literal::ids;
use super::periodic_thread::PeriodicThread;
use super::rows::RowReader;
use super::runs::these;
use super::{Inner, now_us};
use crate::{Result, RunId};

/// The age from which on an object without a row gets none any more.
pub(super) const SETTLED: Duration = Duration::from_secs(2 * 3600);

/// How long an object must be unused: longer than a statement that read its row.
pub(super) const UNUSED_TIME: Duration = Duration::from_secs(MAX_SECONDS + 60);

/// How often unused objects are removed, and one of 256 folders is listed.
const INTERVAL: Duration = Duration::from_secs(60);

/// Starts the thread that sweeps, if the store has a bucket.
pub(super) fn start(inner: Arc<Inner>) -> Result<Option<PeriodicThread>> {
    if inner.files.bucket.is_none() {
        return Ok(None);
    }
    let mut folder = now_us().to_le_bytes()[0];
    let work = move |_: &_| {
        // What fails is done by a later turn.
        let _ = inner.remove_unused(UNUSED_TIME);
        let _ = inner.find_unused(folder, SETTLED);
        folder = folder.wrapping_add(1);
    };
    PeriodicThread::start("store-sweeper", INTERVAL, work).map(Some)
}

impl Inner {
    /// Looks through the whole bucket, and removes what no run has. Returns the number
    /// of removed objects.
    pub(super) fn sweep(&self, settled: Duration, quiet: Duration) -> Result<u64> {
        let mut removed = 0;
        for folder in 0..=u8::MAX {
            self.find_unused(folder, settled)?;
        }
        if self.files.has_unused() {
            std::thread::sleep(quiet);
            removed += self.remove_unused(quiet)?;
        }
        Ok(removed)
    }

    /// Notes the objects of a folder that no row names.
    fn find_unused(&self, folder: u8, settled: Duration) -> Result<()> {
        let Some(bucket) = &self.files.bucket else {
            return Ok(());
        };
        let settled = u64::try_from(settled.as_micros()).unwrap_or(u64::MAX);
        let before = now_us().saturating_sub(settled);
        let digits = format!("{folder:02x}");
        let mut after: Option<String> = None;
        loop {
            let (names, has_more) = bucket.list(&digits, after.as_deref())?;
            after = names.last().cloned();
            let old = names.into_iter();
            let old = old.filter(|name| parts_of(name).is_some_and(|(_, time)| time < before));
            let old: Vec<String> = old.collect();
            let named = self.named(&old)?;
            let unused = old.into_iter().filter(|name| !named.contains(name));
            self.files.note_unused(unused);
            if !has_more || after.is_none() {
                return Ok(());
            }
        }
    }

    /// Removes the objects that have been unused for so long, and still are.
    fn remove_unused(&self, quiet: Duration) -> Result<u64> {
        let Some(bucket) = &self.files.bucket else {
            return Ok(0);
        };
        let mut removed = 0;
        for some in self.files.take_unused(quiet).chunks(1000) {
            let named = self.named(some)?;
            let unused: Vec<&String> = some.iter().filter(|name| !named.contains(*name)).collect();
            in_parallel(&unused, |name| bucket.delete(name))?;
            removed += unused.len() as u64;
        }
        Ok(removed)
    }

    /// Those of these objects that rows name.
    fn named(&self, names: &[String]) -> Result<HashSet<String>> {
        let runs: Vec<[u8; 16]> = names
            .iter()
            .filter_map(|name| parts_of(name).map(|(id, _)| id.0))
            .collect();
        if runs.is_empty() {
            return Ok(HashSet::new());
        }
        self.objects(&format!("id IN ({})", ids(&runs)))
    }

    /// The objects that the rows of these runs name.
    pub(super) fn objects_of(&self, runs: &[(RunId, u32)]) -> Result<HashSet<String>> {
        if self.files.bucket.is_none() || runs.is_empty() {
            return Ok(HashSet::new());
        }
        self.objects(&these(runs.iter().map(|(id, day)| (id, *day))))
    }

    fn objects(&self, condition: &str) -> Result<HashSet<String>> {
        let bytes = self.client.read(&format!(
            "SELECT file FROM {} FINAL WHERE {condition} AND {}",
            self.all("run"),
            is_in_bucket()
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut named = HashSet::new();
        while answer.has_more() {
            named.extend(name_in(answer.bytes()?).map(str::to_owned));
        }
        Ok(named)
    }
}
