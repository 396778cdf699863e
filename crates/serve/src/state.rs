//! What a server is made of, and what its requests share.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ipnet::IpNet;
use parking_lot::Mutex;
use store::{AppInfo, CancelToken, Stats, Store};

use crate::access::Access;
use crate::admission::Admission;
use crate::demo::Demo;
use crate::findings::Findings;
use crate::logins::Logins;
use crate::metrics::Counters;
use crate::names::RecentNames;
use crate::quota::Quotas;
use crate::readers::Readers;
use crate::token_rows::Rows;
use crate::trace_url::TraceUrl;
use crate::undelivered::Undelivered;
use crate::webhook::Webhook;

/// Searches for what releases of an application made slower.
pub type Search = Box<dyn Fn(&dyn Store, &str) -> Result<Findings, String> + Send + Sync>;

/// How a request asks PHP for a profile: the settings `xhprof.trigger` and
/// `xhprof.trigger_secret`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger {
    /// The name of the cookie or header.
    pub name: String,
    /// Its value; none if the server was not told.
    pub secret: Option<String>,
}

/// The wait between two looks whether a search has ended.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// How long findings are kept at least while runs arrive.
const FOUND: Duration = Duration::from_secs(60);

/// And for how many times as long as it took to find them: of a large application it takes ten seconds and more.
const FOUND_TIMES: u32 = 20;

/// How long while the demo's month is being stored, which changes them each second.
const FOUND_IN_DEMO: Duration = Duration::from_secs(3);

/// How long the size of the store is kept for counters.
const SIZE_IS_KEPT: Duration = Duration::from_secs(60);

/// The findings of an application.
struct Kept {
    /// When they were searched for, and how long it took.
    since: Instant,
    took: Duration,
    /// Of which runs.
    of: AppInfo,
    findings: Arc<Findings>,
}

/// What a server is made of.
pub struct Config {
    /// Where the runs are.
    pub store: Arc<dyn Store>,
    /// What reads uploads.
    pub readers: Arc<Readers>,
    /// Where it listens.
    pub listen: SocketAddr,
    /// Who may use it.
    pub access: Access,
    /// The names under which it may be reached, beside its address: `Host` must
    /// be one of them.
    pub hosts: Vec<String>,
    /// The proxies whose `X-Forwarded-For` is believed, beside those on this machine.
    pub proxies: Vec<IpNet>,
    /// The certificate and its key, for HTTPS.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// The simulated month, if all data are of it: pages say so.
    pub demo: Option<Arc<Demo>>,
    /// Searches for regressions.
    pub findings: Search,
    /// Where findings are sent.
    pub webhook: Option<Arc<Webhook>>,
    /// The findings that the receiver of the webhook did not take.
    pub undelivered: Arc<Undelivered>,
    /// How a request asks for a profile.
    pub trigger: Trigger,
    /// Where the trace of a run is shown.
    pub trace_url: Option<TraceUrl>,
}

/// What requests share.
pub struct State {
    pub(crate) config: Config,
    /// Failed logins of browsers, and wrong tokens of programs: behind one address may be both.
    pub(crate) logins: Logins,
    pub(crate) wrong_tokens: Logins,
    pub(crate) rows: Rows,
    pub(crate) quotas: Arc<Quotas>,
    pub(crate) counters: Counters,
    pub(crate) admission: Admission,
    /// The size of the store, since when, and for how long it is told again.
    size: Mutex<Option<(Instant, Duration, Stats)>>,
    found: Mutex<HashMap<String, Kept>>,
    /// Names of routes and functions that were just searched.
    pub(crate) names: RecentNames,
    /// Held by a search for regressions.
    search: Mutex<()>,
}

impl State {
    /// The state of a server that has just begun.
    #[must_use]
    pub fn new(config: Config) -> Arc<Self> {
        let readers = &config.readers;
        let admission = Admission::of(readers.whole_memory(), readers.memory().clone());
        Arc::new(Self {
            config,
            admission,
            logins: Logins::default(),
            wrong_tokens: Logins::default(),
            rows: Rows::default(),
            quotas: Arc::default(),
            counters: Counters::default(),
            size: Mutex::default(),
            found: Mutex::default(),
            names: RecentNames::default(),
            search: Mutex::default(),
        })
    }

    /// The size of the store, for counters that are read every few seconds. It is as old
    /// as 20 times the time that reading it takes, at most a minute.
    pub(crate) fn recent_size(&self, store: &dyn Store) -> store::Result<Stats> {
        // Others wait for the one that reads.
        let mut size = self.size.lock();
        if let Some((since, most, stats)) = &*size
            && since.elapsed() < *most
        {
            return Ok(stats.clone());
        }
        let began = Instant::now();
        let stats = store.stats()?;
        let most = began.elapsed().saturating_mul(20).min(SIZE_IS_KEPT);
        *size = Some((Instant::now(), most, stats.clone()));
        Ok(stats)
    }

    /// What releases of an application made slower. The search takes seconds, so
    /// its answer is kept until there are new runs, and for a minute.
    pub(crate) fn findings(&self, store: &dyn Store, app: &str) -> Result<Arc<Findings>, String> {
        let apps = store.apps().map_err(|error| error.to_string())?;
        let info = apps.into_iter().find(|info| info.name == app);
        let info = info.ok_or_else(|| format!("there are no runs of the application {app}"))?;
        let found = || self.found.lock();
        let kept = || {
            let found = found();
            let kept = found.get(app)?;
            let is_kept = kept.since.elapsed() < self.findings_are_kept(kept.took);
            (kept.of == info || is_kept).then(|| Arc::clone(&kept.findings))
        };
        if let Some(kept) = kept() {
            return Ok(kept);
        }
        // One search at a time: each takes as much memory. The next may find what
        // this one found.
        let _search = loop {
            if let Some(search) = self.search.try_lock_for(LOOK_AGAIN) {
                break search;
            }
            if CancelToken::current().is_some_and(|cancel| cancel.is_cancelled()) {
                return Err(store::Error::Cancelled.to_string());
            }
        };
        if let Some(kept) = kept() {
            return Ok(kept);
        }
        // Also if its client leaves: the next one gets what this one found.
        let begin = Instant::now();
        let new = CancelToken::default().run(|| (self.config.findings)(store, app))?;
        let new = Arc::new(new);
        let kept = Kept {
            since: Instant::now(),
            took: begin.elapsed(),
            of: info,
            findings: Arc::clone(&new),
        };
        found().insert(app.to_owned(), kept);
        Ok(new)
    }

    fn findings_are_kept(&self, took: Duration) -> Duration {
        match self.demo_progress() {
            Some(_) => FOUND_IN_DEMO,
            None => FOUND.max(took.saturating_mul(FOUND_TIMES)),
        }
    }

    /// The days of the demo's month that are stored, and all of them; none if it
    /// is complete, or if this is no demo.
    pub(crate) fn demo_progress(&self) -> Option<(u64, u64)> {
        self.config.demo.as_ref()?.progress()
    }
}
