//! Lists of runs: the first ones of an order, and those after a cursor.
//!
//! `FINAL` merges all rows of the days that are selected, in one thread. So rows of any
//! version are found without it, and compared with the latest version of their runs. If
//! many of them are not the latest, `FINAL` is cheaper.
//!
//! **Invariant:** a run is in a list if the conditions hold for its latest version, at
//! the place which that version has.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::Inner;
use super::literal::{id as id_literal, ids as id_literals, text};
use super::rows::RowReader;
use super::runs::{INFO, read_info, rows_of_runs};
use super::select::{of_runs, of_started};
use crate::answers::cursor::{not_a_cursor, parted};
use crate::{Result, RunId, RunInfo, RunPage, RunQuery, RunSort, Selection};

/// The most runs of a page.
const MAX_PAGE_RUNS: u32 = 1000;

/// How many rows more than runs are wanted are found: of runs with two versions, and of
/// runs that are not there any more.
const MORE: usize = 50;

/// More runs than these are read with `FINAL`, unless the selection has fewer.
const FEW: usize = 2000;

/// How many runs are compared with their latest version at a time.
const COMPARED: usize = 1000;

/// The order of a list.
#[derive(Clone, Copy)]
struct Order {
    column: &'static str,
    direction: &'static str,
    is_text: bool,
}

impl Order {
    const LATEST: Self = Self {
        column: "started",
        direction: "DESC",
        is_text: false,
    };

    fn of(query: &RunQuery) -> Self {
        let column = match query.sort {
            RunSort::Started => "started",
            RunSort::Wall => "wall",
            RunSort::Cpu => "toUInt64(if(cpu > 0, cpu, 0))",
            RunSort::Peak => "toUInt64(if(peak > 0, peak, 0))",
            RunSort::Sql => "sql",
            RunSort::Calls => "calls",
            RunSort::App => "app",
            RunSort::Route => "route",
            RunSort::Release => "release",
            RunSort::Host => "host",
            RunSort::Method => "method",
            RunSort::Status => "if(failed != 0 AND status = '', 'failed', status)",
            RunSort::Label => "label",
            RunSort::Tags => {
                "substringUTF8(arrayStringConcat(arrayMap((n, v) -> concat(n, if(v = '', '', '='), v),
                 tag_name, tag_value), ', '), 1, 256)"
            }
        };
        Self {
            column,
            direction: if query.ascending { "ASC" } else { "DESC" },
            is_text: query.sort.is_text(),
        }
    }

    /// The columns of the order, with their directions.
    fn by(self) -> String {
        let Self {
            column, direction, ..
        } = self;
        match self.is_text {
            true => format!("{column} {direction}, started DESC, id DESC"),
            false => format!("{column} {direction}, id {direction}"),
        }
    }

    fn is_ascending(self) -> bool {
        self.direction == "ASC"
    }

    /// The condition of the runs after a cursor.
    fn after(self, cursor: &str) -> Result<String> {
        let column = self.column;
        let after = if self.is_ascending() { ">" } else { "<" };
        let (value, id): (_, RunId) = parted(cursor, cursor)?;
        let id = id_literal(&id.0);
        if self.is_text {
            let (value, started): (_, u64) = parted(value, cursor)?;
            let value = text(value);
            return Ok(format!(
                "({column} {after} {value} OR {column} = {value} AND (started < {started} OR started = {started} AND id < {id}))"
            ));
        }
        let value: u64 = value.parse().map_err(|_| not_a_cursor(cursor))?;
        Ok(format!(
            "({column} {after} {value} OR {column} = {value} AND id {after} {id})"
        ))
    }
}

/// What a run is ordered by.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Value {
    Number(u64),
    Text(String),
}

impl Value {
    fn read(answer: &mut RowReader<'_>, order: Order) -> Result<Self> {
        Ok(match order.is_text {
            true => Self::Text(answer.text()?),
            false => Self::Number(answer.u64()?),
        })
    }
}

/// A row of a run, with its value in the order.
struct Found {
    id: RunId,
    day: u32,
    value: Value,
}

/// A run of a list, with its value in the order.
struct Listed {
    value: Value,
    info: RunInfo,
}

impl Listed {
    /// Where the list goes on after this run.
    fn cursor(&self) -> String {
        let RunInfo { id, started_us, .. } = &self.info;
        match &self.value {
            Value::Number(value) => format!("{value}.{id}"),
            Value::Text(value) => format!("{value}.{started_us}.{id}"),
        }
    }
}

impl Inner {
    /// A page of the list.
    pub(super) fn page(&self, query: &RunQuery) -> Result<RunPage> {
        let limit = query.limit.clamp(1, MAX_PAGE_RUNS) as usize;
        let order = Order::of(query);
        let after = query.cursor.as_ref().map(|cursor| order.after(cursor));
        // One more than asked for tells whether there is a next page.
        let mut runs = self.first_runs(&query.selection, order, after.transpose()?, limit + 1)?;
        let has_more = runs.len() > limit;
        runs.truncate(limit);
        let next = runs.last().filter(|_| has_more);
        let next = next.map(Listed::cursor);
        let runs = runs.into_iter().map(|run| run.info).collect();
        Ok(RunPage { runs, next })
    }

    /// The latest runs of a selection.
    pub(super) fn infos(&self, selection: &Selection, most: usize) -> Result<Vec<RunInfo>> {
        let runs = self.first_runs(selection, Order::LATEST, None, most)?;
        Ok(runs.into_iter().map(|run| run.info).collect())
    }

