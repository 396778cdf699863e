//! Processes that read uploads.
//!
//! A reader of a hostile file that panics, overflows its stack or needs too much
//! memory or time ends its process, not the server. The server starts another
//! one for the next upload. A process reads many uploads, one after the other.
//!
//! A process gets an upload on standard input: what it is, and its bytes. It answers with
//! the profiles of it, one after the other, as native files. [`process`] is the server's end of
//! that, [`child`] the other end.
//! **Invariants:** a process that did not answer completely is never used again. All
//! processes together take no more memory than the server gives them.

pub(crate) mod child;
mod process;

use std::collections::HashMap;
use std::fmt;
use std::io::Read;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::body::Bytes;
use parking_lot::Mutex;
use profile::Profile;
use store::CancelToken;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::admission::default_memory;
use crate::admission::memory::{Lease, Memory};
use crate::admission::shares::Shares;
use crate::admission::work::CancelOnDrop;
use crate::contents::{ContentEvent, Item, Job, Kind, contents};
use crate::problem::Problem;
use crate::reading::{MEMORY, NotTaken};
use crate::refused::Refused;
use crate::uploaded::{Received, Uploaded};
use process::{Answered, Broken, Process};

/// A process ends after an upload that was larger: it would keep the memory.
const LARGE: u64 = 16 << 20;

/// What reads uploads.
pub struct Readers {
    /// None reads in this process.
    command: Option<Box<dyn Fn() -> Command + Send + Sync>>,
    idle: Mutex<Vec<Process>>,
    /// The processes that read now, to end them.
    running: Mutex<HashMap<u64, Arc<Mutex<Child>>>>,
    next: AtomicU64,
    /// How many uploads are read at a time.
    slots: Arc<Semaphore>,
    /// The memory of the server, and of it that of bodies and of a process.
    whole: u64,
    memory: Memory,
    of_process: u64,
    /// Processes that ended without an answer.
    pub(crate) crashed: AtomicU64,
}

impl fmt::Debug for Readers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Readers").finish_non_exhaustive()
    }
}

/// A body that is being read: its profiles come one after the other. Reading ends when this
/// is dropped.
#[derive(Debug)]
pub(crate) struct Reading {
    received: mpsc::Receiver<Result<Received, Problem>>,
    _waiting: CancelOnDrop,
}

impl Reading {
    /// The next profile; an error if the rest of the body cannot be read.
    pub(crate) async fn next(&mut self) -> Option<Result<Received, Problem>> {
        self.received.recv().await
    }
}

impl Readers {
    /// Reads in this process: a panic ends it.
    #[must_use]
    pub fn in_this_process() -> Self {
        Self {
            command: None,
            idle: Mutex::default(),
            running: Mutex::default(),
            next: AtomicU64::new(0),
            slots: Arc::new(Semaphore::new(1)),
            whole: 0,
            memory: Memory::new(0),
            of_process: MEMORY,
            crashed: AtomicU64::new(0),
        }
        .within(default_memory())
    }

    /// Reads in processes that `command` starts, which call [`crate::read_uploads`].
    #[must_use]
    pub fn in_processes(command: impl Fn() -> Command + Send + Sync + 'static) -> Self {
        Self {
            command: Some(Box::new(command)),
            ..Self::in_this_process()
        }
        .within(default_memory())
    }

    /// The same for a server that has so much memory.
    #[must_use]
    pub fn within(self, memory: u64) -> Self {
        let shares = Shares::of(memory);
        Self {
            slots: Arc::new(Semaphore::new(shares.readers)),
            whole: memory,
            memory: Memory::new(shares.bodies),
            of_process: match self.command {
                Some(_) => shares.reader,
                None => MEMORY,
            },
            ..self
        }
    }

    /// The memory of the whole server.
    pub(crate) fn whole_memory(&self) -> u64 {
        self.whole
    }

