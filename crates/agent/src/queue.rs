//! The batches of one target, on the disk until it has acknowledged them.
//!
//! **Invariant:** a batch is sent by one connection at a time, and is not dropped
//! while it is sent. Whatever is removed without an acknowledgement is in the
//! ledger before.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{fs, io};

use parking_lot::{Condvar, Mutex};

use crate::batch::Batch;
use crate::dropped::{Dropped, Ledger, Reason, Report};
use crate::entry::Entry;
use crate::error::{Error, Result};
use crate::files;
use crate::waiting::{Size, Waiting};

/// The most batches of a target: each takes memory.
const MAX_BATCHES: usize = 50_000;

/// The unit in which disks give space.
const BLOCK: u64 = 4096;

#[derive(Debug)]
struct State {
    waiting: Waiting,
    /// Whether no batches are added any more.
    is_closed: bool,
    ledger: Ledger,
    acknowledged: Acknowledged,
}

/// What the target has, since the start of the agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Acknowledged {
    pub(crate) runs: u64,
    /// The last acknowledgement, in seconds since 1970.
    pub(crate) at_s: u64,
}

/// The batches of one target.
#[derive(Debug)]
pub(crate) struct Queue {
    folder: PathBuf,
    most_bytes: u64,
    state: Mutex<State>,
    changed: Condvar,
}

impl Queue {
    /// Opens a queue, which may be new, and removes what was counted as dropped.
    pub(crate) fn open(folder: PathBuf, most_bytes: u64) -> Result<Self> {
        files::own_folder(&folder).map_err(Error::queue(&folder))?;
        let mut ledger = Ledger::open(&folder)?;
        let mut waiting = Waiting::default();
        for entry in fs::read_dir(&folder).map_err(Error::queue(&folder))? {
            let entry = entry.map_err(Error::queue(&folder))?;
            let path = entry.path();
            let name = entry.file_name();
            let Some(batch) = name.to_str().and_then(Entry::of_name) else {
                // Halves of a batch that was being split.
                if path.extension().is_some_and(|ending| ending == "tmp") {
                    files::remove(&path).map_err(Error::queue(&path))?;
                }
                continue;
            };
            if ledger.counted().contains(&batch.number) {
                files::remove(&path).map_err(Error::queue(&path))?;
                continue;
            }
            let bytes = on_disk(&path).map_err(Error::queue(&path))?;
            waiting.add(batch, bytes);
        }
        ledger.forget_counted();
        Ok(Self {
            folder,
            most_bytes,
            state: Mutex::new(State {
                waiting,
                is_closed: false,
                ledger,
                acknowledged: Acknowledged::default(),
            }),
            changed: Condvar::new(),
        })
    }

    fn path(&self, batch: Entry) -> PathBuf {
        self.folder.join(batch.name())
    }

    /// The highest number of a batch.
    pub(crate) fn last(&self) -> u64 {
        let state = self.state.lock();
        state.waiting.numbers().next_back().unwrap_or(0)
    }

    pub(crate) fn size(&self) -> Size {
        self.state.lock().waiting.size()
    }

    pub(crate) fn acknowledged(&self) -> Acknowledged {
        self.state.lock().acknowledged
    }

    /// Runs that were dropped for a reason.
    pub(crate) fn dropped(&self, reason: Reason) -> u64 {
        self.state.lock().ledger.total(reason)
    }

