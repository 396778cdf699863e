//! Adds the sums of a day of the routes of an application up to few rows.
//!
//! Routes with the same application, release, kind of calls and rate are added up in the
//! order of their names, until a row is large.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::app_days::AppDays;
use super::app_functions::AppRows;
use super::cell_cache::SumHeader;
use super::cells::{Cell, CellPlace, Key, rows_of_hours};
use super::day_sums::write;
use super::fold::version_jitter;
use super::rows::{RowReader, RowWriter};
use super::sum_headers::{Table, cell_place_of};
use super::walk::cell_hour;
use super::{Inner, now_us};
use crate::Result;
use crate::answers::Resolution;
use crate::rollup::FunctionParts;

/// How many sums are worth a row.
const MIN_SUMS: usize = 2;

/// The most of a row. Sums of hours have limits that are higher, so none is reached here.
const MAX_PARTS: usize = 500;
const MAX_PATHS: usize = 40_000;
const MAX_NAMES: usize = 20_000;
const MAX_SPANS: usize = 1000;

/// How many sums are in memory at a time, and about how many paths.
const MAX_SUMS_IN_MEMORY: usize = 100;
const PATHS: usize = 100_000;

/// What is added up: application, release, kind of calls, and the bits of the rate.
type Place = (String, String, i8, u64);

/// The sums of a place in a day.
#[derive(Debug, Default)]
struct Routes {
    parts: Vec<Arc<SumHeader>>,
    /// The rows that there are, whether they count or not.
    rows: Vec<Arc<SumHeader>>,
}

/// A row that is being added up.
struct Sum {
    cell: Cell,
    parts: Vec<(Key, u64)>,
    /// What each function has in each of these.
    functions: FunctionParts,
    ends: [i64; 2],
}

impl Sum {
    fn new(place: CellPlace) -> Self {
        Self {
            ends: [place.hour; 2],
            cell: Cell::new(place),
            parts: Vec::new(),
            functions: FunctionParts::default(),
        }
    }

    fn has_room_for(&self, cell: &Cell) -> bool {
        let sum = &self.cell;
        self.parts.is_empty()
            || (self.parts.len() < MAX_PARTS
                && sum.paths.len() + cell.paths.len() <= MAX_PATHS
                && sum.symbols.len() + cell.symbols.len() <= MAX_NAMES
                && sum.spans.rows.len() + cell.spans.rows.len() <= MAX_SPANS)
    }

    fn add(&mut self, header: &SumHeader, cell: Cell) {
        let (first, last) = header.place.hours;
        self.ends = match self.parts.is_empty() {
            true => [first, last],
            false => [self.ends[0].min(first), self.ends[1].max(last)],
        };
        add_functions(&mut self.functions, self.parts.len(), &cell, &mut self.cell);
        self.parts.push((header.key, header.version));
        self.cell.add(cell);
    }
}

impl Inner {
    /// Adds up the routes of a day where no row counts. Returns the number of rows that
    /// were written.
    pub(super) fn sum_routes(&self, day: u32, is_stopped: &dyn Fn() -> bool) -> Result<u64> {
        let condition = format!("day = {day}");
        let (mut headers, _) = self.read_headers_of(&condition, Resolution::Day)?;
        if !headers.changes.is_empty() {
            return Ok(0);
        }
        let mut places: BTreeMap<Place, Routes> = BTreeMap::new();
        headers.sort();
        for header in headers.days.iter().chain(&headers.hours) {
            let routes = places.entry(place_of(header)).or_default();
            routes.parts.push(Arc::clone(header));
        }
        let rows = self.app_rows(&condition)?;
        for row in &rows {
            let routes = places.entry(place_of(row)).or_default();
            routes.rows.push(Arc::clone(row));
        }
        let counting = AppDays::of(rows, &mut headers).rows;
        let counting: HashSet<Key> = counting.iter().map(|row| row.key).collect();
        let with_functions = self.function_rows(&condition)?;
        let mut written = 0;
        let mut rows = AppRows::default();
        for (_, mut routes) in places {
            if is_stopped() {
                break;
            }
            let is_right = |row: &Arc<SumHeader>| {
                let is_there = with_functions.contains(&(row.key, row.version));
                row.cells.is_empty() || is_there && counting.contains(&row.key)
            };
            let covered: usize = routes.rows.iter().map(|row| row.cells.len()).sum();
            let is_whole = covered == routes.parts.len() || routes.parts.len() < MIN_SUMS;
            let is_needless = covered > 0 && routes.parts.len() < MIN_SUMS;
            if is_whole && !is_needless && routes.rows.iter().all(is_right) {
                continue;
            }
            if routes.parts.len() < MIN_SUMS {
                routes.parts.clear();
            }
            written += self.write_routes(day, &routes, &mut rows)?;
            self.insert_app_rows(&mut rows)?;
        }
        Ok(written)
    }

