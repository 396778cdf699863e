//! Dictionaries: files that those of other runs are compressed with.
//!
//! The number of a dictionary is a hash of its content. Two servers that choose
//! different ones for a route disturb each other in nothing.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::Inner;
use super::literal::text;
use super::rows::{RowReader, RowWriter};
use crate::packed::unpacked;
use crate::prepare::{Dictionaries, MAX_DICTIONARY, app_of, release_of, route_of};
use crate::{Error, NewRun, Result, RunInfo};

/// How many bytes of them, and how many routes, are kept in memory.
const MAX_CACHED_BYTES: usize = 64 << 20;
const KEPT_ROUTES: usize = 100_000;

/// How long a route is taken for one without a dictionary: another server may have
/// stored one.
const ABSENT: Duration = Duration::from_secs(10);

/// A dictionary with its number.
type Numbered = (i64, Arc<Vec<u8>>);

/// An application, a route and a release.
type Key = [String; 3];

/// The dictionaries that were used lately.
#[derive(Debug, Default)]
pub(super) struct DictionaryCache {
    kept: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The number of each; none and when that was seen if there is none.
    by_route: HashMap<Key, std::result::Result<i64, Instant>>,
    data: HashMap<i64, Arc<Vec<u8>>>,
    bytes: usize,
}

impl State {
    fn keep(&mut self, number: i64, data: &Arc<Vec<u8>>) {
        if self.bytes > MAX_CACHED_BYTES || self.by_route.len() > KEPT_ROUTES {
            *self = Self::default();
        }
        if self.data.insert(number, Arc::clone(data)).is_none() {
            self.bytes += data.len();
        }
    }
}

impl DictionaryCache {
    /// A dictionary by its number; none if it is missing. 0 is the empty one.
    pub(super) fn data(&self, inner: &Inner, number: i64) -> Result<Option<Arc<Vec<u8>>>> {
        if number == 0 {
            return Ok(Some(Arc::default()));
        }
        self.fetch(inner, &[number])?;
        Ok(self.kept.lock().data.get(&number).map(Arc::clone))
    }

    /// Reads those that are not in memory, at once.
    pub(super) fn fetch(&self, inner: &Inner, asked: &[i64]) -> Result<()> {
        let missing: BTreeSet<i64> = {
            let state = self.kept.lock();
            let is_missing = |number: &&i64| **number != 0 && !state.data.contains_key(*number);
            asked.iter().filter(is_missing).copied().collect()
        };
        if missing.is_empty() {
            return Ok(());
        }
        let missing: Vec<String> = missing.iter().map(i64::to_string).collect();
        let bytes = inner.client.read(&format!(
            "SELECT id, data FROM {} WHERE id IN ({}) LIMIT 1 BY id",
            inner.all("dictionary"),
            missing.join(", ")
        ))?;
        let mut answer = RowReader::new(&bytes);
        while answer.has_more() {
            let (number, data) = (answer.i64()?, Arc::new(plain(answer.bytes()?)?));
            self.kept.lock().keep(number, &data);
        }
        Ok(())
    }

    /// Stores the first dictionaries of routes and releases.
    pub(super) fn add(&self, inner: &Inner, candidates: &[(&RunInfo, &[u8])]) -> Result<()> {
        let mut added: HashMap<Key, i64> = HashMap::new();
        let mut rows = RowWriter::default();
        for (info, packed) in candidates {
            let key = key(info);
            let is_there = matches!(self.kept.lock().by_route.get(&key), Some(Ok(_)));
            if is_there || added.contains_key(&key) {
                continue;
            }
            let number = number_of(packed);
            rows.i64(number).u64(1);
            rows.text(&info.app).text(&info.route).text(&info.release);
            rows.text(packed);
            self.kept.lock().keep(number, &Arc::new(plain(packed)?));
            added.insert(key, number);
        }
        if added.is_empty() {
            return Ok(());
        }
        let into = inner.all("dictionary") + " (id, version, app, route, release, data)";
        inner.client.insert(&into, &rows.bytes)?;
        let added = added.into_iter().map(|(key, number)| (key, Ok(number)));
        self.kept.lock().by_route.extend(added);
        Ok(())
    }

    /// What is known of routes without asking: the number, or that there is none.
    fn known(&self, key: &Key) -> Option<Option<i64>> {
        match self.kept.lock().by_route.get(key)? {
            Ok(number) => Some(Some(*number)),
            Err(seen) => (seen.elapsed() < ABSENT).then_some(None),
        }
    }

    /// Reads the dictionaries of routes.
    fn read(&self, inner: &Inner, keys: &[Key]) -> Result<()> {
        let places = keys.iter().map(|[app, route, release]| {
            format!("({}, {}, {})", text(app), text(route), text(release))
        });
        let bytes = inner.client.read(&format!(
            "SELECT app, route, release, id, data FROM {} WHERE (app, route, release) IN ({})
             ORDER BY app, route, release, id LIMIT 1 BY app, route, release",
            inner.all("dictionary"),
            places.collect::<Vec<_>>().join(", ")
        ))?;
        let mut answer = RowReader::new(&bytes);
        let now = Instant::now();
        let mut found: HashMap<Key, _> = keys.iter().map(|key| (key.clone(), Err(now))).collect();
        while answer.has_more() {
            let key = [answer.text()?, answer.text()?, answer.text()?];
            let (number, data) = (answer.i64()?, Arc::new(plain(answer.bytes()?)?));
            self.kept.lock().keep(number, &data);
            found.insert(key, Ok(number));
        }
        self.kept.lock().by_route.extend(found);
        Ok(())
    }
}

impl Dictionaries for Inner {
    fn expect(&self, runs: &[NewRun]) -> Result<()> {
        let key = |run: &NewRun| {
            let meta = &run.profile.meta;
            [app_of(meta), route_of(meta), release_of(meta)]
        };
        let keys: BTreeSet<Key> = runs.iter().map(key).collect();
        let mut numbers = Vec::new();
        let mut unknown = Vec::new();
        for key in keys {
            match self.dictionaries.known(&key) {
                Some(number) => numbers.extend(number),
                None => unknown.push(key),
            }
        }
        self.dictionaries.fetch(self, &numbers)?;
        if unknown.is_empty() {
            return Ok(());
        }
        self.dictionaries.read(self, &unknown)
    }

    fn find(&self, info: &RunInfo) -> Result<Option<Numbered>> {
        let key = key(info);
        if self.dictionaries.known(&key).is_none() {
            self.dictionaries.read(self, std::slice::from_ref(&key))?;
        }
        let Some(number) = self.dictionaries.known(&key).flatten() else {
            return Ok(None);
        };
        let data = self.dictionaries.data(self, number)?;
        Ok(data.map(|data| (number, data)))
    }
}

fn key(info: &RunInfo) -> Key {
    [&info.app, &info.route, &info.release].map(Clone::clone)
}

/// 63 bits of the hash; never 0.
fn number_of(packed: &[u8]) -> i64 {
    let mut bytes = [0; 8];
    blake3::Hasher::new()
        .update(packed)
        .finalize_xof()
        .fill(&mut bytes);
    (i64::from_le_bytes(bytes) & i64::MAX).max(1)
}

fn plain(packed: &[u8]) -> Result<Vec<u8>> {
    unpacked(packed, &[], MAX_DICTIONARY)
        .map_err(|error| Error::Damaged(format!("a dictionary: {error}")))
}
