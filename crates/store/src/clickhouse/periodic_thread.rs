//! Work that a store does again and again, in a thread of its own.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::Result;

/// The thread. It ends when this is dropped, as soon as the work allows.
#[derive(Debug)]
pub(super) struct PeriodicThread {
    stop: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Tells long work that it should end.
#[derive(Debug)]
pub(super) struct Stopped(Receiver<()>);

impl Stopped {
    pub(super) fn is_stopped(&self) -> bool {
        self.0.try_recv() == Err(TryRecvError::Disconnected)
    }
}

impl PeriodicThread {
    /// Does `work` every so often, for the first time after that time.
    pub(super) fn start(
        name: &str,
        every: Duration,
        mut work: impl FnMut(&Stopped) + Send + 'static,
    ) -> Result<Self> {
        let (stop, stopped) = sync_channel(0);
        let stopped = Stopped(stopped);
        let run = move || {
            while stopped.0.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                work(&stopped);
            }
        };
        let thread = std::thread::Builder::new().name(name.to_owned());
        Ok(Self {
            stop: Some(stop),
            thread: Some(thread.spawn(run)?),
        })
    }
}

impl Drop for PeriodicThread {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
