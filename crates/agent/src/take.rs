//! From the spool into the queues.
//!
//! A batch is made in the folder `new`. When it has its name there, it is on the
//! disk whole; then it gets a name in the queue of each target, and its files
//! leave the spool. An agent that was killed in between goes on from there.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use spool::{Changes, Found, SETTLE_TIME, SkippedFiles, Version};

use crate::batch::{Batch, LARGE, MAX_RUNS, Part, Writer, fields};
use crate::entry::Entry;
use crate::error::{Error, Result};
use crate::files;
use crate::interest::Interest;
use crate::named::with_template_names;
use crate::shared::Shared;

/// How long to wait for an event of the kernel (inotify) before looking anyway.
const PAUSE: Duration = Duration::from_secs(5);

/// The shortest time between two looks: each reads the whole folder.
const BETWEEN: Duration = Duration::from_millis(100);

/// How many files are looked at together: they take memory.
const MAX_FILES_AT_ONCE: usize = 1000;

/// The largest file, as servers unpack no larger one.
const MAX_FILE: u64 = 512 << 20;

/// Takes files from the spool.
pub(crate) struct Taker {
    shared: Arc<Shared>,
    changes: Changes,
    left: SkippedFiles,
    /// Files that are in the queue, and could not be removed from the spool yet.
    unremoved: BTreeMap<PathBuf, Version>,
    folder: PathBuf,
    is_failing: bool,
}

/// A file with what is known of it.
struct Run {
    found: Found,
    name: String,
    interest: Interest,
}

/// What comes after a look at the spool.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    /// There is more.
    Now,
    /// A file is still being written.
    Soon,
    /// Nothing changes before that, unless the kernel says so.
    After(Duration),
}

impl Taker {
    /// Finishes what an agent that was killed has begun.
    pub(crate) fn new(shared: Arc<Shared>, changes: Changes) -> Result<Self> {
        let folder = shared.options.queue.join("new");
        files::own_folder(&folder).map_err(Error::queue(&folder))?;
        let mut taker = Self {
            shared,
            changes,
            left: SkippedFiles::default(),
            unremoved: BTreeMap::new(),
            folder,
            is_failing: false,
        };
        for entry in fs::read_dir(&taker.folder).map_err(Error::queue(&taker.folder))? {
            let entry = entry.map_err(Error::queue(&taker.folder))?;
            let path = entry.path();
            match entry.file_name().to_str().and_then(Entry::of_name) {
                Some(batch) => taker.put(&path, batch)?,
                None => files::remove(&path).map_err(Error::queue(&path))?,
            }
        }
        Ok(taker)
    }

    /// Takes files until the agent ends, then what is left.
    pub(crate) fn run(mut self) {
        loop {
            self.shared.beat();
            let is_end = self.shared.stop.is_set();
            if is_end && self.shared.options.attach.is_some() {
                // The last run is written at the end, and needs time to be sent.
                self.shared.has_sampled.wait(self.shared.options.drain / 2);
            }
            let next = match self.look(is_end) {
                Ok(next) => {
                    self.is_failing = false;
                    next
                }
                Err(error) => {
                    if !std::mem::replace(&mut self.is_failing, true) {
                        tracing::error!(%error, "files stay in the spool");
                    }
                    Next::After(PAUSE)
                }
            };
            match next {
                Next::Now => {}
                Next::Soon if is_end => std::thread::sleep(SETTLE_TIME),
                Next::After(_) if is_end => break,
                Next::Soon => self.changes.wait(SETTLE_TIME),
                Next::After(wait) => self.changes.wait(wait.min(PAUSE)),
            }
            self.shared.stop.wait(BETWEEN);
        }
        for target in &self.shared.targets {
            target.queue.close();
        }
    }