    /// The memory of bodies, and of profiles that were read of them.
    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Ends what is being read: the server stops.
    pub(crate) fn stop(&self) {
        self.slots.close();
        for child in self.running.lock().values() {
            // It may have ended already.
            let _ = child.lock().kill();
        }
    }

    /// Reads a profile of any format, on a thread that may wait.
    pub(crate) fn read(&self, file: &mut dyn Read, length: u64) -> Result<Profile, NotTaken> {
        let _permit = loop {
            match Arc::clone(&self.slots).try_acquire_owned() {
                Ok(permit) => break permit,
                Err(tokio::sync::TryAcquireError::NoPermits) => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(tokio::sync::TryAcquireError::Closed) => return Err(stopping()),
            }
        };
        let job = Job {
            kind: Kind::File,
            content_type: None,
            encoding: None,
            skip: 0,
        };
        let (cancel, mut read) = (CancelToken::default(), None);
        let outcome = self.read_once(&job, file, length, &cancel, &mut |received| {
            read = Some(received);
            true
        });
        match (read, outcome) {
            (Some(Ok(upload)), _) => Ok(upload.profile),
            (Some(Err(refused)), _) => Err(refused.into()),
            (None, Err(Failed::Refused(refused))) => Err(refused.into()),
            (None, Err(Failed::Problem(problem))) => Err(NotTaken::Unavailable(problem.message)),
            (None, Err(Failed::Ended { is_stop: true, .. })) => Err(stopping()),
            (None, Err(Failed::Ended { .. }) | Ok(())) => Err(NotTaken::Invalid(ENDED.to_owned())),
        }
    }

    /// Reads a body as soon as there is a process for it.
    pub(crate) async fn read_body(
        self: &Arc<Self>,
        job: Job,
        body: Bytes,
    ) -> Result<Reading, Problem> {
        let permit = Arc::clone(&self.slots).acquire_owned().await;
        let permit = permit.map_err(|_| crate::admission::work::stopping())?;
        let (sender, received) = mpsc::channel(1);
        let cancel = CancelToken::default();
        let waiting = CancelOnDrop(cancel.clone());
        let readers = Arc::clone(self);
        let work = move || readers.send(job, &body, &cancel, &sender, permit);
        tokio::task::spawn_blocking(work);
        Ok(Reading {
            received,
            _waiting: waiting,
        })
    }

    /// Reads a body, and begins again behind a profile that ended its process.
    fn send(
        &self,
        mut job: Job,
        body: &Bytes,
        cancel: &CancelToken,
        sender: &mpsc::Sender<Result<Received, Problem>>,
        permit: OwnedSemaphorePermit,
    ) {
        let each = |received| sender.blocking_send(Ok(received)).is_ok();
        let problem = loop {
            let length = body.len() as u64;
            let (mut input, mut count) = (&body[..], 0);
            let outcome = self.read_once(&job, &mut input, length, cancel, &mut |received| {
                count += 1;
                each(received)
            });
            job.skip += count;
            match outcome {
                Ok(()) => break None,
                Err(Failed::Problem(problem)) => break Some(problem),
                Err(Failed::Refused(refused)) => break Some(refused.into()),
                Err(Failed::Ended { is_stop: true, .. }) => break Some(stopping().into()),
                // The others of a batch are not refused because of this one.
                Err(Failed::Ended {
                    is_of_item: true, ..
                }) => {
                    job.skip += 1;
                    if !each(Err(Refused::invalid(ENDED))) {
                        break None;
                    }
                }
                // A sender of a batch sends less at a time then.
                Err(Failed::Ended { .. }) => break Some(Refused::too_large(ENDED).into()),
            }
        };
        if let Some(problem) = problem {
            let _ = sender.blocking_send(Err(problem));
        }
        drop(permit);
    }

