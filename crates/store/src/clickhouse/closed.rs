//! Drops the days of which no run is left, and the sums that were all removed.
//!
//! A day's rows are dropped as a partition, which would also drop a run that is
//! inserted at that moment. So a day is first *closed*: servers store no run of it. It
//! is dropped when no insert can be left that began before, and opened as much later.
//! Servers look only at days that began two days ago or before.
//!
//! **Invariant:** a run of a dropped day counts once. Its id is in its hour's sums; in
//! `gone` are those that are in no sums, or of which another day may be taken for the
//! day of their start.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::literal::{ids, numbers, text};
use super::rows::{RowReader, RowWriter};
use super::select::{day_of, hour_number};
use super::{Inner, app_functions, counts, now_us, schema};
use crate::prepare::Prepared;
use crate::rollup::hour_of;
use crate::{Error, Result, RunId};

/// How long a day is closed before it is dropped, and before it is opened: longer than
/// [`MAX_INSERT`] and the longest statement.
pub(super) const SETTLED: Duration = Duration::from_secs(1800);

/// The longest time between the question whether a day is closed, and its insert.
const MAX_INSERT: Duration = Duration::from_secs(600);

/// The longest time between the last look at a day, and its drop.
const MAX_DROP: Duration = Duration::from_secs(60);

/// The least time between two looks for days to drop.
const INTERVAL: Duration = Duration::from_secs(600);

/// How long the ids of `gone` are kept, in days of the start of their runs.
const REMEMBERED: u32 = 800;

/// When this process last looked for days to drop.
#[derive(Debug, Default)]
pub(super) struct Closing(Mutex<Option<Instant>>);

/// What is known of a day that was closed.
#[derive(Debug, Clone, Copy)]
struct Closed {
    version: u64,
    /// Its rows were dropped once.
    is_dropped: bool,
    is_closed: bool,
}

/// The days of some runs that are closed, or were dropped, at an instant.
pub(super) struct OldDays {
    days: BTreeMap<u32, Closed>,
    asked: Option<Instant>,
}

impl OldDays {
    /// Why a run of this day is not stored.
    pub(super) fn refusal(&self, day: u32) -> Option<Error> {
        self.days.get(&day).filter(|day| day.is_closed).map(|_| {
            Error::Unavailable(
                "the runs of the day on which it began are being removed, and nothing was \
                 acknowledged: send it again in an hour"
                    .to_owned(),
            )
        })
    }

    /// Whether the insert of these runs may still begin.
    pub(super) fn check(&self) -> Result<()> {
        match self.asked {
            Some(asked) if asked.elapsed() > MAX_INSERT => Err(Error::Unavailable(
                "ClickHouse is too slow; nothing was acknowledged".to_owned(),
            )),
            _ => Ok(()),
        }
    }
}

impl Inner {
    /// Whether the days of these runs are closed. Asks only if one may be.
    pub(super) fn old_days(&self, runs: &[Prepared]) -> Result<OldDays> {
        let newest = day_of(now_us()).saturating_sub(1);
        let days = runs.iter().map(|run| day_of(run.info.started_us));
        let days: BTreeSet<u32> = days.filter(|day| *day < newest).collect();
        if days.is_empty() {
            return Ok(OldDays {
                days: BTreeMap::new(),
                asked: None,
            });
        }
        let asked = Some(Instant::now());
        let days = self.closed(&format!("day IN ({})", numbers(days)))?;
        Ok(OldDays { days, asked })
    }

