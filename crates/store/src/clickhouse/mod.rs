//! The store in ClickHouse: for a fleet, with any number of servers before it.
//!
//! ClickHouse has no transactions, so what must be whole is one row. Rows are only
//! inserted, and of rows with the same key the one with the highest version counts.
//!
//! # The life of a run
//!
//! ```text
//! upload
//!   │ put: at once                  one insert into `changed`, then one into `run`
//!   ▼
//! changed   its id and its hour     "may be in no sums yet"
//! run       its file, state 0       acknowledged; the file may be in a bucket (files)
//!   │ fold: every 15 s              verified_cells, changes: which runs are missing
//!   ▼
//! cell      sums of an hour of a route and release, with the ids of its runs
//!   │ day_sums: every 60 s          days that are over, unchanged for 10 minutes
//!   ▼
//! daily     sums of a day           names the keys and versions of its cells
//!   │ app_day_sums: after it        when all of the day is in `daily`
//!   ▼
//! app_daily, app_functions          many routes; names its parts in `daily` and `cell`
//!
//! retention: run gets state 1 (its sums stay);  delete: run gets state 2, and is
//! folded out of its cell;  closed: a day without runs is dropped
//! ```
//!
//! # When a row is trusted
//!
//! | row | counts | else |
//! |---|---|---|
//! | `run` | if its latest version has state 0 | state 1: only in sums; state 2: not at all |
//! | `changed` | never: it only says which runs to compare with their cells | |
//! | `cell` | always, its latest version; a run counts by its id in it | runs of `changed` that it lacks are read and added, those that were deleted are taken out |
//! | `daily` | while each version that it names is the latest of its cell, and no run of `changed` changes one | its cells count |
//! | `app_daily` | while all sums that it names count, and no other row names one of them | these count themselves |
//! | `app_functions` | with the row of `app_daily` of the same key and version | the days of each route are read |
//!
//! `fold`, `day_sums`, `sweep` and `closed` run on every server at once. Each step may be
//! repeated and may stop anywhere. docs/store-clickhouse.md says what to do when one fails.
//!
//! **Invariant:** each insert may be repeated, and any number of servers may write
//! at once. A run counts once, because it is in the sums by its id.

mod add_spreads;
mod address;
mod app_day_sums;
mod app_days;
mod app_functions;
mod cell_cache;
mod cell_version;
mod cells;
mod changes;
mod client;
mod closed;
mod counts;
mod day_sums;
mod delete;
mod dictionaries;
mod file_cache;
mod files;
mod fold;
mod function_lookup;
mod hours;
mod inspect;
mod known_days;
mod list;
mod literal;
mod names;
mod notable;
mod periodic_thread;
mod put;
mod query_session;
mod records;
mod retention;
mod rows;
mod runs;
mod schema;
mod select;
mod slices;
mod source;
mod sum_headers;
mod sum_part;
mod sweep;
mod tokens;
mod verified_cells;
mod verify_day_sums;
mod walk;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub use address::ClickhouseAddress;

use crate::answers::{self, Side, Source};
use crate::prepare;
use crate::store::Ask;
use crate::{
    AppInfo, CancelToken, CellHours, DayCount, DroppedRuns, Facets, HoursOf, NewRun, Notices,
    Policies, Policy, Removal, Removed, Result, Retention, Run, RunId, RunPage, RunQuery, Runs,
    Selection, Stats, Store, Stored, StoredToken, Taken, Tokens, Verified,
};
use client::Client;
use periodic_thread::PeriodicThread;
use put::Writer;
use query_session::QuerySession;
use source::SessionSource;

/// What a store does by itself, besides answering.
#[derive(Debug, Clone, Copy)]
pub struct Background {
    /// How often runs are folded into the sums of their hours.
    pub fold_every: Duration,
    /// How often the hours of days that are over are added up.
    pub sum_days_every: Duration,
    /// How long the hours of a route must not have changed for that.
    pub quiet: Duration,
}

impl Default for Background {
    fn default() -> Self {
        Self {
            fold_every: Duration::from_secs(15),
            sum_days_every: Duration::from_secs(60),
            quiet: Duration::from_secs(600),
        }
    }
}

/// A store in ClickHouse.
#[derive(Debug)]
pub struct ClickhouseStore {
    inner: Arc<Inner>,
    threads: Arc<Threads>,
    /// That of all questions; without it each has its own.
    session: Option<QuerySession>,
}

/// What a store does beside answering. They end with the last owner.
#[derive(Debug)]
struct Threads {
    writer: Writer,
    _folder: PeriodicThread,
    _days: PeriodicThread,
    _sweeper: Option<PeriodicThread>,
}

