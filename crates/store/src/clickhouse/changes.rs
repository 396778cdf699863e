//! Runs that were stored or deleted lately, and are not in their cells as they
//! should be.
//!
//! **Invariant:** a run counts if it is in its cell, or if `changed` names it, it is
//! there, and it is not in its cell. A question that reads both sees each run once,
//! because a cell has the ids of its runs.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::Inner;
use super::cell_version::CellVersion;
use super::cells::{Cell, CellPlace, Key, TOTALS, read_totals, rows_of_cells};
use super::literal::{ids, numbers};
use super::rows::RowReader;
use super::runs::{INFO, read_info, rows_of_runs};
use super::select::hour_number;
use crate::prepare::{profile_of, sums_of_run};
use crate::rollup::{Sign, Totals};
use crate::{Result, RunId, RunInfo};

/// How many cells are in memory at a time, and about how many paths.
const MAX_CELLS: usize = 200;
const PATHS: usize = 200_000;

/// How many cells are compared with their runs at a time, and how many runs are read
/// at a time.
const COMPARED: usize = 1000;
const RUNS: usize = 4000;

/// After so many seconds no server can be storing or deleting a run whose row of
/// `changed` is older: rows are forgotten then, too.
const LONGEST_WRITE_SECONDS: u32 = 3600;

/// A run that is to be added to its cell, or taken out.
#[derive(Debug, Clone)]
pub(super) struct Changed {
    pub(super) info: RunInfo,
    pub(super) memory: i64,
    pub(super) sign: Sign,
}

/// The cells that have such runs.
pub(super) type ByCell = BTreeMap<Key, (CellPlace, Vec<Changed>)>;

/// The rows of `changed` of a cell.
struct Named {
    place: CellPlace,
    /// The runs, how often each is named, and when at last.
    runs: BTreeMap<RunId, (u32, u32)>,
    rows: u64,
    hash: u64,
}

/// A cell that is compared with its runs.
#[derive(Default)]
struct Compared {
    version: u64,
    is_gone: bool,
    ids: HashSet<[u8; 16]>,
}

/// The versions of cells, and whether they are gone.
pub(super) type Versions = HashMap<Key, (u64, bool)>;

/// The latest row of a run.
struct Latest {
    state: u8,
    key: Key,
}

impl Inner {
    /// The runs of `changed` that a condition on it selects, by their cells.
    pub(super) fn changes(&self, condition: &str) -> Result<ByCell> {
        let mut changes = ByCell::new();
        let (named, now) = self.named_runs(condition)?;
        let keys: Vec<&Key> = named.keys().collect();
        for some in keys.chunks(COMPARED) {
            self.compare(some, &named, now, condition, &mut changes)?;
        }
        Ok(changes)
    }

    /// The same for some cells of the condition only, and the versions that were
    /// compared.
    pub(super) fn changes_of(&self, keys: &[Key], condition: &str) -> Result<(ByCell, Versions)> {
        let (mut changes, mut versions) = (ByCell::new(), Versions::new());
        for some in keys.chunks(COMPARED) {
            let condition = format!("{condition} AND key IN ({})", ids(some));
            let (named, now) = self.named_runs(&condition)?;
            let some: Vec<&Key> = named.keys().collect();
            versions.extend(self.compare(&some, &named, now, &condition, &mut changes)?);
        }
        Ok((changes, versions))
    }

