//! Logs problems of automatic profiles: one line in PHP's log, at most once a minute.
//!
//! A server that profiles every request must not log every request. Each kind of
//! problem is logged once a minute, with the number of times it was left out.
//! The workers of one server share these counts. They are atomic: a fork copies
//! or shares them, and leaves no lock held.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{clock, zend};

/// The kinds of problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Problem {
    /// Nothing can be recorded.
    Engine,
    /// A profile cannot be written.
    Output,
    /// `xhprof.max_dir_size` is reached.
    Full,
    /// `xhprof.trigger` is set without a secret.
    NoSecret,
    /// A request sent the trigger with another value than the secret.
    WrongSecret,
    /// A clock does not work any more.
    Clock,
    /// The system has no memory for a profile.
    Memory,
    /// php.ini has a setting of an earlier version.
    FormerSetting,
}

const KINDS: usize = Problem::FormerSetting as usize + 1;
const PAUSE_US: u64 = 60_000_000;

/// When each kind was logged last, and how often it was left out since.
#[derive(Debug)]
pub(crate) struct Counts([Count; KINDS]);

#[derive(Debug)]
struct Count {
    logged_at_us: AtomicU64,
    left_out: AtomicU64,
}

impl Count {
    const fn new() -> Self {
        Self {
            logged_at_us: AtomicU64::new(0),
            left_out: AtomicU64::new(0),
        }
    }
}

impl Counts {
    const fn new() -> Self {
        Self([const { Count::new() }; KINDS])
    }
}

static OWN: Counts = Counts::new();
static SHARED: OnceLock<&Counts> = OnceLock::new();

/// MINIT of a server: processes that are forked from now on share the counts.
pub(crate) fn share_with_forks() {
    if let Some(counts) = zend::shared_with_forks(Counts::new()) {
        // A server that starts its modules again keeps the first ones.
        let _ = SHARED.set(counts);
    }
}

/// Writes the message to PHP's log, unless its kind was logged within the last
/// minute.
pub(crate) fn log_throttled(problem: Problem, message: &str) {
    let counts = SHARED.get().copied().unwrap_or(&OWN);
    let Some(count) = counts.0.get(problem as usize) else {
        return;
    };
    let now = clock::unix_time_us();
    let before = count.logged_at_us.load(Ordering::Relaxed);
    let is_recent = before != 0 && now.saturating_sub(before) < PAUSE_US;
    let is_mine = || {
        count
            .logged_at_us
            .compare_exchange(before, now, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
    };
    if is_recent || !is_mine() {
        count.left_out.fetch_add(1, Ordering::Relaxed);
        return;
    }
    match count.left_out.swap(0, Ordering::Relaxed) {
        0 => zend::log(&format!("xhprof: {message}")),
        times => zend::log(&format!(
            "xhprof: {message} (and {times} times since the last such line)"
        )),
    }
}