/// What the threads of a store share.
#[derive(Debug)]
struct Inner {
    client: Client,
    files: files::Files,
    dictionaries: dictionaries::DictionaryCache,
    names: names::Names,
    counts: counts::Counts,
    notable: notable::NotableCache,
    closing: closed::Closing,
    cells: cell_cache::CellCache,
    verified: verified_cells::VerifiedCells,
    complete_days: day_sums::CompleteDays,
    known_days: known_days::KnownDays,
    file_cache: file_cache::FileCache,
}

impl ClickhouseStore {
    /// Opens the store; creates its tables if they are missing.
    ///
    /// # Errors
    ///
    /// No node answers, the login is refused, or a later version made the tables.
    pub fn open(address: ClickhouseAddress) -> Result<Self> {
        Self::open_with(address, Background::default())
    }

    /// The same, with other times of what it does by itself.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open).
    pub fn open_with(address: ClickhouseAddress, background: Background) -> Result<Self> {
        let client = Client::new(address)?;
        schema::migrate(&client)?;
        let inner = Arc::new(Inner {
            files: files::Files::open(&client)?,
            client,
            dictionaries: dictionaries::DictionaryCache::default(),
            names: names::Names::default(),
            counts: counts::Counts::default(),
            notable: notable::NotableCache::default(),
            closing: closed::Closing::default(),
            cells: cell_cache::CellCache::default(),
            verified: verified_cells::VerifiedCells::default(),
            complete_days: day_sums::CompleteDays::default(),
            known_days: known_days::KnownDays::default(),
            file_cache: file_cache::FileCache::default(),
        });
        let threads = Threads {
            writer: Writer::start(Arc::clone(&inner))?,
            _folder: fold::start(Arc::clone(&inner), background.fold_every)?,
            _days: day_sums::start(Arc::clone(&inner), &background)?,
            _sweeper: sweep::start(Arc::clone(&inner))?,
        };
        Ok(Self {
            inner,
            threads: Arc::new(threads),
            session: None,
        })
    }

    /// Has later questions count what is written now.
    fn clear_session(&self) {
        if let Some(session) = &self.session {
            session.clear();
        }
    }

    /// Folds all runs into the sums of their hours now. Returns how many hours were
    /// written.
    ///
    /// # Errors
    ///
    /// Those of the database.
    pub fn fold(&self) -> Result<u64> {
        let written = self.inner.fold()?;
        self.inner.forget()?;
        Ok(written)
    }

    /// Adds up the hours of all days that are over now, if none of their route was written
    /// within `quiet`; all, if that is zero. Returns how many days of routes were written.
    ///
    /// # Errors
    ///
    /// Those of the database.
    pub fn sum_days(&self, quiet: Duration) -> Result<u64> {
        self.inner.sum_days(quiet, &|| false)
    }

    /// Adds runs to the sums that are in none, which does not happen unless tables
    /// were changed by hand. Returns their number.
    ///
    /// # Errors
    ///
    /// Those of the database.
    pub fn rebuild(&self) -> Result<u64> {
        self.inner.rebuild()
    }

    /// Closes the days of which no run is left, drops those that were closed so long
    /// ago, with the sums that were removed, and opens those that were dropped so long
    /// ago. [`retain`](Retention::retain) does it with half an hour.
    ///
    /// # Errors
    ///
    /// Those of the database.
    pub fn drop_days(&self, settled: Duration) -> Result<()> {
        self.inner.drop_days(settled)?;
        self.inner.drop_cells(settled)
    }

    /// Sets the age of parts from which on they are taken for the same on all replicas,
    /// so that their runs are not counted again. It is a minute by default.
    pub fn keep_counts_after(&self, seconds: u32) {
        self.inner.counts.set_settled(seconds);
    }

    /// Removes the objects of the bucket that no run has, and returns their number.
    /// Takes three minutes more than its work: until no statement can be left that
    /// uses them. None if the store has no bucket.
    ///
    /// # Errors
    ///
    /// Those of the database and of the bucket.
    pub fn sweep(&self) -> Result<Option<u64>> {
        self.sweep_with(sweep::SETTLED, sweep::UNUSED_TIME)
    }

    /// The same with another age of objects, and another time to wait.
    ///
    /// # Errors
    ///
    /// Those of [`sweep`](Self::sweep).
    pub fn sweep_with(&self, settled: Duration, quiet: Duration) -> Result<Option<u64>> {
        if self.inner.files.bucket.is_none() {
            return Ok(None);
        }
        self.inner.sweep(settled, quiet).map(Some)
    }
}

impl Inner {
    /// The name of a table with the rows of all nodes.
    fn all(&self, table: &str) -> String {
        schema::all(&self.client, table)
    }
}

/// The time in microseconds since 1970: the version of a row.
fn now_us() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |since| u64::try_from(since.as_micros()).unwrap_or(0))
}

