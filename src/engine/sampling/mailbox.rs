//! What the timer's thread saw, until PHP's thread comes to a safe point.
//!
//! PHP's thread never waits here: while the other one writes, there is nothing
//! to take yet, and the interrupt that follows the writing asks again. A
//! program that does not come to a safe point for long (it sleeps) is seen in
//! the same place again and again: that is one timed of more weight.

use std::sync::{Mutex, PoisonError};

use super::snapshot::Snapshot;
use crate::clock::Fired;

/// One look at the program, or several that saw the same.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimedSnapshot {
    /// `CLOCK_MONOTONIC`, in nanoseconds, of the last look.
    pub(super) at: u64,
    /// The time that it stands for.
    pub(super) weight: u64,
    pub(super) snapshot: Snapshot,
}

/// Sightings on their way from the timer's thread to PHP's.
pub(super) struct Mailbox(Mutex<Vec<TimedSnapshot>>);

/// More than this many do not wait: what comes then adds to the last one.
const MAX: usize = 64;

impl Mailbox {
    pub(super) fn new() -> Self {
        Self(Mutex::new(Vec::with_capacity(MAX)))
    }

    /// The timer's thread: puts one in.
    pub(super) fn put(&self, fired: Fired, snapshot: Snapshot) {
        let mut snapshots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = snapshots.len() >= MAX;
        match snapshots.last_mut() {
            Some(last) if is_full || last.snapshot == snapshot => {
                last.at = fired.at;
                last.weight += fired.elapsed;
            }
            _ => snapshots.push(TimedSnapshot {
                at: fired.at,
                weight: fired.elapsed,
                snapshot,
            }),
        }
    }

    /// PHP's thread: moves all of them to `taken`, which is empty and has room.
    pub(super) fn take(&self, taken: &mut Vec<TimedSnapshot>) {
        if let Ok(mut snapshots) = self.0.try_lock() {
            taken.append(&mut snapshots);
        }
    }
}
