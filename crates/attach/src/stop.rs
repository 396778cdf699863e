//! Stops a process while it is read.
//!
//! `PTRACE_SEIZE` and `PTRACE_INTERRUPT` send no signal, and no parent notices them. A signal that arrives at that
//! moment is passed on.
//!
//! **Invariant:** each thread that was stopped runs on when the value is dropped, and when this program ends.

use std::fs;

use nix::sys::ptrace;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

/// A process whose threads are stopped.
#[derive(Debug)]
pub(crate) struct Stopped {
    /// The threads, with the signals that they were about to get.
    threads: Vec<(Pid, Option<Signal>)>,
    is_complete: bool,
}

impl Stopped {
    /// Stops all threads of a process.
    pub(crate) fn all_threads(process: u32) -> Self {
        let mut stopped = Self {
            threads: Vec::new(),
            is_complete: true,
        };
        let Ok(entries) = fs::read_dir(format!("/proc/{process}/task")) else {
            stopped.is_complete = false;
            return stopped;
        };
        let numbers = entries
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        for thread in numbers.map(Pid::from_raw) {
            match stop(thread) {
                Ok(signal) => stopped.threads.push((thread, signal)),
                Err(_) => stopped.is_complete = false,
            }
        }
        stopped
    }

    /// Whether no thread runs.
    pub(crate) fn is_complete(&self) -> bool {
        self.is_complete
    }
}

/// Stops a thread; returns the signal that it must get when it runs on.
fn stop(thread: Pid) -> nix::Result<Option<Signal>> {
    ptrace::seize(thread, ptrace::Options::empty())?;
    let stopped =
        ptrace::interrupt(thread).and_then(|()| waitpid(thread, Some(WaitPidFlag::__WALL)));
    match stopped {
        // A signal was quicker; the thread is stopped before it gets it.
        Ok(WaitStatus::Stopped(_, signal)) => Ok(Some(signal)),
        Ok(WaitStatus::PtraceEvent(..)) => Ok(None),
        Ok(_) => Err(nix::Error::ESRCH),
        Err(error) => {
            let _ = ptrace::detach(thread, None);
            Err(error)
        }
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        for (thread, signal) in self.threads.drain(..) {
            // The thread may have been killed.
            let _ = ptrace::detach(thread, signal);
        }
    }
}