    /// Adds up the routes of a place. Returns the number of rows; 0 if one of its sums has
    /// another version by now.
    fn write_routes(&self, day: u32, routes: &Routes, rows: &mut AppRows) -> Result<u64> {
        let Some(any) = routes.parts.first().or(routes.rows.first()) else {
            return Ok(0);
        };
        let place = CellPlace {
            route: String::new(),
            hour: i64::from(day) * 24,
            ..cell_place_of(any)
        };
        let versions: HashMap<Key, u64> = routes
            .rows
            .iter()
            .map(|row| (row.key, row.version))
            .collect();
        let mut keys = Vec::new();
        let mut finish = |sum: &mut Sum, rows: &mut AppRows| -> Result<()> {
            let key = key_of(&place, keys.len());
            let before = versions.get(&key).copied().unwrap_or(0);
            sum.cell.version = now_us().max(before + 1) + version_jitter()?;
            let into = &mut rows.sums;
            write(Table::AppDaily, &sum.cell, &key, sum.ends, &sum.parts, into)?;
            rows.add(&sum.cell, &key, &sum.functions)?;
            keys.push(key);
            *sum = Sum::new(place.clone());
            Ok(())
        };
        let mut sum = Sum::new(place.clone());
        let (mut rest, mut length) = (routes.parts.as_slice(), MAX_SUMS_IN_MEMORY);
        while !rest.is_empty() {
            let (some, after) = rest.split_at(length.min(rest.len()));
            rest = after;
            let mut cells = self.sums_of(some)?;
            let paths: usize = cells.values().map(|cell| cell.paths.len()).sum();
            length = (PATHS * some.len() / paths.max(1)).clamp(1, MAX_SUMS_IN_MEMORY);
            for header in some {
                let Some(cell) = cells.remove(&header.key) else {
                    rows.clear();
                    return Ok(0);
                };
                if !sum.has_room_for(&cell) {
                    finish(&mut sum, rows)?;
                }
                sum.add(header, cell);
            }
        }
        if !sum.parts.is_empty() {
            finish(&mut sum, rows)?;
        }
        let mut written = keys.len() as u64;
        for row in &routes.rows {
            if !keys.contains(&row.key) && !row.cells.is_empty() {
                write_no_routes(row, rows)?;
                written += 1;
            }
        }
        Ok(written)
    }

    /// Sums by their keys, without the ids of runs; those of another version by now are
    /// not among them.
    pub(super) fn sums_of(&self, headers: &[Arc<SumHeader>]) -> Result<HashMap<Key, Cell>> {
        let of_days = |header: &&Arc<SumHeader>| !header.cells.is_empty();
        let (days, hours): (Vec<_>, Vec<_>) = headers.iter().partition(of_days);
        let mut cells = self.sums_in(Table::Daily, &days)?;
        cells.extend(self.sums_in(Table::Cell, &hours)?);
        Ok(cells)
    }

    /// The same of a table.
    pub(super) fn sums_in(
        &self,
        table: Table,
        headers: &[&Arc<SumHeader>],
    ) -> Result<HashMap<Key, Cell>> {
        let mut cells = HashMap::with_capacity(headers.len());
        if headers.is_empty() {
            return Ok(cells);
        }
        let wanted: HashMap<Key, &Arc<SumHeader>> =
            headers.iter().map(|header| (header.key, *header)).collect();
        let versions = headers.iter().map(|header| header.version.to_string());
        let bytes = self.client.read(&format!(
            "SELECT key, version, {} FROM {} {}",
            Cell::sum_columns(),
            self.all(table.name()),
            rows_of_hours(
                headers.iter().map(|header| cell_hour(header)),
                &versions.collect::<Vec<_>>()
            )
        ))?;
        let mut answer = RowReader::new(&bytes);
        while answer.has_more() {
            let (key, version) = (answer.fixed()?, answer.u64()?);
            let header = wanted.get(&key);
            let place =
                header.map_or_else(|| cell_place_of(headers[0]), |header| cell_place_of(header));
            let mut cell = Cell::new(place);
            cell.version = version;
            cell.read_sums(&mut answer)?;
            if header.is_some_and(|header| header.version == version) {
                cells.insert(key, cell);
            }
        }
        Ok(cells)
    }
}

/// Adds what each function has in a part. The functions get the numbers of the sum.
pub(super) fn add_functions(
    functions: &mut FunctionParts,
    part: usize,
    cell: &Cell,
    sum: &mut Cell,
) {
    let names = sum.numbers(&cell.symbols);
    let part = u32::try_from(part).unwrap_or(u32::MAX);
    for (function, sums) in cell.paths.functions() {
        if let Some(number) = names.get(function as usize) {
            functions.add(*number, part, sums);
        }
    }
}

/// Writes a row of a table anew that is of nothing. Returns the sum.
pub(super) fn write_nothing(table: Table, row: &SumHeader, rows: &mut RowWriter) -> Result<Cell> {
    let mut sum = Cell::new(cell_place_of(row));
    sum.version = now_us().max(row.version + 1) + version_jitter()?;
    write(table, &sum, &row.key, [sum.place.hour; 2], &[], rows)?;
    Ok(sum)
}

/// The same for sums of many routes.
pub(super) fn write_no_routes(row: &SumHeader, rows: &mut AppRows) -> Result<()> {
    let sum = write_nothing(Table::AppDaily, row, &mut rows.sums)?;
    rows.add(&sum, &row.key, &FunctionParts::default())
}

fn place_of(header: &SumHeader) -> Place {
    let place = &header.place;
    let rate = place.rate.to_bits();
    (place.app.clone(), place.release.clone(), header.shape, rate)
}

/// The key of a place's row with that number.
fn key_of(place: &CellPlace, number: usize) -> Key {
    let mut hasher = blake3::Hasher::new_derive_key("xhprof store: sums of a day of many routes");
    hasher.update(&place.key());
    hasher.update(&(number as u64).to_le_bytes());
    let mut key = [0; 16];
    hasher.finalize_xof().fill(&mut key);
    key
}
