//! Fills a store with a month of a shop that does not exist.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use simulate::{Options, Shop};
use store::{NewRun, Store};

/// Stores the runs, in the order of time.
pub fn fill(store: &Arc<dyn Store>) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |since| u64::try_from(since.as_micros()).unwrap_or(0));
    let shop = Shop::new(Options {
        end_unix_us: now,
        ..Options::default()
    });
    for profile in shop.runs() {
        let received = profile.meta.started_unix_us.unwrap_or(now);
        if let Err(error) = store.put(NewRun { profile, received }) {
            tracing::error!(%error, "the demo's data are incomplete");
            return;
        }
    }
    tracing::info!("the demo's data are complete");
}