    /// The rows of `changed` by their cells, and the time of ClickHouse.
    fn named_runs(&self, condition: &str) -> Result<(BTreeMap<Key, Named>, u32)> {
        let bytes = self.client.read(&format!(
            "SELECT key, any(app), any(route), any(hour), count(), {}, groupArray(id),
                 groupArray(toUInt32(arrived)), toUInt32(now())
             FROM {} WHERE {condition} GROUP BY key",
            CellVersion::HASH,
            self.all("changed")
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut all = BTreeMap::new();
        let mut now = 0;
        while answer.has_more() {
            let key = answer.fixed()?;
            let place = CellPlace {
                app: answer.text()?,
                route: answer.text()?,
                release: String::new(),
                hour: i64::from(answer.u32()?),
                shape: 0,
                rate: 1.0,
            };
            let (rows, hash) = (answer.u64()?, answer.u64()?);
            let ids = answer.list(RowReader::fixed)?;
            let arrived = answer.list(RowReader::u32)?;
            now = answer.u32()?;
            let mut runs: BTreeMap<RunId, (u32, u32)> = BTreeMap::new();
            for (id, arrived) in ids.into_iter().zip(arrived) {
                let run = runs.entry(RunId(id)).or_default();
                *run = (run.0 + 1, run.1.max(arrived));
            }
            let named = Named {
                place,
                runs,
                rows,
                hash,
            };
            all.insert(key, named);
        }
        Ok((all, now))
    }

    /// Compares cells with their runs, and notes those that are as they should be.
    /// `condition` selects at least the rows of `named` of these cells.
    fn compare(
        &self,
        keys: &[&Key],
        named: &BTreeMap<Key, Named>,
        now: u32,
        condition: &str,
        changes: &mut ByCell,
    ) -> Result<Versions> {
        let some: Vec<(&Key, &Named)> = keys
            .iter()
            .filter_map(|key| named.get_key_value(*key))
            .collect();
        if some.is_empty() {
            return Ok(Versions::new());
        }
        let cells = self.ids_of(&some)?;
        let latest = self.latest_of(&some, condition)?;
        let nothing = Compared::default();
        let mut wrong = Vec::new();
        let mut settled = Vec::new();
        for (key, named) in some {
            let cell = cells.get(key).unwrap_or(&nothing);
            let mut is_settled = true;
            for (id, (times, arrived)) in &named.runs {
                let is_sure = arrived.saturating_add(LONGEST_WRITE_SECONDS) < now;
                let is_in = cell.ids.contains(&id.0);
                let should_be = match latest.get(id) {
                    // The file is gone, and its part of the sums stays.
                    Some(latest) if latest.state == 1 => continue,
                    Some(latest) if latest.key == *key => latest.state == 0,
                    // Its row is not there yet, or is of another cell now.
                    _ => {
                        is_settled &= is_sure;
                        continue;
                    }
                };
                if is_in != should_be {
                    wrong.push((*id, hour_number(named.place.hour) / 24, (*key, should_be)));
                    is_settled = false;
                }
                // A run that is deleted is named twice; that it is deleted may come later.
                is_settled &= is_sure || (should_be && *times == 1);
            }
            if is_settled {
                let (rows, hash) = (named.rows, named.hash);
                settled.push((
                    *key,
                    CellVersion {
                        version: cell.version,
                        rows,
                        hash,
                    },
                ));
            }
        }
        self.verified.note(&settled);
        for some in wrong.chunks(RUNS) {
            self.read_changed(some, changes)?;
        }
        let versions = cells.into_iter();
        Ok(versions
            .map(|(key, cell)| (key, (cell.version, cell.is_gone)))
            .collect())
    }

    /// Cells with the ids of their runs.
    fn ids_of(&self, some: &[(&Key, &Named)]) -> Result<HashMap<Key, Compared>> {
        let bytes = self.client.read(&format!(
            "SELECT key, version, gone, ids FROM {} {}",
            self.all("cell"),
            rows_of_cells(some.iter().map(|(key, named)| (*key, &named.place)))
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut cells: HashMap<Key, Compared> = HashMap::new();
        while answer.has_more() {
            let key = answer.fixed()?;
            let cell = Compared {
                version: answer.u64()?,
                is_gone: answer.u8()? != 0,
                ids: answer.list(RowReader::fixed)?.into_iter().collect(),
            };
            if cells
                .get(&key)
                .is_none_or(|known| known.version < cell.version)
            {
                cells.insert(key, cell);
            }
        }
        Ok(cells)
    }

    /// The latest rows of the runs that these rows of `changed` name.
    fn latest_of(
        &self,
        some: &[(&Key, &Named)],
        condition: &str,
    ) -> Result<HashMap<RunId, Latest>> {
        let days = some
            .iter()
            .map(|(_, named)| hour_number(named.place.hour) / 24);
        let days: BTreeSet<u32> = days.collect();
        let database = &self.client.address().database;
        let bytes = self.client.read(&format!(
            "SELECT id, argMax(state, version), argMax(key, version) FROM {}
             WHERE day IN ({}) AND shape >= 0 AND id IN (
                 SELECT id FROM {database}.changed WHERE {condition} AND key IN ({}))
             GROUP BY id",
            self.all("run"),
            numbers(days),
            ids(some.iter().map(|(key, _)| *key))
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut latest = HashMap::new();
        while answer.has_more() {
            let id = RunId(answer.fixed()?);
            let (state, key) = (answer.u8()?, answer.fixed()?);
            latest.insert(id, Latest { state, key });
        }
        Ok(latest)
    }

    /// Reads the runs that are to be added to their cells or taken out.
    fn read_changed(&self, some: &[(RunId, u32, (Key, bool))], changes: &mut ByCell) -> Result<()> {
        let bytes = self.client.read(&format!(
            "SELECT version, {INFO}, shape, memory FROM {} {}",
            self.all("run"),
            rows_of_runs(some.iter().map(|(id, day, _)| (id, *day)))
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut runs: HashMap<RunId, (u64, RunInfo, i8, i64)> = HashMap::new();
        while answer.has_more() {
            let version = answer.u64()?;
            let info = read_info(&mut answer)?;
            let (shape, memory) = (answer.i8()?, answer.i64()?);
            if runs.get(&info.id).is_none_or(|known| known.0 < version) {
                runs.insert(info.id, (version, info, shape, memory));
            }
        }
        for (id, _, (key, should_be)) in some {
            let Some((_, info, shape, memory)) = runs.get(id) else {
                continue;
            };
            let sign = if *should_be { Sign::Plus } else { Sign::Minus };
            let place = CellPlace::of(info, *shape);
            let cell = changes.entry(*key).or_insert_with(|| (place, Vec::new()));
            cell.1.push(Changed {
                info: info.clone(),
                memory: *memory,
                sign,
            });
        }
        Ok(())
    }

    /// The totals of changed cells, with their runs as they should be.
    pub(super) fn changed_totals(&self, changes: &ByCell) -> Result<Vec<(CellPlace, Totals)>> {
        let mut cells: HashMap<Key, (u64, Vec<[u8; 16]>, Totals)> = HashMap::new();
        let all: Vec<(&Key, &CellPlace)> = changes.iter().map(|(key, of)| (key, &of.0)).collect();
        for some in all.chunks(1000) {
            let bytes = self.client.read(&format!(
                "SELECT key, version, ids, {TOTALS} FROM {} {}",
                self.all("cell"),
                rows_of_cells(some.iter().copied())
            ))?;
            let mut answer = RowReader::new(&bytes);
            while answer.has_more() {
                let (key, version) = (answer.fixed()?, answer.u64()?);
                let ids = answer.list(RowReader::fixed)?;
                let totals = read_totals(&mut answer)?;
                if cells.get(&key).is_none_or(|known| known.0 < version) {
                    cells.insert(key, (version, ids, totals));
                }
            }
        }
        let mut all = Vec::with_capacity(changes.len());
        for (key, (place, runs)) in changes {
            let (_, ids, mut totals) = cells.remove(key).unwrap_or_default();
            for run in runs {
                // It may have been folded in since it was found.
                if ids.contains(&run.info.id.0) == (run.sign == Sign::Minus) {
                    totals.merge(&Totals::of(&run.info, run.memory), run.sign);
                }
            }
            if totals.runs > 0 {
                all.push((place.clone(), totals));
            }
        }
        Ok(all)
    }

    /// Calls `each` with the changed cells, with their runs as they should be, some
    /// at a time.
    pub(super) fn each_changed_cell(
        &self,
        changes: &ByCell,
        each: &mut dyn FnMut(Vec<Cell>) -> Result<()>,
    ) -> Result<()> {
        let all: Vec<(&Key, &CellPlace)> = changes.iter().map(|(key, of)| (key, &of.0)).collect();
        let mut rest = all.as_slice();
        // As many as are of a usual size, as far as those before tell.
        let mut length = 20;
        while !rest.is_empty() {
            let (some, after) = rest.split_at(length.min(rest.len()));
            rest = after;
            let mut cells = self.cells_of(some)?;
            let mut runs = Vec::new();
            let mut signs = HashMap::new();
            for &(key, _) in some {
                let Some((place, changed)) = changes.get(key) else {
                    continue;
                };
                cells
                    .entry(*key)
                    .or_insert_with(|| Cell::new(place.clone()));
                for run in changed {
                    signs.insert(run.info.id, (*key, run.sign));
                    runs.push(run.info.clone());
                }
            }
            self.each_file(&runs, &mut |info, file| {
                if let Some((key, sign)) = signs.get(&info.id)
                    && let Some(cell) = cells.get_mut(key)
                    && let Some(part) = sums_of_run(profile_of(&file)?, &info)
                {
                    cell.merge(info.id.0, part, *sign);
                }
                Ok(())
            })?;
            let paths: usize = cells.values().map(|cell| cell.paths.len()).sum();
            length = (PATHS * some.len() / paths.max(1)).clamp(1, MAX_CELLS);
            each(cells.into_values().collect())?;
        }
        Ok(())
    }

    /// Cells with everything, by their keys.
    pub(super) fn cells_of(&self, some: &[(&Key, &CellPlace)]) -> Result<BTreeMap<Key, Cell>> {
        let bytes = self.client.read(&format!(
            "SELECT key, {} FROM {} {}",
            Cell::columns(),
            self.all("cell"),
            rows_of_cells(some.iter().copied())
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut cells: BTreeMap<Key, Cell> = BTreeMap::new();
        while answer.has_more() {
            let key = answer.fixed()?;
            let cell = Cell::read(&mut answer)?;
            if cells
                .get(&key)
                .is_none_or(|known| known.version < cell.version)
            {
                cells.insert(key, cell);
            }
        }
        Ok(cells)
    }
}
