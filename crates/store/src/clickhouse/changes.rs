//! Runs that were stored or deleted lately, and are not in their cells as they
//! should be.
//!
//! **Invariant:** a run counts if it is in its cell, or if `changed` names it, it is
//! there, and it is not in its cell. A question that reads both sees each run once,
//! because a cell has the ids of its runs.

use std::collections::{BTreeMap, HashMap};

use super::Inner;
use super::cells::{Cell, Key, TOTALS, Where, read_totals, these_cells};
use super::rows::Answer;
use super::runs::{INFO, read_info};
use crate::prepare::{part, profile_of};
use crate::rollup::{Sign, Totals};
use crate::{Result, RunInfo};

/// How many cells are in memory at a time, and about how many paths.
const MOST_CELLS: usize = 200;
const PATHS: usize = 200_000;

/// A run that is to be added to its cell, or taken out.
#[derive(Debug, Clone)]
pub(super) struct Changed {
    pub(super) info: RunInfo,
    pub(super) memory: i64,
    pub(super) sign: Sign,
}

/// The cells that have such runs.
pub(super) type ByCell = BTreeMap<Key, (Where, Vec<Changed>)>;

impl Inner {
    /// The runs of `changed` that a condition on it selects, by their cells.
    pub(super) fn changes(&self, condition: &str) -> Result<ByCell> {
        let database = &self.client.address().database;
        let of = format!("FROM {database}.changed WHERE {condition}");
        let bytes = self.client.read(&format!(
            "SELECT {INFO}, state, shape, memory, key FROM {run} FINAL
             WHERE day IN (SELECT DISTINCT day {of}) AND id IN (SELECT id {of})
             AND shape >= 0 AND state != 1
             AND (state = 0) != (id IN (
                 SELECT arrayJoin(ids) FROM {database}.cell FINAL
                 WHERE (app, route, hour) IN (SELECT app, route, hour {of})))
             ORDER BY id",
            run = self.all("run"),
        ))?;
        let mut answer = Answer::new(&bytes);
        let mut by_cell = ByCell::new();
        while answer.has_more() {
            let info = read_info(&mut answer)?;
            let sign = if answer.u8()? == 0 {
                Sign::Plus
            } else {
                Sign::Minus
            };
            let place = Where::of(&info, answer.i8()?);
            let memory = answer.i64()?;
            let cell = by_cell
                .entry(answer.fixed()?)
                .or_insert_with(|| (place, Vec::new()));
            cell.1.push(Changed { info, memory, sign });
        }
        Ok(by_cell)
    }

    /// The totals of changed cells, with their runs as they should be.
    pub(super) fn changed_totals(&self, changes: &ByCell) -> Result<Vec<(Where, Totals)>> {
        let mut cells: HashMap<Key, (Vec<[u8; 16]>, Totals)> = HashMap::new();
        let all: Vec<(&Key, &Where)> = changes.iter().map(|(key, of)| (key, &of.0)).collect();
        for some in all.chunks(1000) {
            let bytes = self.client.read(&format!(
                "SELECT key, ids, {TOTALS} FROM {} FINAL WHERE {}",
                self.all("cell"),
                these_cells(some.iter().copied())
            ))?;
            let mut answer = Answer::new(&bytes);
            while answer.has_more() {
                let key = answer.fixed()?;
                let ids = answer.list(Answer::fixed)?;
                cells.insert(key, (ids, read_totals(&mut answer)?));
            }
        }
        let mut all = Vec::with_capacity(changes.len());
        for (key, (place, runs)) in changes {
            let (ids, mut totals) = cells.remove(key).unwrap_or_default();
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
        let all: Vec<(&Key, &Where)> = changes.iter().map(|(key, of)| (key, &of.0)).collect();
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
                    && let Some(part) = part(profile_of(&file)?, &info)
                {
                    cell.merge(info.id.0, part, *sign);
                }
                Ok(())
            })?;
            let paths: usize = cells.values().map(|cell| cell.paths.len()).sum();
            length = (PATHS * some.len() / paths.max(1)).clamp(1, MOST_CELLS);
            each(cells.into_values().collect())?;
        }
        Ok(())
    }

    /// Cells with everything, by their keys.
    fn cells_of(&self, some: &[(&Key, &Where)]) -> Result<BTreeMap<Key, Cell>> {
        let bytes = self.client.read(&format!(
            "SELECT key, {} FROM {} FINAL WHERE {}",
            Cell::columns(),
            self.all("cell"),
            these_cells(some.iter().copied())
        ))?;
        let mut answer = Answer::new(&bytes);
        let mut cells = BTreeMap::new();
        while answer.has_more() {
            cells.insert(answer.fixed()?, Cell::read(&mut answer)?);
        }
        Ok(cells)
    }
}
