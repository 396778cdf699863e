//! The sums of a selection without their parts: of days, of hours, and the cells that have
//! changes.
//!
//! **Invariant:** the sums of a day name the versions of the cells that they are of. They
//! count only while all of these are the latest ones; else the hours count. So a run
//! counts once, whenever and by whichever server a day was added up.

use std::collections::HashMap;
use std::sync::Arc;

use super::Inner;
use super::cell_cache::SumHeader;
use super::cell_version::DayRows;
use super::cells::{CellPlace, Key, TOTALS, read_totals};
use super::changes::ByCell;
use super::literal::ids;
use super::rows::RowReader;
use super::select::Hours;
use super::verified_cells::Selected;
use crate::Result;
use crate::answers::{Place, Resolution};

/// A selection with this number of cells, or more, has its totals read as one.
const MANY: usize = 500;

/// The tables of sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    /// Of hours.
    Cell,
    /// Of days.
    Daily,
    /// Of days of many routes.
    AppDaily,
}

impl Table {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Cell => "cell",
            Self::Daily => "daily",
            Self::AppDaily => "app_daily",
        }
    }
}

/// The sums of a selection, each in the order of their places.
#[derive(Debug, Clone)]
pub(super) struct SumHeaders {
    /// Of days.
    pub(super) days: Vec<Arc<SumHeader>>,
    /// Of the other hours.
    pub(super) hours: Vec<Arc<SumHeader>>,
    /// The cells of other hours, with changes.
    pub(super) changes: ByCell,
}

impl SumHeaders {
    /// Adds sums of a day, which name hours, or of an hour.
    pub(super) fn add(&mut self, header: Arc<SumHeader>) {
        if header.cells.is_empty() {
            self.hours.push(header);
        } else {
            self.days.push(header);
        }
    }

    /// Brings them into the order of their places.
    pub(super) fn sort(&mut self) {
        sort(&mut self.days);
        sort(&mut self.hours);
    }

    pub(super) fn highest_rate(&self) -> f64 {
        let headers = self.days.iter().chain(&self.hours);
        let rates = headers.map(|header| header.place.rate);
        let changed = self.changes.values().map(|(place, _)| place.rate);
        rates.chain(changed).fold(0.0, f64::max)
    }
}

impl Inner {
    /// The sums of a selection.
    pub(super) fn headers(&self, of: &Hours, step: Resolution) -> Result<SumHeaders> {
        let known = match step {
            Resolution::Hour => Vec::new(),
            Resolution::Day => self.known_days(of)?,
        };
        let condition = of.without(known.iter().map(|day| day.day));
        let (mut headers, rows) = self.read_headers_of(&condition, step)?;
        if step == Resolution::Day {
            self.keep_days(of, rows, &headers);
        }
        for day in known {
            headers.days.extend(day.days.iter().cloned());
            headers.hours.extend(day.hours.iter().cloned());
        }
        headers.sort();
        Ok(headers)
    }

    /// The sums that a condition selects, in any order, and the rows of their days.
    pub(super) fn read_headers_of(
        &self,
        condition: &str,
        step: Resolution,
    ) -> Result<(SumHeaders, HashMap<u32, DayRows>)> {
        let Selected {
            mut cells,
            changes,
            days,
            rows,
        } = self.selected(condition, step)?;
        let mut days = self.day_headers(Table::Daily, condition, days)?;
        let sums_of = covered(&days, &cells);
        let mut is_right = sums_of.days.iter();
        days.retain(|_| is_right.next() == Some(&true));
        let mut is_covered = sums_of.cells.iter();
        cells.retain(|_| is_covered.next() == Some(&false));
        let mut headers = SumHeaders {
            days,
            hours: Vec::with_capacity(cells.len()),
            changes,
        };
        self.add_hours(condition, cells, &mut headers)?;
        Ok((headers, rows))
    }

    /// The sums of days in a table, whether they are right or not.
    pub(super) fn day_headers(
        &self,
        table: Table,
        condition: &str,
        mut missing: Vec<(Key, u64)>,
    ) -> Result<Vec<Arc<SumHeader>>> {
        let mut headers = Vec::with_capacity(missing.len());
        self.cells.find(&mut missing, &mut headers);
        if !missing.is_empty() {
            // What has another version by now does not count.
            let mut read = self.read_headers(table, condition, &missing)?;
            for (key, version) in missing {
                if let Some(header) = read.remove(&key).filter(|header| header.version == version) {
                    self.cells.keep(&header);
                    headers.push(header);
                }
            }
        }
        Ok(headers)
    }

