//! The store in one folder: a database of `SQLite` with the runs' native files,
//! and hourly sums beside them.
//!
//! One thread writes. Runs that wait are written in one transaction, so that a
//! busy store waits for the disk once for many. Readers have connections of
//! their own and never wait for the writer.
//!
//! **Invariant:** a run, its metadata and its part of the sums are one
//! transaction: all of it is there, or none.

mod cells;
mod conditions;
mod daily;
mod days;
mod delete;
mod dictionaries;
mod dropped;
mod folder;
mod hours;
mod ids;
mod maintenance;
mod names;
mod notices;
mod policies;
mod put;
mod reader;
mod reserve;
mod retention;
mod runs;
mod schema;
mod tokens;
mod visit;
mod writer;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use profile::Symbol;
use rusqlite::Connection;

use crate::answers::Source;
use crate::prepare;
use crate::store::Ask;
use crate::{
    AppInfo, CellHours, DayCount, DroppedRuns, Error, Facets, HoursOf, NewRun, Notices, Policies,
    Policy, Removal, Removed, Result, Retention, Run, RunId, RunPage, RunQuery, Runs, Selection,
    Stats, Store, Stored, StoredToken, Taken, Tokens, Verified,
};
use visit::Reader;
use writer::Writer;

/// How a store is opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// Only questions; another process may write at the same time.
    pub read_only: bool,
    /// The largest size of the database in bytes, if not that of the disk.
    pub max_bytes: Option<u64>,
}

/// A store in a folder.
#[derive(Debug)]
pub struct SqliteStore {
    folder: PathBuf,
    /// None if it is open for reading only.
    writer: Option<Writer>,
    readers: Mutex<Vec<Connection>>,
    names: RwLock<Arc<Vec<Symbol>>>,
    dictionaries: dictionaries::DictionaryCache,
    /// Whether an answer said that the database is damaged.
    is_corrupt: AtomicBool,
    /// Held as long as the store is open for writing.
    _lock: Option<File>,
}

impl SqliteStore {
    /// Opens the store in `folder`; creates it if there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Locked`] if another process has it open for writing,
    /// [`Error::Version`] if a later version wrote it.
    pub fn open(folder: &Path) -> Result<Self> {
        Self::open_with(folder, Options::default())
    }

    /// The same with options.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open); [`Error::Missing`] if it is to be read
    /// only, and there is none. A store of an older version is brought up to
    /// date also then.
    pub fn open_with(folder: &Path, options: Options) -> Result<Self> {
        let (folder, lock) = if options.read_only {
            (folder::existing(folder)?, None)
        } else {
            let folder = folder::created(folder)?;
            let lock = folder::lock(&folder)?;
            (folder, Some(lock))
        };
        let writer = if options.read_only {
            let connection = reader::connect(&folder)?;
            schema::check(&connection)?;
            if schema::is_older(&connection)? {
                let _lock = folder::lock(&folder)?;
                drop(Writer::start(&folder, None)?);
            }
            None
        } else {
            Some(Writer::start(&folder, options.max_bytes)?)
        };
        Ok(Self {
            folder,
            writer,
            readers: Mutex::default(),
            names: RwLock::new(Arc::new(vec![Symbol::new(*b"[unknown]")])),
            dictionaries: dictionaries::DictionaryCache::default(),
            is_corrupt: AtomicBool::new(false),
            _lock: lock,
        })
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn writer(&self) -> Result<&Writer> {
        self.writer.as_ref().ok_or(Error::ReadOnly)
    }
}

impl Runs for SqliteStore {
    fn put_all(&self, runs: Vec<NewRun>) -> Vec<Result<Stored>> {
        match self.writer() {
            Ok(writer) => prepare::put_all(runs, self, |runs| writer.put(runs)),
            Err(error) => vec![Err(error); runs.len()],
        }
    }

    fn run(&self, id: &RunId) -> Result<Option<Run>> {
        self.read(|connection| runs::run(connection, id))
    }

    fn runs(&self, query: &RunQuery) -> Result<RunPage> {
        self.read(|connection| runs::page(connection, query))
    }

    fn apps(&self) -> Result<Vec<AppInfo>> {
        self.read(runs::apps)
    }

    fn days(&self, selection: &Selection) -> Result<Vec<DayCount>> {
        self.read(|connection| runs::days(connection, selection))
    }

    fn facets(&self, selection: &Selection) -> Result<Facets> {
        self.read(|connection| runs::facets(connection, selection))
    }

    fn hosts(&self, selection: &Selection) -> Result<BTreeMap<String, u64>> {
        self.read(|connection| runs::hosts(connection, selection))
    }

