//! Applies the policies of a store regularly.
//!
//! **Invariant:** each removal is a line of the audit log, with its reason.

use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use store::{Removed, Store};

/// The wait before the first time: a server that has just begun has other work.
const FIRST: Duration = Duration::from_secs(60);

/// The wait between two times.
const INTERVAL: Duration = Duration::from_secs(3600);

/// The time in microseconds since 1970.
pub(crate) fn now_us() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |since| u64::try_from(since.as_micros()).unwrap_or(0))
}

/// Applies the policies every hour on a thread of its own, until the process
/// ends.
///
/// # Errors
///
/// No thread can be started.
pub fn retain_regularly(store: Arc<dyn Store>) -> io::Result<()> {
    let work = move || {
        std::thread::sleep(FIRST);
        loop {
            if let Err(error) = retain_all(&*store, "policy", now_us()) {
                tracing::error!(%error, "the policies were not applied; they are tried again");
            }
            std::thread::sleep(INTERVAL);
        }
    };
    let thread = std::thread::Builder::new().name("retention".to_owned());
    thread.spawn(work).map(|_| ())
}

/// Applies the policy of each application; returns what was removed of each.
///
/// # Errors
///
/// Those of the store.
pub fn retain_all(
    store: &dyn Store,
    by: &str,
    now_us: u64,
) -> store::Result<Vec<(String, Removed)>> {
    let policies = store.policies()?;
    let mut all = Vec::new();
    for app in store.apps()? {
        let removed = store.retain(&app.name, policies.of(&app.name), now_us)?;
        audit(by, &app.name, &removed);
        all.push((app.name, removed));
    }
    Ok(all)
}

/// Logs what was removed.
pub(crate) fn audit(by: &str, app: &str, removed: &Removed) {
    if *removed == Removed::default() {
        return;
    }
    tracing::info!(
        target: "audit", by, app, runs = removed.runs, bytes = removed.bytes,
        age = removed.by_age, count = removed.by_count, size = removed.by_size,
        sums = removed.cells, "removed by policy"
    );
}
