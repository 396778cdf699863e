//! Adds the sums of hours up to sums of days, so that questions about weeks read few
//! rows.
//!
//! Only days that are over are added up, and only places whose hours were not written for
//! a while. A run that comes later changes its hour, and so makes the sums of its day
//! wrong: see [`headers`](super::sum_headers). They are written anew when it is quiet again.
//! Several servers may do that at once: each row is right or wrong by itself.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::cell_cache::SumHeader;
use super::cells::{Cell, CellPlace, Key};
use super::fold::version_jitter;
use super::literal::ids;
use super::periodic_thread::PeriodicThread;
use super::rows::{RowReader, RowWriter};
use super::select::{day_of, hour_number};
use super::sum_headers::{Table, cell_place_of, covered};
use super::verified_cells::Selected;
use super::{Background, Inner, now_us};
use crate::Result;
use crate::answers::Resolution;
use crate::rollup::encode;

/// How many hours a place must have in a day. One is as good as its day.
const MIN_HOURS: usize = 2;

/// How many cells are in memory at a time, and about how many paths.
const MAX_CELLS: usize = 200;
const PATHS: usize = 200_000;

/// The bytes of rows that are collected before they are inserted.
const INSERTED: usize = 8 << 20;

/// The days that need nothing, by the number and a hash of their rows in `cell`. Where
/// ClickHouse merges rows, a day has other rows, and is looked at once more.
#[derive(Debug, Default)]
pub(super) struct CompleteDays {
    days: Mutex<HashMap<u32, (u64, u64)>>,
}

impl CompleteDays {
    /// Has all days looked at once more.
    pub(super) fn forget(&self) {
        self.days.lock().clear();
    }
}

/// Starts the thread that adds up.
pub(super) fn start(inner: Arc<Inner>, background: &Background) -> Result<PeriodicThread> {
    let Background {
        sum_days_every,
        quiet,
        ..
    } = *background;
    PeriodicThread::start("store-days", sum_days_every, move |stopped| {
        // What fails is done the next time; questions read the hours until then.
        let _ = inner.sum_days(quiet, &|| stopped.is_stopped());
    })
}

/// The hours of a place in a day.
#[derive(Debug)]
struct Hours {
    place: CellPlace,
    cells: Vec<(Key, u64, CellPlace)>,
    /// Whether a cell has changes.
    is_changed: bool,
    /// The version of the row that there is; 0 if there is none.
    version: u64,
}

impl Hours {
    fn of(place: CellPlace) -> Self {
        Self {
            place,
            cells: Vec::new(),
            is_changed: false,
            version: 0,
        }
    }
}

/// A day that is looked at.
#[derive(Debug, Default)]
struct Look {
    /// What is to be written.
    todo: Vec<(Key, Hours)>,
    /// Whether the rest is as it should be.
    is_complete: bool,
}