    /// Adds the sums of hours.
    pub(super) fn add_hours(
        &self,
        condition: &str,
        mut missing: Vec<(Key, u64)>,
        headers: &mut SumHeaders,
    ) -> Result<()> {
        self.cells.find(&mut missing, &mut headers.hours);
        if !missing.is_empty() {
            let mut superseded = Vec::new();
            let mut read = self.read_headers(Table::Cell, condition, &missing)?;
            for (key, version) in missing {
                match read.remove(&key) {
                    Some(header) if header.version == version => {
                        self.cells.keep(&header);
                        headers.hours.push(header);
                    }
                    Some(header) => superseded.push(header),
                    None => {}
                }
            }
            self.add_superseded(condition, &superseded, &mut headers.changes)?;
        }
        Ok(())
    }

    /// The latest versions of cells of a table, at least of those that are `missing`.
    fn read_headers(
        &self,
        table: Table,
        condition: &str,
        missing: &[(Key, u64)],
    ) -> Result<HashMap<Key, Arc<SumHeader>>> {
        let database = &self.client.address().database;
        let latest = if missing.len() > MANY {
            format!(
                "WHERE {condition} AND version IN (
                     SELECT max(version) FROM {database}.{} WHERE {condition} GROUP BY key)",
                table.name()
            )
        } else {
            let mut keys: Vec<&Key> = missing.iter().map(|(key, _)| key).collect();
            keys.sort_unstable();
            format!("PREWHERE key IN ({}) WHERE {condition}", ids(keys))
        };
        let of_day = match table {
            Table::Cell => "",
            Table::Daily | Table::AppDaily => ", first, last, part_key, part_version",
        };
        let bytes = self.client.read(&format!(
            "SELECT key, version, {}, {TOTALS}{of_day} FROM {} {latest}",
            CellPlace::COLUMNS,
            self.all(table.name())
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut read: HashMap<Key, Arc<SumHeader>> = HashMap::new();
        while answer.has_more() {
            let (key, version) = (answer.fixed()?, answer.u64()?);
            let place = CellPlace::read(&mut answer)?;
            let mut header = SumHeader {
                key,
                version,
                shape: place.shape,
                cells: Box::default(),
                totals: read_totals(&mut answer)?,
                place: place_of(&place),
            };
            if table != Table::Cell {
                let hours = (answer.u32()?, answer.u32()?);
                header.place.hours = (i64::from(hours.0), i64::from(hours.1));
                let keys = answer.list(RowReader::fixed)?;
                let versions = answer.list(RowReader::u64)?;
                header.cells = keys.into_iter().zip(versions).collect();
            }
            if read.get(&key).is_none_or(|known| known.version < version) {
                read.insert(key, Arc::new(header));
            }
        }
        Ok(read)
    }

    /// Adds cells that were written since they were found to those with changes: they
    /// are read anew.
    pub(super) fn add_superseded(
        &self,
        condition: &str,
        superseded: &[Arc<SumHeader>],
        changes: &mut ByCell,
    ) -> Result<()> {
        if superseded.is_empty() {
            return Ok(());
        }
        let keys: Vec<Key> = superseded.iter().map(|header| header.key).collect();
        changes.extend(self.changes_of(&keys, condition)?.0);
        for header in superseded {
            let nothing = || (cell_place_of(header), Vec::new());
            changes.entry(header.key).or_insert_with(nothing);
        }
        Ok(())
    }
}

/// Which sums of days are right, and which cells these are of.
pub(super) struct Covered {
    pub(super) days: Vec<bool>,
    pub(super) cells: Vec<bool>,
}

/// Compares the sums of days with the cells that count, which are in order.
pub(super) fn covered(days: &[Arc<SumHeader>], cells: &[(Key, u64)]) -> Covered {
    let mut covered = Covered {
        days: vec![false; days.len()],
        cells: vec![false; cells.len()],
    };
    for (day, is_right) in days.iter().zip(&mut covered.days) {
        let place = |cell| cells.binary_search(cell).ok();
        let places: Option<Vec<usize>> = day.cells.iter().map(place).collect();
        for place in places.iter().flatten() {
            covered.cells[*place] = true;
            *is_right = true;
        }
    }
    covered
}

fn sort(headers: &mut [Arc<SumHeader>]) {
    headers.sort_by(|one, other| {
        let order = |header: &Arc<SumHeader>| (header.place.hour, header.key);
        let texts = (&one.place.app, &one.place.route);
        let others = (&other.place.app, &other.place.route);
        texts
            .cmp(&others)
            .then_with(|| order(one).cmp(&order(other)))
    });
}

/// The place of sums.
pub(super) fn cell_place_of(header: &SumHeader) -> CellPlace {
    CellPlace {
        app: header.place.app.clone(),
        route: header.place.route.clone(),
        release: header.place.release.clone(),
        hour: header.place.hour,
        shape: header.shape,
        rate: header.place.rate,
    }
}

/// The place of an hour's sums, with the weight 1.
pub(super) fn place_of(place: &CellPlace) -> Place {
    Place {
        app: place.app.clone(),
        route: place.route.clone(),
        release: place.release.clone(),
        hour: place.hour,
        hours: (place.hour, place.hour),
        rate: place.rate,
        weight: 1,
    }
}