    /// Adds a batch, which is on the disk elsewhere, and drops what is too much.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    pub(crate) fn add(&self, batch: Entry, from: &Path) -> Result<()> {
        let path = self.path(batch);
        let mut state = self.state.lock();
        match fs::hard_link(from, &path) {
            // An agent that was killed has linked it before.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            linked => linked.map_err(Error::queue(&path))?,
        }
        files::sync(&self.folder).map_err(Error::queue(&self.folder))?;
        let bytes = on_disk(&path).map_err(Error::queue(&path))?;
        state.waiting.add(batch, bytes);
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    /// Drops what is beyond the limit: the oldest runs that are neither slow nor
    /// failed nor asked for, then the oldest.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    pub(crate) fn shrink(&self) -> Result<()> {
        let mut state = self.state.lock();
        let is_full = |size: Size| size.bytes > self.most_bytes || size.batches > MAX_BATCHES;
        while is_full(state.waiting.size()) {
            let Some(batch) = state.waiting.least_interesting() else {
                return Ok(());
            };
            self.drop_batch(&mut state, batch, Reason::QueueFull)?;
        }
        Ok(())
    }

    /// Counts all runs of a batch as dropped, then removes it.
    fn drop_batch(&self, state: &mut State, batch: Entry, reason: Reason) -> Result<()> {
        let path = self.path(batch);
        let runs = match Batch::open(path.clone()) {
            Ok(read) => read.contents.parts.into_iter(),
            Err(error) => {
                tracing::error!(%error, "a batch is dropped");
                Vec::new().into_iter()
            }
        };
        let mut runs: Vec<_> = runs
            .map(|part| Dropped {
                app: part.app,
                bytes: part.bytes,
                reason,
            })
            .collect();
        // The name says how many there were.
        while runs.len() < batch.runs as usize {
            runs.push(Dropped {
                app: String::new(),
                bytes: 0,
                reason: Reason::Damaged,
            });
        }
        tracing::warn!(
            runs = runs.len(),
            reason = reason.name(),
            "runs are dropped"
        );
        self.remove_counted(state, batch, &runs)
    }

    /// Counts runs of a batch as dropped, and removes it. If they cannot be counted, the
    /// batch stays.
    fn remove_counted(&self, state: &mut State, batch: Entry, runs: &[Dropped]) -> Result<()> {
        state.ledger.count(batch.number, runs)?;
        self.remove(state, batch)
    }

    fn remove(&self, state: &mut State, batch: Entry) -> Result<()> {
        let path = self.path(batch);
        files::remove(&path).map_err(Error::queue(&path))?;
        state.ledger.forget_counted();
        state.waiting.remove(batch);
        Ok(())
    }

    /// The batch that is to be sent next; none after `most` without one. It is
    /// given back by [`later`](Self::later) or [`put_back`](Self::put_back), or ends with
    /// one of the others.
    pub(crate) fn next(&self, most: Duration) -> Option<Entry> {
        let mut state = self.state.lock();
        let is_over = state.is_closed && state.waiting.is_empty();
        if state.waiting.next().is_none() && !is_over {
            self.changed.wait_for(&mut state, most);
        }
        state.waiting.take()
    }

    /// Says that no batches are added any more.
    pub(crate) fn close(&self) {
        self.state.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Whether nothing is left to send, and nothing more is added.
    pub(crate) fn is_over(&self) -> bool {
        let state = self.state.lock();
        state.is_closed && state.waiting.is_empty()
    }

    /// Reads a batch.
    pub(crate) fn read(&self, batch: Entry) -> Result<Batch> {
        Batch::open(self.path(batch))
    }

    /// Gives back a batch that was not sent.
    pub(crate) fn put_back(&self, batch: Entry) {
        self.state.lock().waiting.put_back(batch);
        self.changed.notify_all();
    }

    /// Keeps a batch that was not acknowledged. With `is_last` the others have
    /// their turn before.
    pub(crate) fn later(&self, batch: Entry, is_last: bool) {
        let mut state = self.state.lock();
        state.waiting.put_back(batch);
        if is_last {
            state.waiting.go_on_behind(batch);
        } else {
            state.waiting.go_on_with_the_oldest();
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Removes a batch that the server has, and counts the runs that it took and those
    /// that it refused. A thread that finds the batch gone finds the counters with it. After an
    /// error no other connection gets the batch before it is given back.
    pub(crate) fn done(&self, batch: Entry, taken: u64, refused: &[Dropped]) -> Result<()> {
        let mut state = self.state.lock();
        if refused.is_empty() {
            self.remove(&mut state, batch)?;
        } else {
            self.remove_counted(&mut state, batch, refused)?;
        }
        self.ended(&mut state);
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        state.acknowledged = Acknowledged {
            runs: state.acknowledged.runs.saturating_add(taken),
            at_s: now.map_or(0, |now| now.as_secs()),
        };
        Ok(())
    }

    /// Drops a batch that cannot be sent. After an error it is to be given back.
    pub(crate) fn give_up(&self, batch: Entry, reason: Reason) -> Result<()> {
        let mut state = self.state.lock();
        self.drop_batch(&mut state, batch, reason)?;
        self.ended(&mut state);
        Ok(())
    }

    /// Replaces a batch by two with the halves of its runs. After an error it is to be given
    /// back.
    pub(crate) fn split(&self, batch: &Batch, entry: Entry, numbers: [u64; 2]) -> Result<()> {
        let new = numbers.map(|number| self.folder.join(format!("{number}.tmp")));
        let [left, right] = &new;
        let runs = batch.split([left, right])?;
        let mut state = self.state.lock();
        for ((path, number), runs) in new.iter().zip(numbers).zip(runs) {
            let half = Entry {
                number,
                runs: u32::try_from(runs).unwrap_or(u32::MAX),
                is_high: entry.is_high,
            };
            let to = self.path(half);
            fs::rename(path, &to).map_err(Error::queue(&to))?;
            let bytes = on_disk(&to).map_err(Error::queue(&to))?;
            state.waiting.add(half, bytes);
        }
        files::sync(&self.folder).map_err(Error::queue(&self.folder))?;
        self.remove(&mut state, entry)?;
        self.ended(&mut state);
        Ok(())
    }

    /// Notes that a batch is gone: batches that failed before are tried again, and the
    /// threads that wait for the end of the queue are woken.
    fn ended(&self, state: &mut State) {
        state.waiting.go_on_with_the_oldest();
        self.changed.notify_all();
    }

    /// What the server has to know about dropped runs.
    pub(crate) fn report(&self) -> Option<Report> {
        self.state.lock().ledger.report()
    }

    /// Notes that the server has a report.
    pub(crate) fn reported(&self, report: &Report) {
        self.state.lock().ledger.reported(report);
    }
}

/// The space of a file, in whole blocks.
fn on_disk(path: &Path) -> io::Result<u64> {
    Ok(path.symlink_metadata()?.len().next_multiple_of(BLOCK))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{Part, Writer};

    struct Fixture {
        folder: tempfile::TempDir,
        queue: Queue,
    }

    impl Fixture {
        fn new(most_bytes: u64) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let queue = Queue::open(folder.path().join("q"), most_bytes).unwrap();
            Self { folder, queue }
        }

        fn reopened(self, most_bytes: u64) -> Self {
            drop(self.queue);
            let queue = Queue::open(self.folder.path().join("q"), most_bytes).unwrap();
            Self { queue, ..self }
        }

        /// Adds a batch of a block.
        fn add(&self, number: u64, runs: u32, is_high: bool) -> Entry {
            let path = self.folder.path().join("new");
            let mut writer = Writer::new(&path, &[], true).unwrap();
            for run in 0..runs {
                let part = Part {
                    name: format!("{number}.{run}"),
                    app: "shop".to_owned(),
                    bytes: 0,
                    file: None,
                    version: None,
                };
                writer.add(part, &b"content"[..]).unwrap();
            }
            writer.finish().unwrap();
            let entry = Entry {
                number,
                runs,
                is_high,
            };
            self.queue.add(entry, &path).unwrap();
            self.queue.shrink().unwrap();
            entry
        }

        fn numbers(&self) -> Vec<u64> {
            self.queue.state.lock().waiting.numbers().collect()
        }
    }

    #[test]
    fn the_least_interesting_runs_are_dropped_first_and_counted() {
        let fixture = Fixture::new(3 * BLOCK);
        fixture.add(1, 2, true);
        fixture.add(2, 3, false);
        fixture.add(3, 1, true);
        fixture.add(4, 1, false);
        assert_eq!(fixture.numbers(), [1, 3, 4]);
        assert_eq!(fixture.queue.dropped(Reason::QueueFull), 3);
        fixture.add(5, 1, true);
        fixture.add(6, 4, true);
        assert_eq!(fixture.numbers(), [3, 5, 6]);
        assert_eq!(fixture.queue.dropped(Reason::QueueFull), 6);
        // One that finds only interesting ones is dropped itself.
        fixture.add(7, 1, false);
        assert_eq!(fixture.numbers(), [3, 5, 6]);
        assert_eq!(fixture.queue.size().runs, 6);
    }

    #[test]
    fn what_is_being_sent_is_not_dropped() {
        let fixture = Fixture::new(BLOCK);
        let first = fixture.add(1, 1, false);
        assert_eq!(fixture.queue.next(Duration::ZERO), Some(first));
        fixture.add(2, 5, true);
        assert_eq!(fixture.numbers(), [1]);
        fixture.queue.done(first, 1, &[]).unwrap();
        assert_eq!(fixture.queue.acknowledged().runs, 1);
        assert_eq!(fixture.queue.size(), Size::default());
        assert_eq!(fixture.queue.dropped(Reason::QueueFull), 5);
    }

    fn refused() -> Dropped {
        Dropped {
            app: "shop".to_owned(),
            bytes: 7,
            reason: Reason::OverQuota,
        }
    }

    #[test]
    fn a_batch_whose_dropped_runs_cannot_be_counted_stays() {
        let fixture = Fixture::new(1 << 20);
        let entry = fixture.add(1, 2, false);
        let spare = fixture.queue.folder.join("dropped.spare");
        fs::remove_file(&spare).unwrap();
        fs::create_dir(&spare).unwrap();
        let runs = [refused(), refused()];
        let next = || fixture.queue.next(Duration::ZERO);
        assert_eq!(next(), Some(entry));
        assert!(fixture.queue.done(entry, 0, &runs).is_err());
        assert_eq!(fixture.numbers(), [1]);
        assert_eq!(next(), None);
        fixture.queue.later(entry, true);
        assert_eq!(next(), Some(entry));
        assert_eq!(fixture.queue.dropped(Reason::OverQuota), 0);
        fs::remove_dir(&spare).unwrap();
        fixture.queue.done(entry, 0, &runs).unwrap();
        assert_eq!(fixture.numbers(), [0; 0]);
        assert_eq!(fixture.queue.dropped(Reason::OverQuota), 2);
    }

    /// A file system of 1 MiB in memory, which only root can make.
    struct SmallDisk(tempfile::TempDir);

    impl SmallDisk {
        fn new() -> Option<Self> {
            let folder = tempfile::tempdir().unwrap();
            let mut mount = std::process::Command::new("mount");
            mount.args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]);
            let mounted = mount.arg(folder.path()).output();
            let is_mounted = mounted.is_ok_and(|mounted| mounted.status.success());
            is_mounted.then_some(Self(folder))
        }
    }

    impl Drop for SmallDisk {
        fn drop(&mut self) {
            let mut unmount = std::process::Command::new("umount");
            unmount.arg(self.0.path()).output().unwrap();
        }
    }

    #[test]
    fn dropped_runs_are_counted_before_they_are_removed_on_a_full_disk() {
        let Some(disk) = SmallDisk::new() else {
            eprintln!("not run: only root can mount a small disk");
            return;
        };
        let queue = Queue::open(disk.0.path().join("q"), 1 << 20).unwrap();
        let entry = Entry {
            number: 1,
            runs: 1,
            is_high: false,
        };
        let path = disk.0.path().join("new");
        Writer::new(&path, &[], true).unwrap().finish().unwrap();
        queue.add(entry, &path).unwrap();
        let filled = fs::write(disk.0.path().join("other"), vec![1; 2 << 20]);
        assert_eq!(filled.unwrap_err().kind(), io::ErrorKind::StorageFull);
        queue.state.lock().ledger.count(1, &[refused()]).unwrap();
        // An agent that is killed here has counted the batch, and removes it.
        drop(queue);
        let queue = Queue::open(disk.0.path().join("q"), 1 << 20).unwrap();
        assert_eq!(queue.dropped(Reason::OverQuota), 1);
        assert_eq!(queue.size().batches, 0);
    }

    #[test]
    fn batches_survive_a_restart_and_those_that_were_counted_do_not() {
        let fixture = Fixture::new(1 << 20);
        let first = fixture.add(1, 2, false);
        fixture.add(2, 1, true);
        // As if the agent were killed between counting and removing.
        let dropped = Dropped {
            app: String::new(),
            bytes: 1,
            reason: Reason::QueueFull,
        };
        let counted = fixture
            .queue
            .state
            .lock()
            .ledger
            .count(first.number, &[dropped]);
        counted.unwrap();
        fs::write(fixture.folder.path().join("q/3.tmp"), "half").unwrap();
        let fixture = fixture.reopened(1 << 20);
        assert_eq!(fixture.numbers(), [2]);
        assert_eq!(fixture.queue.last(), 2);
        assert_eq!(fixture.queue.dropped(Reason::QueueFull), 1);
        assert!(!fixture.folder.path().join("q/3.tmp").exists());
    }

    #[test]
    fn who_waits_is_woken_by_the_last_batch() {
        let fixture = Fixture::new(1 << 20);
        let entry = fixture.add(1, 1, false);
        let next = |most| fixture.queue.next(most);
        assert_eq!(next(Duration::ZERO), Some(entry));
        fixture.queue.close();
        assert!(!fixture.queue.is_over());
        let ended = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| next(Duration::from_secs(600)));
            fixture.queue.done(entry, 1, &[]).unwrap();
            waiting.join().unwrap()
        });
        assert_eq!(ended, None);
        assert!(fixture.queue.is_over());
    }

    #[test]
    fn the_halves_of_a_batch_replace_it() {
        let fixture = Fixture::new(1 << 20);
        let entry = fixture.add(1, 5, true);
        let batch = fixture.queue.read(entry).unwrap();
        fixture.queue.split(&batch, entry, [7, 8]).unwrap();
        assert_eq!(fixture.numbers(), [7, 8]);
        assert_eq!(fixture.queue.size().runs, 5);
        let fixture = fixture.reopened(1 << 20);
        assert_eq!(fixture.queue.size().runs, 5);
    }

    #[test]
    fn a_damaged_batch_is_counted_by_its_name() {
        let fixture = Fixture::new(1 << 20);
        let entry = fixture.add(1, 5, true);
        fs::write(fixture.queue.path(entry), "damaged").unwrap();
        assert!(fixture.queue.read(entry).is_err());
        fixture.queue.give_up(entry, Reason::Damaged).unwrap();
        assert_eq!(fixture.queue.dropped(Reason::Damaged), 5);
        assert_eq!(fixture.numbers(), [0; 0]);
    }
}
