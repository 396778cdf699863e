//! Sums of hours and of days that questions read lately: their totals, and the parts that
//! were wanted.
//!
//! A version of them never changes, so what was read of it needs to be read once.
//! A question asks ClickHouse for versions, and reads what is not here.
//!
//! **Invariant:** an entry is of the version that it names, and is given to questions
//! that ask for that version only. When there is too much of it, half is dropped.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use parking_lot::Mutex;

use super::cells::Key;
use crate::answers::Place;
use crate::rollup::Totals;

/// How many bytes of totals and of parts are kept, about.
const KEPT_HEADS: usize = 128 << 20;
const KEPT_PARTS: usize = 256 << 20;

/// The sums of an hour or of a day without their parts.
#[derive(Debug)]
pub(super) struct SumHeader {
    pub(super) key: Key,
    pub(super) version: u64,
    pub(super) shape: i8,
    /// The cells that the sums of a day are of; none for an hour.
    pub(super) cells: Box<[(Key, u64)]>,
    /// With the weight 1.
    pub(super) place: Place,
    pub(super) totals: Totals,
}

impl SumHeader {
    /// About how many bytes it has.
    pub(super) fn size(&self) -> usize {
        let place = &self.place;
        let texts = place.app.len() + place.route.len() + place.release.len();
        400 + texts + self.totals.walls.bucket_list().len() * 16 + self.cells.len() * 24
    }
}

/// The parts of a cell, each a column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Column {
    Paths,
    Spans,
    Spreads,
    /// Spreads without their times, which are most of them. Only sums of many routes have it.
    Moments,
    /// What functions have on each route. Sums of many routes have it, in a table of its own.
    Functions,
}

impl Column {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Paths => "paths",
            Self::Spans => "spans",
            Self::Spreads => "spreads",
            Self::Moments => "moments",
            Self::Functions => "functions",
        }
    }
}

/// A part of a cell.
#[derive(Debug, Clone)]
pub(super) struct PackedPart {
    /// The numbers in this process of the cell's functions.
    pub(super) names: Arc<[u32]>,
    pub(super) bytes: Arc<[u8]>,
}

#[derive(Debug, Default)]
struct CachedParts {
    version: u64,
    names: Option<Arc<[u32]>>,
    columns: HashMap<Column, Arc<[u8]>>,
    /// Hashes of functions that it does not have.
    lacks: HashSet<u64>,
}

impl CachedParts {
    fn size(&self) -> usize {
        let bytes: usize = self.columns.values().map(|bytes| bytes.len() + 64).sum();
        bytes + self.names.as_ref().map_or(0, |names| names.len() * 4) + 200
    }
}

/// The cells that were read lately.
#[derive(Debug, Default)]
pub(super) struct CellCache {
    headers: Mutex<HeaderCache>,
    parts: Mutex<PartCache>,
}

#[derive(Debug, Default)]
struct HeaderCache {
    cells: HashMap<Key, Arc<SumHeader>>,
    bytes: usize,
}

#[derive(Debug, Default)]
struct PartCache {
    cells: HashMap<Key, CachedParts>,
    bytes: usize,
}

/// What is known of a part.
pub(super) enum Known {
    Part(PackedPart),
    /// The cell does not have the functions that are wanted.
    Lacks,
    Unknown,
}

impl CellCache {
    /// Takes the cells that are known out of `wanted`, into `found`.
    pub(super) fn find(&self, wanted: &mut Vec<(Key, u64)>, found: &mut Vec<Arc<SumHeader>>) {
        let headers = self.headers.lock();
        wanted.retain(|(key, version)| {
            let known = headers.cells.get(key);
            let known = known.filter(|header| header.version == *version);
            found.extend(known.cloned());
            known.is_none()
        });
    }

    pub(super) fn keep(&self, header: &Arc<SumHeader>) {
        let headers = &mut *self.headers.lock();
        headers.bytes += header.size();
        if let Some(before) = headers.cells.insert(header.key, Arc::clone(header)) {
            headers.bytes -= before.size();
        }
        if headers.bytes > KEPT_HEADS {
            drop_half(&mut headers.cells);
            headers.bytes = headers.cells.values().map(|header| header.size()).sum();
        }
    }

    /// A part of a cell; `functions` is the hash of those that are wanted.
    pub(super) fn part(&self, header: &SumHeader, column: Column, functions: Option<u64>) -> Known {
        let parts = self.parts.lock();
        let known = parts.cells.get(&header.key);
        let Some(known) = known.filter(|parts| parts.version == header.version) else {
            return Known::Unknown;
        };
        if functions.is_some_and(|functions| known.lacks.contains(&functions)) {
            return Known::Lacks;
        }
        match (&known.names, known.columns.get(&column)) {
            (Some(names), Some(bytes)) => Known::Part(PackedPart {
                names: Arc::clone(names),
                bytes: Arc::clone(bytes),
            }),
            _ => Known::Unknown,
        }
    }

    /// Keeps a part, or that the cell lacks some functions.
    pub(super) fn keep_part(
        &self,
        key: Key,
        version: u64,
        column: Column,
        part: Result<&PackedPart, u64>,
    ) {
        let all = &mut *self.parts.lock();
        let parts = all.cells.entry(key).or_default();
        all.bytes = all.bytes.saturating_sub(parts.size());
        if parts.version != version {
            *parts = CachedParts {
                version,
                ..CachedParts::default()
            };
        }
        match part {
            Ok(part) => {
                parts.names = Some(Arc::clone(&part.names));
                parts.columns.insert(column, Arc::clone(&part.bytes));
            }
            // A few questions are repeated; what was asked once need not stay.
            Err(_) if parts.lacks.len() > 20 => parts.lacks.clear(),
            Err(functions) => {
                parts.lacks.insert(functions);
            }
        }
        all.bytes += parts.size();
        if all.bytes > KEPT_PARTS {
            drop_half(&mut all.cells);
            all.bytes = all.cells.values().map(CachedParts::size).sum();
        }
    }
}

fn drop_half<V>(cells: &mut HashMap<Key, V>) {
    let mut is_kept = false;
    cells.retain(|_, _| {
        is_kept = !is_kept;
        is_kept
    });
}
