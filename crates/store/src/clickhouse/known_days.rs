//! Days whose sums a server has in memory, so that a question about weeks asks for a few
//! numbers of each day.
//!
//! **Invariant:** what is kept of a day is what its rows in `cell`, `daily` and `changed`
//! say. It counts while these are the same rows, which their number and a hash tell. What
//! runs do that may still be on their way is not known from these rows: such a day is not
//! kept.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use parking_lot::Mutex;

use super::cell_cache::SumHeader;
use super::cell_version::{CellVersion, DayRows};
use super::rows::RowReader;
use super::select::{Hours, day_of};
use super::sum_headers::SumHeaders;
use super::{Inner, now_us};
use crate::Result;

/// How many bytes of sums are kept, about.
const MAX_CACHED_BYTES: usize = 64 << 20;

/// The sums of a day.
#[derive(Debug)]
pub(super) struct KnownDay {
    pub(super) day: u32,
    rows: DayRows,
    pub(super) days: Vec<Arc<SumHeader>>,
    pub(super) hours: Vec<Arc<SumHeader>>,
}

impl KnownDay {
    fn of(day: u32, rows: DayRows) -> Self {
        Self {
            day,
            rows,
            days: Vec::new(),
            hours: Vec::new(),
        }
    }

    fn size(&self) -> usize {
        let headers = self.days.iter().chain(&self.hours);
        200 + headers.map(|header| header.size()).sum::<usize>()
    }
}

/// The days that are known, by the condition on their places.
#[derive(Debug, Default)]
pub(super) struct KnownDays {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    places: HashMap<String, HashMap<u32, Arc<KnownDay>>>,
    bytes: usize,
}

impl KnownDays {
    /// Keeps days. If they are too many, all others are dropped.
    fn keep(&self, places: &str, days: Vec<KnownDay>) {
        let size: usize = days.iter().map(KnownDay::size).sum();
        if days.is_empty() || size > MAX_CACHED_BYTES {
            return;
        }
        let state = &mut *self.state.lock();
        if state.bytes + size > MAX_CACHED_BYTES {
            *state = State::default();
        }
        let known = state.places.entry(places.to_owned()).or_default();
        for day in days {
            state.bytes += day.size();
            if let Some(before) = known.insert(day.day, Arc::new(day)) {
                state.bytes -= before.size();
            }
        }
    }
}

impl Inner {
    /// The whole days of a selection that are known, and have the same rows as then.
    pub(super) fn known_days(&self, of: &Hours) -> Result<Vec<Arc<KnownDay>>> {
        let Some((first, end)) = of.whole_days(recent()) else {
            return Ok(Vec::new());
        };
        let mut known = match self.known_days.state.lock().places.get(&of.places) {
            Some(days) => days.clone(),
            None => return Ok(Vec::new()),
        };
        known.retain(|day, _| (first..end).contains(day));
        if known.is_empty() {
            return Ok(Vec::new());
        }
        let rows = self.day_rows(&format!("{} AND day >= {first} AND day < {end}", of.places))?;
        let nothing = DayRows::default();
        known.retain(|day, known| known.rows == *rows.get(day).unwrap_or(&nothing));
        Ok(known.into_values().collect())
    }

    /// The rows of the days that a condition selects.
    fn day_rows(&self, condition: &str) -> Result<HashMap<u32, DayRows>> {
        let of = |table: &str, number: u8, hash: &str| {
            format!(
                "SELECT day, toUInt8({number}), count(), {hash} FROM {}
                 WHERE {condition} GROUP BY day",
                self.all(table)
            )
        };
        let bytes = self.client.read(&format!(
            "{} UNION ALL {} UNION ALL {}",
            of("cell", 0, DayRows::VERSIONS),
            of("daily", 1, DayRows::VERSIONS),
            of("changed", 2, CellVersion::HASH)
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut days: HashMap<u32, DayRows> = HashMap::new();
        while answer.has_more() {
            let rows = days.entry(answer.u32()?).or_default();
            let rows = match answer.u8()? {
                0 => &mut rows.cell,
                1 => &mut rows.daily,
                _ => &mut rows.changed,
            };
            rows.add(answer.u64()?, answer.u64()?);
        }
        Ok(days)
    }

    /// Keeps the whole days of a selection whose sums are known to be right.
    pub(super) fn keep_days(&self, of: &Hours, rows: HashMap<u32, DayRows>, headers: &SumHeaders) {
        let Some((first, end)) = of.whole_days(recent()) else {
            return;
        };
        let changed = headers.changes.values();
        let changed: HashSet<u32> = changed.map(|(place, _)| day_number(place.hour)).collect();
        let is_right = |(day, _): &(u32, _)| (first..end).contains(day) && !changed.contains(day);
        let days = rows.into_iter().filter(is_right);
        let mut days: HashMap<u32, KnownDay> = days
            .map(|(day, rows)| (day, KnownDay::of(day, rows)))
            .collect();
        for header in &headers.days {
            if let Some(day) = days.get_mut(&day_number(header.place.hour)) {
                day.days.push(Arc::clone(header));
            }
        }
        for header in &headers.hours {
            if let Some(day) = days.get_mut(&day_number(header.place.hour)) {
                day.hours.push(Arc::clone(header));
            }
        }
        self.known_days
            .keep(&of.places, days.into_values().collect());
    }
}

/// The first day that changes all the time.
fn recent() -> u32 {
    day_of(now_us()).saturating_sub(1)
}

fn day_number(hour: i64) -> u32 {
    u32::try_from(hour.div_euclid(24)).unwrap_or(0)
}