impl Inner {
    /// Adds up the days that are over, where no hour was written within `quiet`. Returns
    /// the number of rows that were written.
    pub(super) fn sum_days(&self, quiet: Duration, is_stopped: &dyn Fn() -> bool) -> Result<u64> {
        let bytes = self.client.read(&format!(
            "SELECT day, count(), sum(cityHash64(key, version)) FROM {}
             WHERE day < {} GROUP BY day ORDER BY day DESC",
            self.all("cell"),
            day_of(now_us())
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut days = Vec::new();
        while answer.has_more() {
            days.push((answer.u32()?, (answer.u64()?, answer.u64()?)));
        }
        let there: HashSet<u32> = days.iter().map(|(day, _)| *day).collect();
        self.complete_days
            .days
            .lock()
            .retain(|day, _| there.contains(day));
        let mut written = 0;
        for (day, rows) in days {
            if self.complete_days.days.lock().get(&day) == Some(&rows) {
                continue;
            }
            let look = self.look_at(day, quiet)?;
            let mut of_day = self.write_days(&look.todo, is_stopped)?;
            if look.is_complete {
                of_day += self.sum_routes(day, is_stopped)?;
            }
            written += of_day;
            if is_stopped() {
                break;
            }
            // What was written is looked at once more: it may be on one replica only yet.
            if look.is_complete && of_day == 0 {
                self.complete_days.days.lock().insert(day, rows);
            }
        }
        Ok(written)
    }

    /// Compares the sums of a day with its hours.
    fn look_at(&self, day: u32, quiet: Duration) -> Result<Look> {
        let condition = format!("day = {day}");
        let Selected {
            cells,
            changes,
            days,
            ..
        } = self.selected(&condition, Resolution::Day)?;
        let rows = self.day_headers(Table::Daily, &condition, days)?;
        let covered = covered(&rows, &cells);
        let mut right: HashMap<Key, (&Arc<SumHeader>, bool)> = HashMap::new();
        for (row, is_right) in rows.iter().zip(covered.days) {
            right.insert(row.key, (row, is_right));
        }
        let mut look = Look {
            is_complete: true,
            ..Look::default()
        };
        let mut all: BTreeMap<Key, Hours> = BTreeMap::new();
        let places = self.places(&condition)?;
        for (key, version) in cells {
            let Some(place) = places.get(&key) else {
                look.is_complete = false;
                continue;
            };
            let hours = all.entry(place.day_key());
            let hours = hours.or_insert_with(|| Hours::of(place.of_day()));
            hours.cells.push((key, version, place.clone()));
        }
        for (place, _) in changes.values() {
            let hours = all.entry(place.day_key());
            let hours = hours.or_insert_with(|| Hours::of(place.of_day()));
            hours.is_changed = true;
        }
        for row in rows.iter().filter(|row| !row.cells.is_empty()) {
            all.entry(row.key)
                .or_insert_with(|| Hours::of(cell_place_of(row)));
        }
        let quiet = u64::try_from(quiet.as_micros()).unwrap_or(u64::MAX);
        // A version may be ahead of the clock: without a quiet time, all hours are old enough.
        let before = match quiet {
            0 => u64::MAX,
            quiet => now_us().saturating_sub(quiet),
        };
        for (key, mut hours) in all {
            let row = right.get(&key).copied();
            let is_row = row.is_some_and(|(row, _)| !row.cells.is_empty());
            let is_right =
                row.is_some_and(|(row, is_right)| is_right && row.cells.len() == hours.cells.len());
            if is_right || (!is_row && hours.cells.len() < MIN_HOURS && !hours.is_changed) {
                continue;
            }
            // The version is the time of writing.
            let newest = hours.cells.iter().map(|cell| cell.1).max();
            if hours.is_changed || newest.is_some_and(|newest| newest > before) {
                look.is_complete = false;
                continue;
            }
            if hours.cells.len() < MIN_HOURS {
                hours.cells.clear();
            }
            hours
                .cells
                .sort_by_key(|(key, _, place)| (place.hour, *key));
            hours.version = row.map_or(0, |(row, _)| row.version);
            look.todo.push((key, hours));
        }
        Ok(look)
    }

    /// The places of the cells that a condition selects.
    fn places(&self, condition: &str) -> Result<HashMap<Key, CellPlace>> {
        let bytes = self.client.read(&format!(
            "SELECT DISTINCT key, {} FROM {} WHERE {condition}",
            CellPlace::COLUMNS,
            self.all("cell")
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut places = HashMap::new();
        while answer.has_more() {
            places.insert(answer.fixed()?, CellPlace::read(&mut answer)?);
        }
        Ok(places)
    }

    /// Writes the sums of days. Returns their number.
    fn write_days(&self, todo: &[(Key, Hours)], is_stopped: &dyn Fn() -> bool) -> Result<u64> {
        let mut rows = RowWriter::default();
        let mut written = 0;
        let mut length = 20;
        let mut rest = todo;
        while !rest.is_empty() && !is_stopped() {
            let mut count = 0;
            let fits = |(_, hours): &&(Key, Hours)| {
                let is_first = count == 0;
                count += hours.cells.len().max(1);
                is_first || count <= length
            };
            let (some, after) = rest.split_at(rest.iter().take_while(fits).count());
            rest = after;
            let known = self.day_versions(some)?;
            // Another server may have written it since.
            let is_left = |(key, hours): &&(Key, Hours)| {
                known
                    .get(key)
                    .is_none_or(|version| *version <= hours.version)
            };
            let some: Vec<&(Key, Hours)> = some.iter().filter(is_left).collect();
            let hours = some.iter().flat_map(|(_, hours)| &hours.cells);
            let hours: Vec<(&Key, &CellPlace)> =
                hours.map(|(key, _, place)| (key, place)).collect();
            let mut cells = if hours.is_empty() {
                BTreeMap::new()
            } else {
                self.cells_of(&hours)?
            };
            let paths: usize = cells.values().map(|cell| cell.paths.len()).sum();
            length = (PATHS * hours.len() / paths.max(1)).clamp(1, MAX_CELLS);
            for (key, hours) in some {
                let sum = Cell::new(hours.place.clone());
                // If a cell was written since, the next look finds it.
                let Some(mut sum) = added_up(sum, hours, &mut cells) else {
                    continue;
                };
                sum.version = now_us().max(hours.version + 1) + version_jitter()?;
                let ends = [hours.cells.first(), hours.cells.last()];
                let hours_of = |end: &(Key, u64, CellPlace)| end.2.hour;
                let ends = ends.map(|end| end.map_or(sum.place.hour, hours_of));
                let cells = hours.cells.iter().map(|cell| (cell.0, cell.1));
                write(
                    Table::Daily,
                    &sum,
                    key,
                    ends,
                    &cells.collect::<Vec<_>>(),
                    &mut rows,
                )?;
                written += 1;
            }
            if rows.bytes.len() > INSERTED || rest.is_empty() {
                self.insert_sums(Table::Daily, &mut rows)?;
            }
        }
        self.insert_sums(Table::Daily, &mut rows)?;
        Ok(written)
    }

    /// Inserts sums of days into their table.
    pub(super) fn insert_sums(&self, table: Table, rows: &mut RowWriter) -> Result<()> {
        if rows.bytes.is_empty() {
            return Ok(());
        }
        let into = format!("{} ({})", self.all(table.name()), columns(table));
        self.client.insert(&into, &rows.bytes)?;
        rows.bytes.clear();
        Ok(())
    }

    /// The latest versions of the sums of days.
    fn day_versions(&self, some: &[(Key, Hours)]) -> Result<HashMap<Key, u64>> {
        let bytes = self.client.read(&format!(
            "SELECT key, max(version) FROM {} PREWHERE key IN ({}) GROUP BY key",
            self.all("daily"),
            ids(some.iter().map(|(key, _)| key))
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut versions = HashMap::new();
        while answer.has_more() {
            versions.insert(answer.fixed()?, answer.u64()?);
        }
        Ok(versions)
    }
}

/// The sum of the hours of a place; none if one of them has another version by now.
fn added_up(mut sum: Cell, hours: &Hours, cells: &mut BTreeMap<Key, Cell>) -> Option<Cell> {
    for (key, version, _) in &hours.cells {
        let cell = cells.remove(key).filter(|cell| cell.version == *version)?;
        sum.add(cell);
    }
    Some(sum)
}

/// The columns of [`write()`].
fn columns(table: Table) -> String {
    let moments = match table {
        Table::AppDaily => ", moments",
        Table::Cell | Table::Daily => "",
    };
    format!(
        "key, version, day, first, last, part_key, part_version, {}, {}{moments}",
        CellPlace::COLUMNS,
        Cell::sum_columns()
    )
}

/// Writes a row of a table: the sum of `parts`, whose first and last hours are `ends`.
pub(super) fn write(
    table: Table,
    sum: &Cell,
    key: &Key,
    ends: [i64; 2],
    parts: &[(Key, u64)],
    rows: &mut RowWriter,
) -> Result<()> {
    let place = &sum.place;
    let hour = hour_number(place.hour);
    rows.fixed(key).u64(sum.version).u32(hour / 24);
    for end in ends {
        rows.u32(hour_number(end));
    }
    rows.length(parts.len());
    for (key, _) in parts {
        rows.fixed(key);
    }
    rows.length(parts.len());
    for (_, version) in parts {
        rows.u64(*version);
    }
    rows.text(&place.app)
        .text(&place.route)
        .text(&place.release);
    rows.u32(hour).i8(place.shape).f64(place.rate);
    sum.write_sums(rows)?;
    if table == Table::AppDaily {
        rows.text(encode(&sum.spreads.without_times())?);
    }
    Ok(())
}
