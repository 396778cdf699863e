//! The thread that writes.
//!
//! Runs that wait are written together: the disk is waited for once. A
//! transaction that fails leaves nothing, and all of its runs get the error.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::cells::hour_of;
use super::daily::Daily;
use super::put::{Changed, Open};
use super::reserve::{self, Reserve};
use super::{folder, ids::Ids, schema};
use crate::prepare::Prepared;
use crate::{CancelToken, Error, Result, Stored};

/// No more runs are added to a transaction that has so many.
const BATCH: usize = 64;

/// How many jobs may wait. Senders beyond it wait, too.
const QUEUE: usize = 128;

/// The database's page size: half a page of each file is wasted.
const PAGE: u32 = 4096;

/// After how many of its steps `SQLite` looks whether it is to end.
const STEPS: i32 = 100;

type Reply<T> = SyncSender<Result<T>>;

enum Job {
    Put(Vec<Prepared>, Reply<Vec<Stored>>),
    Other(Box<dyn FnOnce(&mut State) + Send>),
}

/// The thread's state.
struct State {
    connection: Connection,
    ids: Ids,
    /// Rows as they are in the database, for the next runs.
    kept: Changed,
    daily: Daily,
    reserve: Reserve,
    is_stopping: Arc<AtomicBool>,
}

/// The thread that writes.
#[derive(Debug)]
pub(super) struct Writer {
    jobs: Option<SyncSender<Job>>,
    thread: Option<JoinHandle<()>>,
    /// Nothing more is begun.
    is_stopping: Arc<AtomicBool>,
    /// Ends when what was begun takes too long: it is undone.
    in_time: CancelToken,
}

impl Writer {
    /// Opens the database for writing, and starts the thread.
    pub(super) fn start(folder: &Path, max_bytes: Option<u64>) -> Result<Self> {
        let connection = match connect(folder, max_bytes) {
            // Opening needs some space, too: what removes runs must get so far.
            Err(_) if reserve::release_of(folder) => connect(folder, max_bytes)?,
            opened => opened?,
        };
        let in_time = CancelToken::default();
        let is_late = in_time.clone();
        connection.progress_handler(STEPS, Some(move || is_late.is_cancelled()))?;
        let is_stopping = Arc::new(AtomicBool::new(false));
        let (jobs, received) = sync_channel(QUEUE);
        let mut state = State {
            connection,
            ids: Ids::default(),
            kept: Changed::default(),
            daily: Daily::new(),
            reserve: Reserve::of(folder),
            is_stopping: Arc::clone(&is_stopping),
        };
        let cancel = in_time.clone();
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || cancel.run(|| state.work(&received)))?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
            is_stopping,
            in_time,
        })
    }

    /// Stops: what waits is not begun, and what was begun has so long to end.
    pub(super) fn stop(&self, patience: Duration) {
        self.is_stopping.store(true, Ordering::SeqCst);
        // Wakes the thread, unless the queue is full: then it is awake.
        if let Some(jobs) = &self.jobs {
            let _ = jobs.try_send(Job::Other(Box::new(|_| {})));
        }
        let until = Instant::now() + patience;
        let ends = |until: Instant| {
            let is_over = || self.thread.as_ref().is_none_or(JoinHandle::is_finished);
            while !is_over() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(5));
            }
            is_over()
        };
        if !ends(until - patience / 4) {
            self.in_time.cancel();
            ends(until);
        }
    }

    /// Stores runs in one transaction, and waits until they are on the disk.
    pub(super) fn put(&self, runs: Vec<Prepared>) -> Vec<Result<Stored>> {
        let length = runs.len();
        let put = || {
            let (reply, answer) = sync_channel(1);
            self.send(Job::Put(runs, reply))?;
            answer.recv().map_err(|_| Error::Closed)?
        };
        match put() {
            Ok(stored) => stored.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error); length],
        }
    }

    /// Does something else in a transaction.
    pub(super) fn transaction<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Open<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.run(move |state| state.transaction(work))
    }

    /// The same for work that removes something: on a full disk it gets the space of the
    /// reserve. It may be done twice, the first time for nothing.
    pub(super) fn removal<T: Send + 'static>(
        &self,
        work: impl Fn(&mut Open<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.run(move |state| state.relieved(|state| state.transaction(&work)))
    }

    /// The same outside of a transaction.
    pub(super) fn removal_outside<T: Send + 'static>(
        &self,
        work: impl Fn(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.run(move |state| state.relieved(|state| work(&state.connection)))
    }

    /// Sums all days that are over.
    pub(super) fn sum_days(&self) -> Result<()> {
        self.run(|state| state.daily.finish(&mut state.connection))
    }

    /// Does something with the connection, outside of a transaction.
    pub(super) fn outside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.run(move |state| work(&state.connection))
    }

    fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut State) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answer) = sync_channel(1);
        self.send(Job::Other(Box::new(move |state| {
            // A caller that went away needs no answer.
            let _ = reply.send(work(state));
        })))?;
        answer.recv().map_err(|_| Error::Closed)?
    }

    fn send(&self, job: Job) -> Result<()> {
        let jobs = self.jobs.as_ref().ok_or(Error::Closed)?;
        jobs.send(job).map_err(|_| Error::Closed)
    }
}

