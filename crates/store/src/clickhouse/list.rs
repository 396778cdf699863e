//! Lists of runs: the first ones of an order, and those after a cursor.
//!
//! `FINAL` merges all rows of the days that are selected, in one thread. So the first
//! rows in any version are found without it, some more than are wanted, and only those
//! are compared with their latest version.

use std::collections::{HashMap, HashSet};

use super::Inner;
use super::literal::id as id_literal;
use super::rows::Answer;
use super::runs::{INFO, read_info, rows_of_runs};
use super::select::of_runs;
use crate::{Error, Result, RunId, RunInfo, RunPage, RunQuery, RunSort, Selection};

/// The most runs of a page.
const MOST: u32 = 1000;

/// How many rows more than runs are wanted are read at first: of runs with two versions,
/// and of runs that are not there any more.
const MORE: usize = 50;

/// A run and the value that it has in the list's order.
type Listed = (u64, RunInfo);

impl Inner {
    /// A page of the list.
    pub(super) fn page(&self, query: &RunQuery) -> Result<RunPage> {
        let limit = query.limit.clamp(1, MOST) as usize;
        let column = match query.sort {
            RunSort::Started => "started",
            RunSort::Wall => "wall",
            RunSort::Cpu => "toUInt64(if(cpu > 0, cpu, 0))",
            RunSort::Peak => "toUInt64(if(peak > 0, peak, 0))",
            RunSort::Sql => "sql",
            RunSort::Calls => "calls",
        };
        let (order, after) = if query.ascending {
            ("ASC", ">")
        } else {
            ("DESC", "<")
        };
        let mut conditions = of_runs(&query.selection)?;
        if let Some(cursor) = &query.cursor {
            let (value, id) = parsed_cursor(cursor)?;
            let id = id_literal(&id.0);
            conditions = format!(
                "{conditions} AND ({column} {after} {value} OR {column} = {value} AND id {after} {id})"
            );
        }
        // One more than asked for tells whether there is a next page.
        let mut runs = self.first_runs(&conditions, column, order, limit + 1)?;
        let has_more = runs.len() > limit;
        runs.truncate(limit);
        let next = runs.last().filter(|_| has_more);
        let next = next.map(|(value, run)| format!("{value}.{}", run.id));
        let runs = runs.into_iter().map(|(_, run)| run).collect();
        Ok(RunPage { runs, next })
    }

    /// The latest runs of a selection.
    pub(super) fn latest_runs(&self, selection: &Selection, most: usize) -> Result<Vec<RunInfo>> {
        let runs = self.first_runs(&of_runs(selection)?, "started", "DESC", most)?;
        Ok(runs.into_iter().map(|(_, run)| run).collect())
    }

    /// The first runs for which the conditions hold.
    fn first_runs(
        &self,
        conditions: &str,
        column: &str,
        order: &str,
        most: usize,
    ) -> Result<Vec<Listed>> {
        let mut rows = most + MORE;
        loop {
            let bytes = self.client.read(&format!(
                "SELECT id, day FROM {} WHERE {conditions}
                 ORDER BY {column} {order}, id {order} LIMIT {rows}",
                self.all("run")
            ))?;
            let mut answer = Answer::new(&bytes);
            let mut found = Vec::new();
            while answer.has_more() {
                found.push((RunId(answer.fixed()?), answer.u32()?));
            }
            let mut latest = self.latest_versions(&found, conditions, column)?;
            let is_all = found.len() < rows;
            let mut seen = HashSet::new();
            let runs = found.into_iter().filter(|(id, _)| seen.insert(*id));
            let runs = runs.filter_map(|(id, _)| latest.remove(&id));
            let runs: Vec<Listed> = runs.take(most).collect();
            if is_all || runs.len() == most {
                return Ok(runs);
            }
            rows *= 4;
        }
    }

    /// The latest versions of those runs for which the conditions still hold.
    fn latest_versions(
        &self,
        found: &[(RunId, u32)],
        conditions: &str,
        column: &str,
    ) -> Result<HashMap<RunId, Listed>> {
        let mut latest: HashMap<RunId, (u64, bool, Listed)> = HashMap::new();
        for some in found.chunks(2000) {
            let bytes = self.client.read(&format!(
                "SELECT version, toUInt8({conditions}), {column}, {INFO} FROM {} {}",
                self.all("run"),
                rows_of_runs(some.iter().map(|(id, day)| (id, *day)))
            ))?;
            let mut answer = Answer::new(&bytes);
            while answer.has_more() {
                let (version, holds) = (answer.u64()?, answer.u8()? != 0);
                let listed = (answer.u64()?, read_info(&mut answer)?);
                let id = listed.1.id;
                if latest.get(&id).is_none_or(|known| known.0 < version) {
                    latest.insert(id, (version, holds, listed));
                }
            }
        }
        let hold = latest.into_iter().filter(|(_, (_, holds, _))| *holds);
        Ok(hold.map(|(id, (_, _, listed))| (id, listed)).collect())
    }
}

fn parsed_cursor(cursor: &str) -> Result<(u64, RunId)> {
    let parsed = cursor
        .rsplit_once('.')
        .and_then(|(value, id)| Some((value.parse().ok()?, id.parse().ok()?)));
    parsed.ok_or_else(|| Error::Query(format!("not a cursor: {cursor}")))
}
