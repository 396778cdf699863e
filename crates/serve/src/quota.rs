//! Quotas: how much of an application is taken on a day of UTC.
//!
//! The store counts, so that all its servers agree. A server asks it at most once a
//! second for an application, and adds what it has stored itself since.
//!
//! **Invariant:** one server takes no more runs than a quota says, and several only
//! what they store in a second.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use store::{Policies, Policy, Store, Taken};

use crate::reading::OverQuota;
use crate::retention::now_us;

const DAY_US: u64 = 86_400_000_000;

/// How long an answer of the store is used.
const FRESH: Duration = Duration::from_secs(1);

/// The most applications in memory.
const MAX_APPS: usize = 10_000;

/// What is known of the quotas.
#[derive(Debug, Default)]
pub(crate) struct Quotas(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    policies: Option<(Instant, Policies)>,
    apps: HashMap<String, Today>,
}

/// What was taken of an application today.
#[derive(Debug)]
struct Today {
    day: u64,
    asked: Instant,
    taken: Taken,
    /// What this server has stored since it asked.
    since: Taken,
    /// Uploads that are being stored.
    running: u64,
    /// Whether the log has it.
    is_noted: bool,
}

/// The place of an upload that is being stored.
#[derive(Debug)]
#[must_use]
pub(crate) struct Place<'q> {
    quotas: &'q Quotas,
    app: Option<String>,
    stored: Taken,
}

impl Quotas {
    /// Reads the policies again.
    pub(crate) fn forget_policies(&self) {
        self.0.lock().policies = None;
    }

    /// Refuses an application whose quota is used up.
    pub(crate) fn check(&self, store: &dyn Store, app: &str) -> store::Result<Option<OverQuota>> {
        let mut known = self.0.lock();
        let policy = known.policy(store, app)?;
        Ok(known.over(store, app, &policy, now_us())?.err())
    }

    /// Gives an upload its place in the quota of its application.
    pub(crate) fn place(
        &self,
        store: &dyn Store,
        app: &str,
    ) -> store::Result<Result<Place<'_>, OverQuota>> {
        let mut known = self.0.lock();
        let policy = known.policy(store, app)?;
        let over = known.over(store, app, &policy, now_us())?;
        Ok(over.map(|today| {
            let app = today.map(|today| {
                today.running += 1;
                app.to_owned()
            });
            Place {
                quotas: self,
                app,
                stored: Taken::default(),
            }
        }))
    }
}

impl Place<'_> {
    /// Counts the run, which was stored: its size is not known exactly until the
    /// store is asked again.
    pub(crate) fn stored(mut self, bytes: u64) {
        self.stored = Taken { runs: 1, bytes };
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let Some(app) = &self.app else { return };
        if let Some(today) = self.quotas.0.lock().apps.get_mut(app) {
            today.running = today.running.saturating_sub(1);
            today.since.runs += self.stored.runs;
            today.since.bytes += self.stored.bytes;
        }
    }
}

impl Known {
    fn policy(&mut self, store: &dyn Store, app: &str) -> store::Result<Policy> {
        let kept = self.policies.as_ref();
        if let Some((_, policies)) = kept.filter(|(since, _)| since.elapsed() < FRESH) {
            return Ok(policies.of(app).clone());
        }
        let policies = store.policies()?;
        let policy = policies.of(app).clone();
        self.policies = Some((Instant::now(), policies));
        Ok(policy)
    }

    /// What is known of an application that is within its quota; none if it has none.
    fn over(
        &mut self,
        store: &dyn Store,
        app: &str,
        policy: &Policy,
        now_us: u64,
    ) -> store::Result<Result<Option<&mut Today>, OverQuota>> {
        if policy.quotas() == (None, None) {
            return Ok(Ok(None));
        }
        let day = now_us / DAY_US;
        if self.apps.len() >= MAX_APPS && !self.apps.contains_key(app) {
            // Those in between are counted by the store.
            self.apps.retain(|_, today| today.running > 0);
        }
        let today = match self.apps.entry(app.to_owned()) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => entry.insert(Today {
                day,
                asked: Instant::now(),
                taken: store.taken(app, now_us)?,
                since: Taken::default(),
                running: 0,
                is_noted: false,
            }),
        };
        if today.day != day {
            today.is_noted = false;
        }
        let is_old = today.day != day || today.asked.elapsed() >= FRESH;
        if is_old || policy.is_used_up(today.sum()) && today.since != Taken::default() {
            today.day = day;
            today.asked = Instant::now();
            today.taken = store.taken(app, now_us)?;
            today.since = Taken::default();
        }
        if !policy.is_used_up(today.sum()) {
            return Ok(Ok(Some(today)));
        }
        let over = OverQuota {
            app: app.to_owned(),
            runs: policy.runs_a_day,
            bytes: policy.bytes_a_day,
            seconds: (DAY_US - now_us % DAY_US).div_ceil(1_000_000),
        };
        if !std::mem::replace(&mut today.is_noted, true) {
            tracing::warn!(reason = %over, "uploads are refused");
        }
        Ok(Err(over))
    }
}

impl Today {
    fn sum(&self) -> Taken {
        Taken {
            runs: self.taken.runs + self.since.runs + self.running,
            bytes: self.taken.bytes + self.since.bytes,
        }
    }
}