impl Runs for ClickhouseStore {
    fn put_all(&self, runs: Vec<NewRun>) -> Vec<Result<Stored>> {
        let outcomes = prepare::put_all(runs, &*self.inner, |runs| self.threads.writer.put(runs));
        self.clear_session();
        outcomes
    }

    fn run(&self, id: &RunId) -> Result<Option<Run>> {
        self.inner.run(id)
    }

    fn runs(&self, query: &RunQuery) -> Result<RunPage> {
        let page = self.inner.page(query)?;
        if let Some(session) = &self.session {
            session.keep(&page.runs);
        }
        Ok(page)
    }

    fn apps(&self) -> Result<Vec<AppInfo>> {
        self.inner.apps()
    }

    fn days(&self, selection: &Selection) -> Result<Vec<DayCount>> {
        self.inner.day_counts(selection)
    }

    fn facets(&self, selection: &Selection) -> Result<Facets> {
        self.inner.facets(selection)
    }

    fn hosts(&self, selection: &Selection) -> Result<BTreeMap<String, u64>> {
        self.inner.hosts(selection)
    }

    fn taken(&self, app: &str, at_us: u64) -> Result<Taken> {
        self.inner.taken(app, at_us)
    }

    fn label(&self, id: &RunId, label: &str) -> Result<bool> {
        let is_there = self.inner.label(id, label);
        self.clear_session();
        is_there
    }

    fn delete(&self, ids: &[RunId]) -> Result<Vec<RunId>> {
        let deleted = self.inner.delete(ids);
        self.clear_session();
        deleted
    }
}

impl Ask for ClickhouseStore {
    fn ask<T>(&self, question: impl FnOnce(&dyn Source) -> Result<T>) -> Result<T> {
        let alone = QuerySession::default();
        question(&SessionSource {
            inner: &self.inner,
            session: self.session.as_ref().unwrap_or(&alone),
        })
    }

    fn sides(&self, before: &Selection, after: &Selection) -> Result<(Side, Side)> {
        let side = |selection| self.ask(|source| answers::side(source, selection));
        let (before, after) = CancelToken::both(|| side(before), || side(after));
        Ok((before?, after?))
    }

    fn visit_hours(&self, of: &HoursOf<'_>, visitor: &mut dyn FnMut(&CellHours)) -> Result<()> {
        self.inner.hours(of, visitor)
    }
}

impl Retention for ClickhouseStore {
    fn policies(&self) -> Result<Policies> {
        self.inner.policies()
    }

    fn set_policy(&self, app: Option<&str>, policy: Option<&Policy>) -> Result<()> {
        self.inner.set_policy(app, policy)
    }

    fn removable(&self, app: &str, policy: &Policy, now_us: u64) -> Result<Removed> {
        self.inner.removable(app, policy, now_us)
    }

    fn retain(&self, app: &str, policy: &Policy, now_us: u64) -> Result<Removed> {
        let removed = self.inner.retain(app, policy, now_us);
        self.clear_session();
        removed
    }

    fn removals(&self, app: Option<&str>, since_us: u64) -> Result<Vec<Removal>> {
        self.inner.removals(app, since_us)
    }
}

impl Tokens for ClickhouseStore {
    fn add_token(&self, token: &StoredToken) -> Result<()> {
        self.inner.add_token(token)
    }

    fn token(&self, id: &str) -> Result<Option<StoredToken>> {
        self.inner.token(id)
    }

    fn tokens(&self) -> Result<Vec<StoredToken>> {
        self.inner.tokens()
    }

    fn remove_token(&self, id: &str) -> Result<bool> {
        self.inner.remove_token(id)
    }
}

impl Notices for ClickhouseStore {
    fn has_notice(&self, id: &str) -> Result<bool> {
        self.inner.has_notice(id)
    }

    fn add_notice(&self, id: &str, now_us: u64) -> Result<()> {
        self.inner.add_notice(id, now_us)
    }

    fn note_dropped(&self, rows: &[DroppedRuns]) -> Result<()> {
        self.inner.note_dropped(rows)
    }

    fn dropped(&self, app: Option<&str>, since_us: u64) -> Result<Vec<DroppedRuns>> {
        self.inner.dropped(app, since_us)
    }
}

impl Store for ClickhouseStore {
    fn query_session(&self) -> Option<Box<dyn Store>> {
        Some(Box::new(Self {
            inner: Arc::clone(&self.inner),
            threads: Arc::clone(&self.threads),
            session: Some(QuerySession::default()),
        }))
    }

    fn verify(&self) -> Result<Verified> {
        self.inner.verify()
    }

    fn stats(&self) -> Result<Stats> {
        self.inner.stats()
    }
}
