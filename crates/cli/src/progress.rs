//! A progress bar on the terminal for work that takes more than a second.
//!
//! A thread waits for that second and then draws; the working thread only adds
//! to a counter. **Invariant:** without a terminal nothing is drawn, and at the
//! end the bar is erased.

use std::io::{self, IsTerminal, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::terminal::printable;

/// A bar for shorter work would only flicker.
const DELAY: Duration = Duration::from_secs(1);
const REDRAW_INTERVAL: Duration = Duration::from_millis(100);

/// The unit and the total of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Bytes to read.
    Bytes(u64),
    /// Files to read.
    Files(u64),
    /// The total is unknown.
    Unknown,
}

/// Work in progress. Dropping it removes the bar.
#[derive(Debug)]
pub struct Progress {
    done: Arc<AtomicU64>,
    end: Option<Sender<()>>,
    drawer: Option<JoinHandle<()>>,
}

impl Progress {
    /// Starts the work: `reading run.xhp`.
    pub fn new(label: &str, work: Work) -> Self {
        let done = Arc::new(AtomicU64::new(0));
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        if !io::stderr().is_terminal() || is_dumb {
            return Self {
                done,
                end: None,
                drawer: None,
            };
        }
        let (end, ended) = channel();
        let label = printable(label.as_bytes());
        let counter = Arc::clone(&done);
        Self {
            done,
            end: Some(end),
            drawer: Some(thread::spawn(move || {
                draw(label, work, &counter, &ended);
            })),
        }
    }

    /// Adds to the work that is done.
    pub fn add(&self, amount: u64) {
        self.done.fetch_add(amount, Ordering::Relaxed);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end = None;
        if let Some(drawer) = self.drawer.take() {
            // An error while drawing the bar has no consequence.
            let _ = drawer.join();
        }
    }
}

fn draw(label: String, work: Work, done: &AtomicU64, ended: &Receiver<()>) {
    if ended.recv_timeout(DELAY) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let (total, template) = match work {
        Work::Bytes(total) => (
            Some(total),
            "{msg}  {bar:24}  {decimal_bytes} of {decimal_total_bytes}",
        ),
        Work::Files(total) => (Some(total), "{msg}  {bar:24}  {pos} of {len}"),
        Work::Unknown => (None, "{spinner} {msg}"),
    };
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_message(label);
    loop {
        match total {
            Some(total) => bar.set_position(done.load(Ordering::Relaxed).min(total)),
            None => bar.tick(),
        }
        if ended.recv_timeout(REDRAW_INTERVAL) != Err(RecvTimeoutError::Timeout) {
            break;
        }
    }
    bar.finish_and_clear();
}

/// Counts the bytes that are read through it.
#[derive(Debug)]
pub(crate) struct Counted<'p, R> {
    inner: R,
    progress: &'p Progress,
}

impl<'p, R> Counted<'p, R> {
    /// Wraps `inner` and counts its bytes in `progress`.
    pub(crate) fn new(inner: R, progress: &'p Progress) -> Self {
        Self { inner, progress }
    }
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.progress.add(count as u64);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_through_is_counted_and_unchanged() {
        let progress = Progress::new("reading", Work::Bytes(5));
        let mut text = String::new();
        let mut input = Counted::new(&b"12345"[..], &progress);
        input.read_to_string(&mut text).unwrap();
        assert_eq!(text, "12345");
        assert_eq!(progress.done.load(Ordering::Relaxed), 5);
    }
}