    /// The first runs of a selection, after a cursor.
    fn first_runs(
        &self,
        selection: &Selection,
        order: Order,
        after: Option<String>,
        most: usize,
    ) -> Result<Vec<Listed>> {
        let mut conditions = of_runs(selection)?;
        if let Some(after) = after {
            conditions = format!("{conditions} AND {after}");
        }
        if !selection.ids.is_empty() {
            return self.runs_of(selection, &conditions, order, most);
        }
        let rows = most.min(FEW) + MORE;
        let found = self.rows(&conditions, order, "", rows)?;
        let is_all = found.len() < rows;
        if !is_all && most > FEW {
            return self.many_runs(&conditions, order, most);
        }
        let runs = self.runs_at(found, &conditions, order, most)?;
        if is_all || runs.len() == most {
            return Ok(runs);
        }
        let found = self.rows(&conditions, order, "FINAL", most)?;
        self.runs_at(found, &conditions, order, most)
    }

    /// The first runs of a selection of ids for which the conditions hold.
    fn runs_of(
        &self,
        selection: &Selection,
        conditions: &str,
        order: Order,
        most: usize,
    ) -> Result<Vec<Listed>> {
        let ids = id_literals(selection.ids.iter().map(|id| &id.0));
        // Tables are divided by day.
        let days = of_started(selection.since_us, selection.until_us);
        let rows = format!("PREWHERE id IN ({ids}) WHERE {days}");
        let found = self.latest_rows(&rows, conditions, order)?;
        let mut runs: Vec<Listed> = found.into_values().collect();
        runs.sort_unstable_by(|one, other| {
            let by_value = one.value.cmp(&other.value);
            let latest = |run: &Listed| Reverse((run.info.started_us, run.info.id));
            match (order.is_ascending(), order.is_text) {
                (true, true) => by_value.then(latest(one).cmp(&latest(other))),
                (false, true) => by_value.reverse().then(latest(one).cmp(&latest(other))),
                (true, false) => by_value.then(one.info.id.cmp(&other.info.id)),
                (false, false) => by_value.then(one.info.id.cmp(&other.info.id)).reverse(),
            }
        });
        runs.truncate(most);
        Ok(runs)
    }

    /// The same as [`first_runs`](Self::first_runs) with `FINAL`, for many runs.
    fn many_runs(&self, conditions: &str, order: Order, most: usize) -> Result<Vec<Listed>> {
        let (column, by) = (order.column, order.by());
        let bytes = self.client.read(&format!(
            "SELECT {column}, {INFO} FROM {} FINAL WHERE {conditions} ORDER BY {by} LIMIT {most}",
            self.all("run")
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut runs = Vec::new();
        while answer.has_more() {
            let value = Value::read(&mut answer, order)?;
            let info = read_info(&mut answer)?;
            runs.push(Listed { value, info });
        }
        Ok(runs)
    }

    /// The first rows for which the conditions hold, of any version or of the latest.
    fn rows(&self, conditions: &str, order: Order, last: &str, most: usize) -> Result<Vec<Found>> {
        let (column, by) = (order.column, order.by());
        let bytes = self.client.read(&format!(
            "SELECT id, day, {column} FROM {} {last} WHERE {conditions} ORDER BY {by} LIMIT {most}",
            self.all("run")
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut found = Vec::new();
        while answer.has_more() {
            found.push(Found {
                id: RunId(answer.fixed()?),
                day: answer.u32()?,
                value: Value::read(&mut answer, order)?,
            });
        }
        Ok(found)
    }

    /// The runs whose latest versions are at the places of those rows, in their order.
    fn runs_at(
        &self,
        mut found: Vec<Found>,
        conditions: &str,
        order: Order,
        most: usize,
    ) -> Result<Vec<Listed>> {
        // A run whose versions have the same value is at one place.
        let mut seen = HashSet::new();
        found.retain(|row| seen.insert((row.id, row.value.clone())));
        let mut runs = Vec::with_capacity(most.min(found.len()));
        // Further rows are needed only for those that are not the latest.
        let (mut rest, mut length) = (found.as_slice(), most);
        while !rest.is_empty() && runs.len() < most {
            let (some, after) = rest.split_at(length.min(COMPARED).min(rest.len()));
            rest = after;
            length = length.saturating_sub(COMPARED).max(MORE);
            let rows = rows_of_runs(some.iter().map(|row| (&row.id, row.day)));
            let mut latest = self.latest_rows(&rows, conditions, order)?;
            for row in some {
                if latest
                    .get(&row.id)
                    .is_some_and(|run| run.value == row.value)
                {
                    runs.extend(latest.remove(&row.id));
                }
            }
        }
        runs.truncate(most);
        Ok(runs)
    }

    /// The latest versions of the runs of those rows, if the conditions hold for them.
    fn latest_rows(
        &self,
        rows: &str,
        conditions: &str,
        order: Order,
    ) -> Result<HashMap<RunId, Listed>> {
        let bytes = self.client.read(&format!(
            "SELECT version, toUInt8({conditions}), {}, {INFO} FROM {} {rows}",
            order.column,
            self.all("run")
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut latest: HashMap<RunId, (u64, bool, Listed)> = HashMap::new();
        while answer.has_more() {
            let (version, holds) = (answer.u64()?, answer.u8()? != 0);
            let value = Value::read(&mut answer, order)?;
            let info = read_info(&mut answer)?;
            let id = info.id;
            if latest.get(&id).is_none_or(|known| known.0 < version) {
                latest.insert(id, (version, holds, Listed { value, info }));
            }
        }
        let hold = latest.into_iter().filter(|(_, (_, holds, _))| *holds);
        Ok(hold.map(|(id, (_, _, run))| (id, run)).collect())
    }
}