    /// Those of these runs that were stored, and whose rows were dropped since.
    pub(super) fn dropped_runs(&self, runs: &[Prepared], days: &OldDays) -> Result<HashSet<RunId>> {
        let is_dropped = |run: &&Prepared| {
            // A run without a start of its own may have begun on any day.
            let day = days.days.get(&day_of(run.info.started_us));
            run.info.started_us == run.received || day.is_some_and(|day| day.is_dropped)
        };
        let runs: Vec<&Prepared> = runs.iter().filter(is_dropped).collect();
        let mut found = HashSet::new();
        if runs.is_empty() {
            return Ok(found);
        }
        let these = ids(runs.iter().map(|run| &run.info.id.0));
        let mut questions = vec![format!(
            "SELECT DISTINCT id FROM {} WHERE id IN ({these})",
            self.all("gone")
        )];
        let places = runs.iter().filter(|run| {
            let day = days.days.get(&day_of(run.info.started_us));
            day.is_some_and(|day| day.is_dropped)
        });
        let places: BTreeSet<String> = places
            .map(|run| {
                let hour = hour_number(hour_of(run.info.started_us));
                let (app, route) = (text(&run.info.app), text(&run.info.route));
                format!("({app}, {route}, {hour})")
            })
            .collect();
        if !places.is_empty() {
            let places: Vec<String> = places.into_iter().collect();
            questions.push(format!(
                "SELECT DISTINCT id FROM (SELECT arrayJoin(ids) AS id FROM {} FINAL
                     WHERE (app, route, hour) IN ({})) WHERE id IN ({these})",
                self.all("cell"),
                places.join(", ")
            ));
        }
        for question in questions {
            let bytes = self.client.read(&question)?;
            let mut answer = RowReader::new(&bytes);
            while answer.has_more() {
                found.insert(RunId(answer.fixed()?));
            }
        }
        Ok(found)
    }

    /// Closes and drops what no run is left of, if this process has not looked lately.
    pub(super) fn drop_regularly(&self) -> Result<()> {
        {
            let mut last = self.closing.0.lock();
            if last.is_some_and(|last| last.elapsed() < INTERVAL) {
                return Ok(());
            }
            *last = Some(Instant::now());
        }
        self.drop_days(SETTLED)?;
        self.drop_cells(SETTLED)
    }

    /// Closes the days of which no run is left, drops those that were closed so long
    /// ago, and opens those that were dropped so long ago.
    pub(super) fn drop_days(&self, settled: Duration) -> Result<()> {
        let now = now_us();
        let before = now.saturating_sub(u64::try_from(settled.as_micros()).unwrap_or(u64::MAX));
        let today = day_of(now);
        let known = self.closed("1")?;
        let days = self.day_sums()?;
        let changed = self.changed_days()?;
        for (day, sums) in &days {
            let is_over = day + 2 <= today && sums.runs() == 0;
            let is_done = is_over && sums.version <= before && !changed.contains(day);
            let state = known.get(day);
            let is_dropped = state.is_some_and(|state| state.is_dropped);
            match state.filter(|state| state.is_closed) {
                Some(state) if is_done && state.version <= before => {
                    self.drop_day(*day, is_dropped, before)?;
                }
                Some(_) if is_done => {}
                Some(_) => self.note_closed(*day, is_dropped, false)?,
                None if is_done => self.note_closed(*day, is_dropped, true)?,
                None => {}
            }
        }
        for (day, state) in known {
            if state.is_closed && state.version <= before && !days.contains_key(&day) {
                self.note_closed(day, state.is_dropped, false)?;
            }
        }
        let last = today.saturating_sub(REMEMBERED) / 30;
        for partition in self.partitions("gone")? {
            if partition.number < last {
                schema::drop_partition(&self.client, "gone", partition.number)?;
            }
        }
        Ok(())
    }

    /// Drops a closed day, if still no run is left of it.
    fn drop_day(&self, day: u32, was_dropped: bool, before: u64) -> Result<()> {
        let began = Instant::now();
        let run = self.all("run");
        let bytes = self.client.read(&format!(
            "SELECT countIf(state = 0), max(version) FROM {run} FINAL WHERE day = {day}"
        ))?;
        let mut answer = RowReader::new(&bytes);
        let (runs, version) = (answer.u64()?, answer.u64()?);
        if runs > 0 || version > before || self.changed_days()?.contains(&day) {
            return self.note_closed(day, was_dropped, false);
        }
        self.client.execute(&format!(
            "INSERT INTO {} (day, id) SELECT day, id FROM {run} FINAL
             WHERE day = {day} AND state = 1 AND (shape < 0 OR started = stored)",
            self.all("gone")
        ))?;
        // From now on the ids in sums say which runs there were.
        self.note_closed(day, true, true)?;
        if began.elapsed() > MAX_DROP {
            return Ok(());
        }
        schema::drop_partition(&self.client, "run", day)
    }

    /// Drops the sums of thirty days of which all are removed, with the ids of their
    /// runs. A run that is added during this is in `changed`, and is added again.
    pub(super) fn drop_cells(&self, settled: Duration) -> Result<()> {
        let now = now_us();
        let seconds = |us: u64| u32::try_from(us / 1_000_000).unwrap_or(u32::MAX);
        let settled = u64::try_from(settled.as_micros()).unwrap_or(u64::MAX);
        let before = seconds(now.saturating_sub(settled));
        let changed = self.changed_days()?;
        for (number, count) in self.cell_counts()? {
            let is_over = (number + 1) * 30 + 2 <= day_of(now);
            let is_changed = changed.iter().any(|day| day / 30 == number);
            if count.cells > 0 || !is_over || is_changed || count.written > before {
                continue;
            }
            let bytes = self.client.read(&format!(
                "SELECT countIf(gone = 0) FROM {} FINAL WHERE {}",
                self.all("cell"),
                counts::of_partition(number)
            ))?;
            if RowReader::new(&bytes).u64()? == 0 {
                schema::drop_partition(&self.client, app_functions::NAME, number)?;
                schema::drop_partition(&self.client, "app_daily", number)?;
                schema::drop_partition(&self.client, "daily", number)?;
                schema::drop_partition(&self.client, "cell", number)?;
            }
        }
        Ok(())
    }

    /// The days of runs that were stored or deleted lately.
    fn changed_days(&self) -> Result<BTreeSet<u32>> {
        let bytes = self
            .client
            .read(&format!("SELECT DISTINCT day FROM {}", self.all("changed")))?;
        let mut answer = RowReader::new(&bytes);
        let mut days = BTreeSet::new();
        while answer.has_more() {
            days.insert(answer.u32()?);
        }
        Ok(days)
    }

    fn closed(&self, condition: &str) -> Result<BTreeMap<u32, Closed>> {
        let bytes = self.client.read(&format!(
            "SELECT day, version, is_dropped, is_closed FROM {} FINAL WHERE {condition}",
            self.all("closed")
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut days = BTreeMap::new();
        while answer.has_more() {
            let day = answer.u32()?;
            let closed = Closed {
                version: answer.u64()?,
                is_dropped: answer.u8()? != 0,
                is_closed: answer.u8()? != 0,
            };
            days.insert(day, closed);
        }
        Ok(days)
    }

    fn note_closed(&self, day: u32, is_dropped: bool, is_closed: bool) -> Result<()> {
        let mut row = RowWriter::default();
        row.u32(day).u64(now_us());
        row.u8(u8::from(is_dropped)).u8(u8::from(is_closed));
        let into = self.all("closed") + " (day, version, is_dropped, is_closed)";
        self.client.insert(&into, &row.bytes)
    }
}