    /// Takes what is due; with `is_end` everything is.
    fn look(&mut self, is_end: bool) -> Result<Next> {
        self.remove_again();
        let mut found: Vec<Found> = Vec::new();
        let (mut is_waiting, mut is_cut) = (false, false);
        for folder in &self.shared.options.spools {
            let most = MAX_FILES_AT_ONCE.saturating_sub(found.len());
            let listing = spool::list(folder, &mut self.left, most);
            is_waiting |= listing.is_waiting;
            is_cut |= listing.is_cut;
            found.extend(listing.files);
        }
        let options = &self.shared.options;
        let bytes: u64 = found.iter().map(|file| file.version.bytes).sum();
        let oldest = found.iter().map(|file| file.age).max().unwrap_or_default();
        let is_due = is_end
            || is_cut
            || found.len() >= MAX_RUNS
            || bytes >= options.batch_bytes
            || oldest >= options.batch_age;
        let after = if is_waiting {
            Next::Soon
        } else {
            Next::After(options.batch_age.saturating_sub(oldest).max(BETWEEN))
        };
        if found.is_empty() {
            self.count_left();
            return Ok(if is_waiting {
                Next::Soon
            } else {
                Next::After(PAUSE)
            });
        }
        if !is_due {
            return Ok(after);
        }
        // The oldest first, so that what is late comes first.
        found.sort_by_key(|file| file.version.changed_ns);
        let runs: Vec<Run> = found
            .into_iter()
            .filter_map(|file| self.run_of(file))
            .collect();
        let (high, low): (Vec<_>, Vec<_>) = runs.into_iter().partition(|run| run.interest.is_high);
        for runs in [high, low] {
            for runs in batches(&runs, self.shared.options.batch_bytes) {
                self.shared.beat();
                self.take(runs)?;
            }
        }
        self.count_left();
        Ok(match after {
            _ if is_cut => Next::Now,
            after => after,
        })
    }

    fn count_left(&self) {
        let left = self.left.count() as u64;
        self.shared.left.store(left, Ordering::Relaxed);
    }

    /// What is known of a file; none if it stays.
    fn run_of(&mut self, found: Found) -> Option<Run> {
        let name = found.path.file_name().and_then(|name| name.to_str());
        let problem = match name {
            None => io::Error::other("its name is not UTF-8"),
            Some(name) => match opened(&found) {
                Ok(Some(file)) => {
                    let name = name.to_owned();
                    let interest = Interest::of(&file, self.shared.options.slow);
                    return Some(Run {
                        found,
                        name,
                        interest,
                    });
                }
                // Another file, or none: the next look finds it.
                Ok(None) => return None,
                Err(error) => error,
            },
        };
        self.leave(found, &problem);
        None
    }

    fn leave(&mut self, found: Found, error: &io::Error) {
        let owner = found.path.symlink_metadata().map_or(0, |file| file.uid());
        let file = found.path.display();
        if error.kind() == io::ErrorKind::PermissionDenied {
            tracing::warn!(
                %file, owner, %error,
                "cannot read it, so it stays; xhprof.file_permissions = 0640 and a common group \
                 allow that"
            );
        } else {
            tracing::warn!(%file, owner, %error, "not taken, so it stays");
        }
        self.left.add(found.path, found.version);
    }

    /// Notes a file that is in the queue and could not be removed. The log says it once
    /// for each folder.
    fn not_removed(&mut self, file: PathBuf, version: Version, error: &io::Error) {
        let folder = file.parent();
        if !self.unremoved.keys().any(|other| other.parent() == folder) {
            tracing::warn!(
                file = %file.display(), %error,
                "it is in the queue, but cannot be removed, so it stays until it can be; the agent \
                 needs to write into the folder"
            );
        }
        self.left.add(file.clone(), version);
        self.unremoved.insert(file, version);
    }

    /// Removes files that are in the queue and could not be removed before. They are
    /// tried until the first failure in a folder.
    fn remove_again(&mut self) {
        let mut failed: Option<PathBuf> = None;
        self.unremoved.retain(|file, version| {
            if failed.as_deref() == file.parent() {
                return true;
            }
            // Another file of this name is not ours to remove.
            if Version::of(file) != Some(*version) || files::remove(file).is_ok() {
                return false;
            }
            failed = file.parent().map(Path::to_owned);
            true
        });
    }

