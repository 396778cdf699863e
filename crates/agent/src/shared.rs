//! What the threads of an agent share.

use std::fs::File;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::health::Health;
use crate::options::Options;
use crate::queue::Queue;
use crate::refused::Refused;
use crate::stop::Stop;

/// The thread that takes files is stuck if it was not seen for so long.
const STUCK: Duration = Duration::from_secs(120);

/// A target, and what waits for it.
#[derive(Debug)]
pub(crate) struct TargetState {
    pub(crate) url: String,
    pub(crate) queue: Queue,
    pub(crate) health: Health,
    /// Batches that were not acknowledged.
    pub(crate) failures: AtomicU64,
}

impl TargetState {
    pub(crate) fn new(url: String, queue: Queue, first_wait: Duration) -> Self {
        Self {
            url,
            queue,
            health: Health::new(first_wait),
            failures: AtomicU64::new(0),
        }
    }
}

/// What the threads share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) targets: Vec<TargetState>,
    /// Files that targets refused.
    pub(crate) refused: Refused,
    pub(crate) stop: Stop,
    /// Set when nothing more is sampled.
    pub(crate) has_sampled: Stop,
    /// Runs that were taken from the spool.
    pub(crate) taken: AtomicU64,
    /// Files that stay in the spool.
    pub(crate) left: AtomicU64,
    /// The number of the last batch.
    last: AtomicU64,
    begin: Instant,
    /// When the spool was looked at, in seconds since the begin.
    beat_s: AtomicU64,
    /// No other agent uses the queue while there is a thread of this one.
    _lock: File,
}

impl Shared {
    /// The state of an agent that has just begun.
    pub(crate) fn new(
        options: Options,
        targets: Vec<TargetState>,
        refused: Refused,
        lock: File,
    ) -> Self {
        let last = targets.iter().map(|target| target.queue.last()).max();
        Self {
            options,
            targets,
            refused,
            stop: Stop::default(),
            has_sampled: Stop::default(),
            taken: AtomicU64::new(0),
            left: AtomicU64::new(0),
            last: AtomicU64::new(last.unwrap_or(0)),
            begin: Instant::now(),
            beat_s: AtomicU64::new(0),
            _lock: lock,
        }
    }

    /// The number of a new batch: microseconds since 1970, and higher than all
    /// before.
    pub(crate) fn number(&self) -> u64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |now| u64::try_from(now.as_micros()).unwrap_or(0));
        let next = |last: u64| now.max(last + 1);
        let update = |last| Some(next(last));
        let ordering = Ordering::Relaxed;
        // The update always has a value.
        let last = self.last.fetch_update(ordering, ordering, update);
        next(last.unwrap_or_else(|last| last))
    }

    /// Notes that the thread which takes files is alive.
    pub(crate) fn beat(&self) {
        let now = self.begin.elapsed().as_secs();
        self.beat_s.store(now, Ordering::Relaxed);
    }

    /// Whether that thread has not been seen for long.
    pub(crate) fn is_stuck(&self) -> bool {
        let beat = Duration::from_secs(self.beat_s.load(Ordering::Relaxed));
        self.begin.elapsed().saturating_sub(beat) > STUCK
    }
}
