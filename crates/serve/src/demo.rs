//! Fills a store with a month of a shop that does not exist.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use simulate::{Options, Shop};
use store::{NewRun, Store};

/// How much of the demo's month is stored. Storing takes half a minute; the server
/// answers from its beginning.
#[derive(Debug)]
pub struct Demo {
    days: u64,
    /// The days that are complete.
    stored: AtomicU64,
}

impl Default for Demo {
    fn default() -> Self {
        Self {
            days: u64::from(Options::default().days),
            stored: AtomicU64::new(0),
        }
    }
}

impl Demo {
    /// The complete days, and how many there will be; none when all are stored.
    pub(crate) fn progress(&self) -> Option<(u64, u64)> {
        let stored = self.stored.load(Ordering::Relaxed);
        (stored < self.days).then_some((stored, self.days))
    }

    /// Stores the runs, in the order of time.
    pub fn fill(&self, store: &Arc<dyn Store>) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |since| u64::try_from(since.as_micros()).unwrap_or(0));
        let shop = Shop::new(Options {
            end_unix_us: now,
            ..Options::default()
        });
        let begin = shop
            .releases()
            .first()
            .map_or(0, |first| first.since_unix_us);
        // The month ends at midnight. Its last hour becomes the last one that is over.
        let later = now % DAY_US / HOUR_US * HOUR_US;
        for mut profile in shop.runs() {
            let started = profile.meta.started_unix_us.unwrap_or(now);
            let day = started.saturating_sub(begin) / DAY_US;
            let received = started.saturating_add(later);
            profile.meta.started_unix_us = Some(received);
            self.stored.store(day.min(self.days - 1), Ordering::Relaxed);
            if let Err(error) = store.put(NewRun { profile, received }) {
                tracing::error!(%error, "the demo's data are incomplete");
                return;
            }
        }
        self.stored.store(self.days, Ordering::Relaxed);
        tracing::info!("the demo's data are complete");
    }
}

const HOUR_US: u64 = 3_600_000_000;
const DAY_US: u64 = 24 * HOUR_US;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_ends_with_the_last_day() {
        let demo = Demo::default();
        assert_eq!(demo.progress(), Some((0, 30)));
        demo.stored.store(29, Ordering::Relaxed);
        assert_eq!(demo.progress(), Some((29, 30)));
        demo.stored.store(30, Ordering::Relaxed);
        assert_eq!(demo.progress(), None);
    }
}
