//! Dictionaries: files that those of other runs are compressed with.
//!
//! The number of a dictionary is a hash of its content. Two servers that choose
//! different ones for a route disturb each other in nothing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Inner;
use super::literal::text;
use super::rows::{Answer, Rows};
use crate::packed::unpacked;
use crate::prepare::{Dictionaries, MAX_DICTIONARY};
use crate::{Error, Result, RunInfo};

/// How many are kept in memory.
const KEPT: usize = 256;

/// A dictionary with its number.
type Numbered = (i64, Arc<Vec<u8>>);

/// The dictionaries that were used lately.
#[derive(Debug, Default)]
pub(super) struct Kept {
    kept: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    by_route: HashMap<[String; 3], i64>,
    data: HashMap<i64, Arc<Vec<u8>>>,
}

impl Kept {
    fn state(&self) -> MutexGuard<'_, State> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, number: i64, data: &Arc<Vec<u8>>) {
        let mut state = self.state();
        if state.data.len() >= KEPT {
            *state = State::default();
        }
        state.data.insert(number, Arc::clone(data));
    }

    /// A dictionary by its number; none if it is missing. 0 is the empty one.
    pub(super) fn data(&self, inner: &Inner, number: i64) -> Result<Option<Arc<Vec<u8>>>> {
        if number == 0 {
            return Ok(Some(Arc::default()));
        }
        if let Some(data) = self.state().data.get(&number) {
            return Ok(Some(Arc::clone(data)));
        }
        let found = inner.client.read(&format!(
            "SELECT data FROM {} WHERE id = {number} LIMIT 1",
            inner.all("dictionary")
        ))?;
        let mut answer = Answer::new(&found);
        if !answer.has_more() {
            return Ok(None);
        }
        let data = Arc::new(plain(answer.bytes()?)?);
        self.keep(number, &data);
        Ok(Some(data))
    }

    /// Stores the first dictionary of a route and release.
    pub(super) fn add(&self, inner: &Inner, info: &RunInfo, packed: &[u8]) -> Result<()> {
        let number = number_of(packed);
        let mut row = Rows::default();
        row.i64(number).u64(1);
        row.text(&info.app)
            .text(&info.route)
            .text(&info.release)
            .text(packed);
        let into = inner.all("dictionary") + " (id, version, app, route, release, data)";
        inner.client.insert(&into, &row.bytes)?;
        self.keep(number, &Arc::new(plain(packed)?));
        self.state().by_route.insert(key(info), number);
        Ok(())
    }

    /// Whether a route and release has one.
    pub(super) fn has(&self, info: &RunInfo) -> bool {
        self.state().by_route.contains_key(&key(info))
    }
}

impl Dictionaries for Inner {
    fn find(&self, info: &RunInfo) -> Result<Option<Numbered>> {
        let known = self.dictionaries.state().by_route.get(&key(info)).copied();
        let number = match known {
            Some(number) => number,
            None => {
                let found = self.client.read(&format!(
                    "SELECT id FROM {} WHERE app = {} AND route = {} AND release = {}
                     ORDER BY id LIMIT 1",
                    self.all("dictionary"),
                    text(&info.app),
                    text(&info.route),
                    text(&info.release)
                ))?;
                let mut answer = Answer::new(&found);
                if !answer.has_more() {
                    return Ok(None);
                }
                answer.i64()?
            }
        };
        let data = self.dictionaries.data(self, number)?;
        if data.is_some() {
            self.dictionaries.state().by_route.insert(key(info), number);
        }
        Ok(data.map(|data| (number, data)))
    }
}

fn key(info: &RunInfo) -> [String; 3] {
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