    /// Reads a body in one process; `each` says whether more is cancel.
    fn read_once(
        &self,
        job: &Job,
        body: &mut dyn Read,
        length: u64,
        cancel: &CancelToken,
        each: &mut dyn FnMut(Received) -> bool,
    ) -> Result<(), Failed> {
        let Some(command) = &self.command else {
            return contents(
                job,
                &mut body.take(length),
                MEMORY,
                &mut |event| match event {
                    ContentEvent::Begun => !cancel.is_cancelled(),
                    ContentEvent::Item(item) => each(item.uploaded(self.memory.lease())),
                },
            )
            .map_err(Failed::Refused);
        };
        let process = match self.idle_one() {
            Some(process) => process,
            None => Process::start(command(), self.of_process).map_err(|error| {
                let reason = format!("no process for reading the upload: {error}");
                Failed::Problem(NotTaken::Unavailable(reason).into())
            })?,
        };
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.running
            .lock()
            .insert(number, Arc::clone(&process.child));
        let child = Arc::clone(&process.child);
        let kill = cancel.on_cancel(move || drop(child.lock().kill()));
        let outcome = self.converse(process, job, body, length, cancel, each);
        drop(kill);
        self.running.lock().remove(&number);
        if cancel.is_cancelled() {
            // The process is killed now or in a moment: no other upload may get it.
            return Ok(());
        }
        if let Some(process) = outcome? {
            self.idle.lock().push(process);
        }
        Ok(())
    }

    /// Returns the process if it can read another body.
    fn converse(
        &self,
        mut process: Process,
        job: &Job,
        body: &mut dyn Read,
        length: u64,
        cancel: &CancelToken,
        each: &mut dyn FnMut(Received) -> bool,
    ) -> Result<Option<Process>, Failed> {
        let mut is_of_item = false;
        let answered = process.answer(job, body, length, &self.memory, &mut |event| {
            is_of_item = event.is_none();
            event.is_none_or(&mut *each)
        });
        match answered {
            Ok(Answered::All { size }) => {
                let is_small = size.max(length) <= LARGE;
                Ok(is_small.then_some(process))
            }
            Ok(Answered::Refused(refused)) => Err(Failed::Refused(refused)),
            Ok(Answered::NotWanted) => Ok(None),
            Err(Broken::Pipe(_)) if cancel.is_cancelled() => Ok(None),
            Err(Broken::NoMemory(problem)) => Err(Failed::Problem(problem)),
            Err(Broken::Pipe(error)) => {
                self.crashed.fetch_add(1, Ordering::Relaxed);
                let is_stop = process.end(&error) || self.slots.is_closed();
                Err(Failed::Ended {
                    is_of_item,
                    is_stop,
                })
            }
        }
    }

    /// A process that has nothing to do and has not ended.
    fn idle_one(&self) -> Option<Process> {
        loop {
            let process = self.idle.lock().pop()?;
            let ended = process.child.lock().try_wait();
            if matches!(ended, Ok(None)) {
                return Some(process);
            }
        }
    }
}

/// Why a process that ended refuses a profile.
const ENDED: &str = "reading it failed: it is broken, or it needs too much memory or time; the \
    server's log says more";

/// Why a body was not read completely.
enum Failed {
    /// The body is refused, or its rest.
    Refused(Refused),
    /// The server cannot read it now.
    Problem(Problem),
    /// Its process ended: while it read a profile, because the server stops.
    Ended { is_of_item: bool, is_stop: bool },
}

fn stopping() -> NotTaken {
    NotTaken::Unavailable("the server is stopping; send it again".to_owned())
}