    fn taken(&self, app: &str, at_us: u64) -> Result<Taken> {
        self.read(|connection| tokens::taken(connection, app, at_us))
    }

    fn label(&self, id: &RunId, label: &str) -> Result<bool> {
        let (id, label) = (*id, label.to_owned());
        let label = move |open: &mut put::Open<'_>| runs::label(open.connection, &id, &label);
        self.writer()?.transaction(label)
    }

    fn delete(&self, ids: &[RunId]) -> Result<Vec<RunId>> {
        let ids = ids.to_vec();
        let delete = move |open: &mut put::Open<'_>| delete::delete(open, &ids);
        self.writer()?.removal(delete)
    }
}

impl Ask for SqliteStore {
    fn ask<T>(&self, question: impl FnOnce(&dyn Source) -> Result<T>) -> Result<T> {
        self.read(|connection| {
            question(&Reader {
                store: self,
                connection,
            })
        })
    }

    fn visit_hours(&self, of: &HoursOf<'_>, visitor: &mut dyn FnMut(&CellHours)) -> Result<()> {
        self.read(|connection| hours::hours(self, connection, of, visitor))
    }
}

impl Retention for SqliteStore {
    fn policies(&self) -> Result<Policies> {
        self.read(policies::all)
    }

    fn set_policy(&self, app: Option<&str>, policy: Option<&Policy>) -> Result<()> {
        let (app, policy) = (app.map(str::to_owned), policy.cloned());
        let set = move |open: &mut put::Open<'_>| {
            policies::set(open.connection, app.as_deref(), policy.as_ref())
        };
        self.writer()?.transaction(set)
    }

    fn removable(&self, app: &str, policy: &Policy, now_us: u64) -> Result<Removed> {
        self.read(|connection| retention::removable(connection, app, policy, now_us))
    }

    fn retain(&self, app: &str, policy: &Policy, now_us: u64) -> Result<Removed> {
        // The search reads: runs that arrive do not wait for it.
        let plan = self.read(|connection| retention::plan(connection, app, policy, now_us))?;
        retention::apply(self.writer()?, app, &plan, now_us)
    }

    fn removals(&self, app: Option<&str>, since_us: u64) -> Result<Vec<Removal>> {
        self.read(|connection| policies::removals(connection, app, since_us))
    }
}

impl Tokens for SqliteStore {
    fn add_token(&self, token: &StoredToken) -> Result<()> {
        let token = token.clone();
        let add = move |open: &mut put::Open<'_>| tokens::add(open.connection, &token);
        self.writer()?.transaction(add)
    }

    fn token(&self, id: &str) -> Result<Option<StoredToken>> {
        self.read(|connection| tokens::one(connection, id))
    }

    fn tokens(&self) -> Result<Vec<StoredToken>> {
        self.read(tokens::all)
    }

    fn remove_token(&self, id: &str) -> Result<bool> {
        let id = id.to_owned();
        let remove = move |open: &mut put::Open<'_>| tokens::remove(open.connection, &id);
        self.writer()?.transaction(remove)
    }
}

impl Notices for SqliteStore {
    fn has_notice(&self, id: &str) -> Result<bool> {
        self.read(|connection| notices::has(connection, id))
    }

    fn add_notice(&self, id: &str, now_us: u64) -> Result<()> {
        let id = id.to_owned();
        let add = move |open: &mut put::Open<'_>| notices::add(open.connection, &id, now_us);
        self.writer()?.transaction(add)
    }

    fn note_dropped(&self, rows: &[DroppedRuns]) -> Result<()> {
        let rows = rows.to_vec();
        let note = move |open: &mut put::Open<'_>| dropped::note(open.connection, &rows);
        self.writer()?.transaction(note)
    }

    fn dropped(&self, app: Option<&str>, since_us: u64) -> Result<Vec<DroppedRuns>> {
        self.read(|connection| dropped::since(connection, app, since_us))
    }
}

impl Store for SqliteStore {
    fn verify(&self) -> Result<Verified> {
        self.read(|connection| maintenance::verify(self, connection))
    }

    fn stats(&self) -> Result<Stats> {
        let stats = self.read(runs::stats)?;
        let disk_bytes = folder::size(&self.folder);
        Ok(Stats {
            disk_bytes,
            ..stats
        })
    }

    fn ready(&self) -> Result<()> {
        self.check()
    }

    fn stop(&self, patience: Duration) {
        if let Some(writer) = &self.writer {
            writer.stop(patience);
        }
    }
}
