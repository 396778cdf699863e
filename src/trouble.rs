//! What goes wrong without anybody having asked for anything: one line in
//! PHP's log, and no more.
//!
//! A server that profiles every request must not log every request: the same
//! kind of trouble is told once a minute by each process, with how often it was
//! not told. Counters are atomic: a fork copies them, and no lock is left held.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::{clock, zend};

/// The kinds of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// Nothing can be recorded.
    Engine,
    /// A profile cannot be written.
    Output,
    /// `xhprof.max_dir_size` is reached.
    Full,
    /// `xhprof.trigger` is set without a secret.
    Trigger,
    /// A clock does not work any more.
    Clock,
}

const KINDS: usize = 5;
const PAUSE_US: u64 = 60_000_000;

static TOLD_AT: [AtomicU64; KINDS] = [const { AtomicU64::new(0) }; KINDS];
static UNTOLD: [AtomicU64; KINDS] = [const { AtomicU64::new(0) }; KINDS];

/// Writes the message to PHP's log, unless its kind was there a moment ago.
pub(crate) fn tell(trouble: Trouble, message: &str) {
    let (Some(told_at), Some(untold)) =
        (TOLD_AT.get(trouble as usize), UNTOLD.get(trouble as usize))
    else {
        return;
    };
    let now = clock::unix_time_us();
    let before = told_at.load(Ordering::Relaxed);
    let is_recent = before != 0 && now.saturating_sub(before) < PAUSE_US;
    let is_mine = || {
        told_at
            .compare_exchange(before, now, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
    };
    if is_recent || !is_mine() {
        untold.fetch_add(1, Ordering::Relaxed);
        return;
    }
    match untold.swap(0, Ordering::Relaxed) {
        0 => zend::log(&format!("xhprof: {message}")),
        times => zend::log(&format!(
            "xhprof: {message} (and {times} times since the last such line)"
        )),
    }
}