    /// Makes a batch of runs, and puts it into the queues.
    fn take(&mut self, runs: &[Run]) -> Result<()> {
        let new = self.folder.join("batch.tmp");
        let shared = Arc::clone(&self.shared);
        let options = &shared.options;
        let is_packed = runs.iter().all(|run| run.found.version.bytes <= LARGE);
        let mut writer = Writer::new(&new, &options.tags, is_packed)?;
        let app = options.tags.iter().find(|(name, _)| name == "app");
        let mut count = 0;
        for run in runs {
            let mut file = match opened(&run.found) {
                Ok(Some(file)) => file,
                Ok(None) => continue,
                Err(error) => {
                    self.leave(run.found.clone(), &error);
                    continue;
                }
            };
            let part = Part {
                name: run.name.clone(),
                app: app.map_or_else(|| run.interest.app.clone(), |(_, app)| app.clone()),
                bytes: 0,
                file: Some(run.found.path.clone()),
                version: Some(fields(run.found.version)),
            };
            let added = match with_template_names(&mut file) {
                Ok(Some(named)) => writer.add(part, named.as_slice()),
                Ok(None) => writer.add(part, file),
                Err(error) => {
                    self.leave(run.found.clone(), &error);
                    continue;
                }
            };
            match added {
                Err(Error::Spool(_, error)) => {
                    // The part is half written: the other files wait for the
                    // next look.
                    self.leave(run.found.clone(), &error);
                    return Ok(());
                }
                added => added?,
            };
            count += 1;
        }
        if count == 0 {
            return files::remove(&new).map_err(Error::queue(&new));
        }
        writer.finish()?;
        let batch = Entry {
            number: self.shared.number(),
            runs: count,
            is_high: runs.iter().all(|run| run.interest.is_high),
        };
        let path = self.folder.join(batch.name());
        fs::rename(&new, &path).map_err(Error::queue(&path))?;
        files::sync(&self.folder).map_err(Error::queue(&self.folder))?;
        if let Err(error) = self.put(&path, batch) {
            // Its files are still in the spool, and are taken again. What a
            // target has already is stored once.
            files::remove(&path).map_err(Error::queue(&path))?;
            return Err(error);
        }
        let taken = &self.shared.taken;
        taken.fetch_add(u64::from(count), Ordering::Relaxed);
        for target in &self.shared.targets {
            target.queue.shrink()?;
        }
        Ok(())
    }

    /// Puts a batch into the queues, and removes its files from the spool.
    fn put(&mut self, path: &Path, batch: Entry) -> Result<()> {
        let read = match Batch::open(path.to_owned()) {
            // Its files are still in the spool.
            Err(error @ Error::Damaged(..)) => {
                tracing::error!(%error, "it is made again");
                return files::remove(path).map_err(Error::queue(path));
            }
            read => read?,
        };
        for target in &self.shared.targets {
            target.queue.add(batch, path)?;
        }
        for part in read.contents.parts {
            let (Some(file), Some(version)) = (part.file, part.version) else {
                continue;
            };
            // Another file of this name is not ours to remove.
            let now = Version::of(&file);
            let Some(now) = now.filter(|now| fields(*now) == version) else {
                continue;
            };
            if let Err(error) = files::remove(&file) {
                self.not_removed(file, now, &error);
            }
        }
        files::remove(path).map_err(Error::queue(path))
    }
}

/// Opens a file of the spool; none if it is not the one that was found.
fn opened(found: &Found) -> io::Result<Option<File>> {
    if found.version.bytes > MAX_FILE {
        return Err(io::Error::other("it is larger than 512 MiB"));
    }
    let file = match spool::open(&found.path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let is_it = Version::from(&file.metadata()?) == found.version;
    Ok(is_it.then_some(file))
}

/// Groups of runs that fit into a batch; a large one is alone.
fn batches(runs: &[Run], most_bytes: u64) -> impl Iterator<Item = &[Run]> {
    let mut rest = runs;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let count = rest
            .iter()
            .take_while(|run| {
                let size = run.found.version.bytes;
                let fits = bytes == 0 || size <= LARGE && bytes + size <= most_bytes.min(LARGE);
                bytes += size.max(1);
                fits
            })
            .take(MAX_RUNS)
            .count();
        let (batch, behind) = rest.split_at(count);
        rest = behind;
        (!batch.is_empty()).then_some(batch)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(bytes: u64) -> Run {
        Run {
            found: Found {
                path: PathBuf::new(),
                version: Version {
                    device: 0,
                    inode: 0,
                    bytes,
                    changed_ns: 0,
                },
                age: Duration::ZERO,
            },
            name: String::new(),
            interest: Interest::default(),
        }
    }

    fn sizes(runs: &[u64]) -> Vec<usize> {
        let runs: Vec<_> = runs.iter().map(|bytes| run(*bytes)).collect();
        batches(&runs, 1000).map(<[Run]>::len).collect()
    }

    #[test]
    fn batches_have_a_size_and_large_runs_are_alone() {
        assert_eq!(sizes(&[]), [0; 0]);
        assert_eq!(sizes(&[400, 500, 300, 5000, 1]), [2, 1, 1, 1]);
        assert_eq!(sizes(&[1, LARGE + 1, 1]), [1, 1, 1]);
        assert_eq!(sizes(&[0; 250]), [100, 100, 50]);
        assert_eq!(sizes(&[2000, 2000]), [1, 1]);
    }
}
