//! Passes snapshots from the timer's thread to PHP's thread at a safe point.
//!
//! PHP's thread never waits for the lock: if the timer's thread holds it, the
//! interrupt that follows makes PHP's thread try again. If a program does not
//! come to a safe point for long (it sleeps), equal snapshots are merged into one
//! with more weight.

use std::sync::{Mutex, PoisonError};

use super::snapshot::Snapshot;
use crate::clock::Fired;

/// A snapshot with its time, or several equal ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimedSnapshot {
    /// The time of the last one: `CLOCK_MONOTONIC`, in nanoseconds.
    pub(super) at: u64,
    /// The time that the snapshot stands for.
    pub(super) weight: u64,
    pub(super) snapshot: Snapshot,
}

/// The queue of snapshots.
pub(super) struct Mailbox(Mutex<Vec<TimedSnapshot>>);

/// The capacity. In a full queue, further snapshots add weight to the last one.
const MAX: usize = 64;

impl Mailbox {
    pub(super) fn new() -> Self {
        Self(Mutex::new(Vec::with_capacity(MAX)))
    }

    /// Adds a snapshot. Called by the timer's thread.
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

    /// Moves all snapshots to `taken`, which is empty. Called by PHP's thread.
    pub(super) fn take(&self, taken: &mut Vec<TimedSnapshot>) {
        if let Ok(mut snapshots) = self.0.try_lock() {
            taken.append(&mut snapshots);
        }
    }
}
