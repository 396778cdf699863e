//! Fills a store with a month of a shop that does not exist.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use store::simulate::{At, Change, Random, Shop};
use store::{NewRun, Store};

const DAYS: u64 = 30;
const RUNS: u64 = 6000;
const DAY_US: u64 = 86_400_000_000;
const ROUTES: u64 = 40;

/// Stores the runs, the latest first, so that pages have something early.
pub fn fill(store: &Arc<dyn Store>) {
    let releases: u64 = DAYS / 3;
    let shop = Shop {
        routes: 40,
        paths: 250,
        hosts: 4,
        releases: (1..=releases)
            .map(|number| format!("2026.{number:02}"))
            .collect(),
        // One function slower, one query in a loop, one leak: the last three
        // releases have them all.
        changes: vec![
            Change::Slower {
                route: 2,
                release: 7,
                factor: 1.6,
            },
            Change::QueryInLoop {
                route: 1,
                release: 8,
                queries: 12,
            },
            Change::Leak {
                route: 31,
                release: 7,
                bytes: 20_000,
            },
        ],
        ..Shop::default()
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |since| u64::try_from(since.as_micros()).unwrap_or(0));
    for number in 0..RUNS {
        let mut random = Random::new(number);
        let age = number * DAYS * DAY_US / RUNS + random.below(DAY_US / 50);
        let started_us = now.saturating_sub(age);
        let release = (DAYS * DAY_US).saturating_sub(age) / (3 * DAY_US);
        // Some routes are used much more than others.
        let route = random.below(ROUTES).min(random.below(ROUTES));
        let profile = shop.run(At {
            number,
            route: usize::try_from(route).unwrap_or(0),
            release: usize::try_from(release.min(releases - 1)).unwrap_or(0),
            started_us,
        });
        let run = NewRun {
            profile,
            received: started_us,
        };
        if let Err(error) = store.put(run) {
            tracing::error!(%error, "the demo's data are incomplete");
            return;
        }
    }
    tracing::info!(runs = RUNS, "the demo's data are complete");
}
