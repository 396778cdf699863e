//! The end of the agent, as its threads see it.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Set once, when the agent is to end.
#[derive(Debug, Default)]
pub(crate) struct Stop {
    is_set: Mutex<bool>,
    changed: Condvar,
}

impl Stop {
    fn lock(&self) -> MutexGuard<'_, bool> {
        self.is_set.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks all threads to end.
    pub(crate) fn set(&self) {
        *self.lock() = true;
        self.changed.notify_all();
    }

    pub(crate) fn is_set(&self) -> bool {
        *self.lock()
    }

    /// Waits for the stop, at most so long. Returns whether it is set.
    pub(crate) fn wait(&self, most: Duration) -> bool {
        let end = Instant::now().checked_add(most);
        let mut is_set = self.lock();
        while !*is_set {
            let left = end.map_or(most, |end| end.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                break;
            }
            let waited = self.changed.wait_timeout(is_set, left);
            is_set = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *is_set
    }
}