impl Drop for Writer {
    /// Writes what waits, and ends the thread.
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl State {
    fn work(&mut self, jobs: &Receiver<Job>) {
        while let Some(job) = self.next(jobs) {
            if self.is_stopping.load(Ordering::SeqCst) {
                // The senders of the others learn that it is closed.
                break;
            }
            let (mut puts, mut count) = (Vec::new(), 0);
            let mut next = Some(job);
            let mut other = None;
            while let Some(job) = next {
                match job {
                    Job::Put(runs, reply) => {
                        count += runs.len();
                        puts.push((runs, reply));
                    }
                    Job::Other(work) => {
                        other = Some(work);
                        break;
                    }
                }
                next = (count < BATCH).then(|| jobs.try_recv().ok()).flatten();
            }
            self.put(puts);
            if let Some(work) = other {
                self.kept = Changed::default();
                work(self);
                self.kept = Changed::default();
                self.daily.changed();
            }
            // Also while runs arrive one after the other.
            if self.daily.is_late() {
                self.daily.step(&mut self.connection);
            }
        }
        // Leaves one file, if no reader is left.
        let _ = self
            .connection
            .execute_batch("PRAGMA wal_checkpoint(TRUNCATE)");
    }

    /// The next job; sums days as long as there is none. None when all senders
    /// are gone.
    fn next(&mut self, jobs: &Receiver<Job>) -> Option<Job> {
        loop {
            let Some(wait) = self.daily.wait() else {
                return jobs.recv().ok();
            };
            match jobs.recv_timeout(wait) {
                Ok(job) => return Some(job),
                Err(RecvTimeoutError::Timeout) => self.daily.step(&mut self.connection),
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    fn put(&mut self, puts: Vec<(Vec<Prepared>, Reply<Vec<Stored>>)>) {
        if puts.is_empty() {
            return;
        }
        let (mut runs, mut replies) = (Vec::new(), Vec::new());
        for (some, reply) in puts {
            replies.push((some.len(), reply));
            runs.extend(some);
        }
        for run in &runs {
            self.daily.changed_hour(hour_of(run.info.started_us));
        }
        let is_there = self.reserve.check();
        let mut outcome = is_there.and_then(|()| self.transaction(move |open| open.put(runs)));
        for (count, reply) in replies {
            let of_job = match &mut outcome {
                Ok(stored) => Ok(stored.drain(..count.min(stored.len())).collect()),
                Err(error) => Err(error.clone()),
            };
            let _ = reply.send(of_job);
        }
    }

    /// Works, if the disk is full with the space of the reserve.
    fn relieved<T>(&mut self, work: impl Fn(&mut Self) -> Result<T>) -> Result<T> {
        let outcome = match work(self) {
            Err(Error::Full) if self.reserve.give() => work(self),
            outcome => return outcome,
        };
        // What was removed is in the log; this gives the log's space back.
        let _ = self
            .connection
            .execute_batch("PRAGMA wal_checkpoint(TRUNCATE)");
        self.reserve.refill();
        outcome
    }

    fn transaction<T>(&mut self, work: impl FnOnce(&mut Open<'_>) -> Result<T>) -> Result<T> {
        let outcome = self.try_transaction(work);
        if outcome.is_err() {
            self.ids.clear();
            self.kept = Changed::default();
        }
        outcome
    }

    fn try_transaction<T>(&mut self, work: impl FnOnce(&mut Open<'_>) -> Result<T>) -> Result<T> {
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        let answer = work(&mut Open {
            connection: &transaction,
            ids: &mut self.ids,
            kept: &mut self.kept,
        })?;
        transaction.commit()?;
        Ok(answer)
    }
}

fn connect(folder: &Path, max_bytes: Option<u64>) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut connection = Connection::open_with_flags(folder::database(folder), flags)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    // These two have an effect on a new database only.
    connection.pragma_update(None, "page_size", PAGE)?;
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // An acknowledged run survives a power failure, too.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "cache_size", -32_768)?;
    connection.pragma_update(None, "journal_size_limit", 64_i64 << 20)?;
    connection.set_prepared_statement_cache_capacity(64);
    schema::migrate(&mut connection)?;
    if let Some(max) = max_bytes {
        connection.pragma_update(
            None,
            "max_page_count",
            super::put::number(max / u64::from(PAGE)),
        )?;
    }
    Ok(connection)
}