impl Item {
    fn uploaded(self, lease: Lease) -> Received {
        Ok(Uploaded {
            profile: self.outcome?,
            metadata: self.metadata,
            bytes: self.size,
            lease,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &'static str) -> Readers {
        shells(vec![script])
    }

    /// Processes of these scripts, one after the other; of the last one for ever.
    fn shells(scripts: Vec<&'static str>) -> Readers {
        let next = AtomicU64::new(0);
        Readers::in_processes(move || {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let place = usize::try_from(number).unwrap().min(scripts.len() - 1);
            let mut command = Command::new("sh");
            command.args(["-c", scripts[place]]);
            command
        })
    }

    fn read(readers: &Readers, file: &[u8]) -> Result<Profile, NotTaken> {
        readers.read(&mut &file[..], file.len() as u64)
    }

    #[test]
    fn a_process_that_ends_is_an_invalid_upload_and_the_next_one_has_another() {
        for script in [
            "kill -ABRT $$",
            "exit 3",
            "head -c 8 >/dev/null; exit 0",
            "printf 'x'",
        ] {
            let readers = shell(script);
            for round in 1..=2 {
                let outcome = read(&readers, &[b'x'; 100_000]);
                assert!(matches!(outcome, Err(NotTaken::Invalid(_))), "{script}");
                assert_eq!(readers.crashed.load(Ordering::Relaxed), round);
            }
        }
    }

    #[test]
    fn a_process_that_is_told_to_end_is_no_reason_to_refuse_the_upload() {
        let outcome = read(&shell("kill -TERM $$; sleep 5"), b"x");
        assert!(
            matches!(outcome, Err(NotTaken::Unavailable(_))),
            "{outcome:?}"
        );
        let missing = Readers::in_processes(|| Command::new("/does/not/exist"));
        let outcome = read(&missing, b"x");
        assert!(matches!(outcome, Err(NotTaken::Unavailable(_))));
    }

    #[test]
    fn an_answer_that_is_too_long_is_not_read() {
        // A part with a length of 2^63 - 1.
        let script = r"printf '\001\377\377\377\377\377\377\377\177'; sleep 5";
        let outcome = read(&shell(script), b"x");
        assert!(matches!(outcome, Err(NotTaken::Invalid(_))));
    }

    fn reading<T>(work: impl Future<Output = T>) -> T {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.build().unwrap().block_on(work)
    }

    fn a_batch() -> Job {
        Job {
            kind: Kind::Batch,
            content_type: None,
            encoding: None,
            skip: 0,
        }
    }

    #[test]
    fn a_run_that_ends_its_process_is_refused_and_those_behind_it_are_read() {
        // It begins the first run and ends; the next one has nothing more to read.
        let readers = shells(vec![
            r"timeout 1 cat >/dev/null; printf '\000'; exit 1",
            r"printf '\003'; cat >/dev/null",
        ]);
        let readers = Arc::new(readers);
        reading(async {
            let body = Bytes::from_static(b"x");
            let mut reading = readers.read_body(a_batch(), body).await.unwrap();
            let first = reading.next().await.unwrap().unwrap().unwrap_err();
            assert_eq!(first.status, 422);
            assert!(reading.next().await.is_none());
        });
    }

    #[test]
    fn a_body_that_ends_its_process_is_too_large_for_it() {
        let readers = Arc::new(shell("timeout 1 cat >/dev/null; exit 1"));
        reading(async {
            let body = Bytes::from_static(b"x");
            let mut reading = readers.read_body(a_batch(), body).await.unwrap();
            let problem = reading.next().await.unwrap().unwrap_err();
            assert_eq!(problem.status.as_u16(), 413);
        });
    }

    #[test]
    fn reading_ends_when_its_client_leaves() {
        let readers = Arc::new(shell("cat >/dev/null").within(crate::MIN_MEMORY));
        let all = readers.slots.available_permits();
        reading(async {
            let body = Bytes::from_static(b"x");
            let reading = readers.read_body(a_batch(), body).await.unwrap();
            assert_eq!(readers.slots.available_permits(), all - 1);
            drop(reading);
            // The process would read for ever.
            while readers.slots.available_permits() < all {
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        // It was ended; no upload was the reason.
        assert_eq!(readers.crashed.load(Ordering::Relaxed), 0);
        assert!(readers.idle.lock().is_empty());
    }
}
