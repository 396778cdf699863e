//! The end of the agent, as its threads see it.

use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// Set once, when the agent is to end.
#[derive(Debug, Default)]
pub(crate) struct Stop {
    is_set: Mutex<bool>,
    changed: Condvar,
}

impl Stop {
    /// Asks all threads to end.
    pub(crate) fn set(&self) {
        *self.is_set.lock() = true;
        self.changed.notify_all();
    }

    pub(crate) fn is_set(&self) -> bool {
        *self.is_set.lock()
    }

    /// Waits for the stop, at most so long. Returns whether it is set.
    pub(crate) fn wait(&self, most: Duration) -> bool {
        let end = Instant::now().checked_add(most);
        let mut is_set = self.is_set.lock();
        while !*is_set {
            let left = end.map_or(most, |end| end.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                break;
            }
            self.changed.wait_for(&mut is_set, left);
        }
        *is_set
    }
}
