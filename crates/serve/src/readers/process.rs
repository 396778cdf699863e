//! One process that reads uploads, as the server sees it: what it is sent, and its answers.
//!
//! **Invariant:** memory for a profile is leased before its file is read.

use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;

use parking_lot::Mutex;
use profile::Budget;
use profile::native::{self, Limits};

use super::child::{BEGUN, END, ITEM, ItemAnswer, MEMORY_VARIABLE, REFUSED, block};
use crate::admission::memory::{Memory, UsedUp};
use crate::contents::Job;
use crate::metadata::Metadata;
use crate::problem::Problem;
use crate::refused::Refused;
use crate::uploaded::{Received, Uploaded};

/// The largest answer: the native file of a profile within [`MEMORY`](crate::reading::MEMORY).
const MAX_ANSWER: u64 = 1 << 30;

/// How many times the size of its file is leased for a profile at first; most take less.
const UNPACKED: u64 = 8;

/// What a process answered.
pub(super) enum Answered {
    /// All profiles, whose files have that size.
    All { size: u64 },
    /// Why it does not read the body, or the rest of it.
    Refused(Refused),
    /// The receiver did not want the rest.
    NotWanted,
}

/// Why a process did not answer.
pub(super) enum Broken {
    Pipe(io::Error),
    NoMemory(Problem),
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        Self::Pipe(error)
    }
}

/// A running process.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) child: Arc<Mutex<Child>>,
    input: ChildStdin,
    output: ChildStdout,
}

impl Process {
    pub(super) fn start(mut command: Command, memory: u64) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.env(MEMORY_VARIABLE, memory.to_string());
        // A process has one thread that works; glibc sets memory aside for each.
        command.env("MALLOC_ARENA_MAX", "1");
        // Ctrl-C is for the server, which finishes what it has begun.
        let mut child = command.process_group(0).spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or_else(|| io::Error::other("it has no pipes"))?;
        Ok(Self {
            child: Arc::new(Mutex::new(child)),
            input,
            output,
        })
    }

    /// Lets it read a body. `each` gets what is read, and none when the next profile begins.
    pub(super) fn answer(
        &mut self,
        job: &Job,
        body: &mut dyn Read,
        length: u64,
        memory: &Memory,
        each: &mut dyn FnMut(Option<Received>) -> bool,
    ) -> Result<Answered, Broken> {
        let job = serde_json::to_vec(job).map_err(io::Error::other)?;
        block::write(&mut self.input, &job)?;
        self.input.write_all(&length.to_le_bytes())?;
        let copied = io::copy(&mut body.take(length), &mut self.input)?;
        if copied != length {
            let reason = "the file became shorter while it was read";
            return Err(Broken::Pipe(io::Error::other(reason)));
        }
        self.input.flush()?;
        let mut size = 0;
        loop {
            let mut kind = [0];
            self.output.read_exact(&mut kind)?;
            let is_wanted = match kind {
                [BEGUN] => each(None),
                [ITEM] => {
                    let event: ItemAnswer = self.json()?;
                    let received = match event.refused {
                        Some(refused) => Err(refused),
                        None => self.profile(memory, event.metadata, event.size, &mut size)?,
                    };
                    each(Some(received))
                }
                [REFUSED] => return Ok(Answered::Refused(self.json()?)),
                [END] => return Ok(Answered::All { size }),
                _ => return Err(io::Error::other("its answer has no such part").into()),
            };
            if !is_wanted {
                return Ok(Answered::NotWanted);
            }
        }
    }

    fn json<T: serde::de::DeserializeOwned>(&mut self) -> io::Result<T> {
        let length = block::length(&mut self.output, block::MAX_JSON)?;
        let text = block::bytes(&mut self.output, length)?;
        serde_json::from_slice(&text).map_err(io::Error::other)
    }

    /// Reads a native file into memory that was leased for it.
    fn profile(
        &mut self,
        memory: &Memory,
        metadata: Metadata,
        bytes: u64,
        size: &mut u64,
    ) -> Result<Received, Broken> {
        let length = block::length(&mut self.output, MAX_ANSWER)?;
        *size += length;
        let too_large = || {
            let reason = "it needs more memory than the server has for an upload; \
                          `xhprof serve --memory` gives it more";
            Refused::too_large(reason)
        };
        let no_memory = |_| Broken::NoMemory(UsedUp.into());
        // The file, and at least as much for its profile.
        if !memory.can_have(length * 2) {
            io::copy(&mut (&mut self.output).take(length), &mut io::sink())?;
            return Ok(Err(too_large()));
        }
        let mut file_lease = memory.lease();
        file_lease.grow_patiently(length).map_err(no_memory)?;
        let file = block::bytes(&mut self.output, length)?;
        let mut most = (length * UNPACKED).max(1 << 20);
        loop {
            if !memory.can_have(most) {
                return Ok(Err(too_large()));
            }
            let mut lease = memory.lease();
            lease.grow_patiently(most).map_err(no_memory)?;
            // Reading may use half of a budget.
            let budget = Budget::new(most.saturating_mul(2));
            match native::read_within(&file[..], &Limits::default(), &budget) {
                Ok(profile) => {
                    // The store makes a file and sums of it.
                    let kept = budget.used() + length * 2;
                    if kept > most {
                        lease.grow_patiently(kept - most).map_err(no_memory)?;
                    }
                    lease.shrink_to(kept);
                    return Ok(Ok(Uploaded {
                        profile,
                        metadata,
                        bytes,
                        lease,
                    }));
                }
                Err(_) if budget.check().is_err() => most = most.saturating_mul(4),
                Err(error) => return Ok(Err(Refused::invalid(error.to_string()))),
            }
        }
    }

    /// Ends it, because it did not answer. True if the server is to stop.
    pub(super) fn end(self, error: &io::Error) -> bool {
        let mut child = self.child.lock();
        // It may have ended already.
        let _ = child.kill();
        let status = child.wait();
        tracing::error!(?status, %error, "a process that read an upload ended");
        const SIGTERM: i32 = 15;
        status.is_ok_and(|status| status.signal() == Some(SIGTERM))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let mut child = self.child.lock();
        // It may have ended already.
        let _ = child.kill();
        let _ = child.wait();
    }
}
