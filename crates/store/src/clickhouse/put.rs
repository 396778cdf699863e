//! Stores runs. Those that wait are inserted together: ClickHouse likes few large
//! inserts, and pays for each part of each table, not for its rows.
//!
//! **Invariant:** a run's row in `changed` is written before its row in `run`, and
//! the latter acknowledges it. So each acknowledged run is in the sums: in those of
//! its cell, or as a run of `changed`.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::cells::CellPlace;
use super::literal::{ids, numbers};
use super::rows::{RowReader, RowWriter};
use super::select::{day_of, hour_number};
use super::{Inner, now_us};
use crate::prepare::{Dictionary, Prepared};
use crate::{Error, Result, RunId, Stored};

/// The most runs of one insert, and the bytes of files after which none is added.
const MAX_RUNS: usize = 2000;
const MAX_BYTES: usize = 32 << 20;

/// The most days of the runs of one insert: each is a part of its own, and later
/// versions of ClickHouse refuse inserts of more than 100.
const MAX_DAYS: usize = 90;

/// How many senders may wait in the queue. Those beyond it wait, too.
const QUEUE: usize = 64;

/// The longest wait for the runs of other senders.
const LONGEST_WAIT: Duration = Duration::from_millis(500);

/// The runs of a sender, and where the outcomes go.
type Job = (Vec<Prepared>, SyncSender<Vec<Result<Stored>>>);

/// The thread that inserts.
#[derive(Debug)]
pub(super) struct Writer {
    jobs: Option<SyncSender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(inner: Arc<Inner>) -> Result<Self> {
        let (jobs, received) = sync_channel(QUEUE);
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || work(&inner, &received))?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
        })
    }

    /// Stores runs, and waits until ClickHouse has them.
    pub(super) fn put(&self, runs: Vec<Prepared>) -> Vec<Result<Stored>> {
        let length = runs.len();
        let put = || {
            let (reply, answer) = sync_channel(1);
            self.jobs.as_ref()?.send((runs, reply)).ok()?;
            answer.recv().ok()
        };
        put().unwrap_or_else(|| vec![Err(Error::Closed); length])
    }
}

impl Drop for Writer {
    /// Writes what waits, and ends the thread.
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Inserts what waits. While there are several senders, it first waits for as many as
/// the last time, at most as long as that insert took: a second insert would cost as
/// much again.
fn work(inner: &Inner, jobs: &Receiver<Job>) {
    let (mut senders, mut took) = (1, Duration::ZERO);
    while let Ok(job) = jobs.recv() {
        let until = Instant::now() + took.min(LONGEST_WAIT);
        let mut runs = job.0;
        let mut replies = vec![(runs.len(), job.1)];
        while runs.len() < MAX_RUNS {
            let next = if replies.len() < senders {
                jobs.recv_timeout(until.saturating_duration_since(Instant::now()))
                    .ok()
            } else {
                jobs.try_recv().ok()
            };
            let Some((more, reply)) = next else { break };
            replies.push((more.len(), reply));
            runs.extend(more);
        }
        let begin = Instant::now();
        let mut outcomes = put(inner, &runs).into_iter();
        (senders, took) = (replies.len(), begin.elapsed());
        for (length, reply) in replies {
            // A sender that went away needs no answer.
            let _ = reply.send(outcomes.by_ref().take(length).collect());
        }
    }
}

/// Stores runs. Those that fail may be sent again.
fn put(inner: &Inner, runs: &[Prepared]) -> Vec<Result<Stored>> {
    let mut outcomes = Vec::with_capacity(runs.len());
    let mut rest = runs;
    while !rest.is_empty() {
        let (some, after) = rest.split_at(fitting(rest));
        rest = after;
        match insert(inner, some) {
            Ok(stored) => outcomes.extend(stored),
            Err(error) => outcomes.extend(some.iter().map(|_| Err(error.clone()))),
        }
    }
    outcomes
}

/// How many of the first runs are one insert.
fn fitting(runs: &[Prepared]) -> usize {
    let (mut days, mut bytes) = (HashSet::new(), 0);
    let fits = |run: &&Prepared| {
        days.insert(day_of(run.info.started_us));
        let is_full = bytes > MAX_BYTES || days.len() > MAX_DAYS;
        bytes += run.file.len();
        !is_full
    };
    runs.iter().take(MAX_RUNS).take_while(fits).count().max(1)
}

/// Inserts the runs that are not there, a statement for each table.
fn insert(inner: &Inner, runs: &[Prepared]) -> Result<Vec<Result<Stored>>> {
    let old_days = inner.old_days(runs)?;
    let known = known(inner, runs)?;
    let dropped = inner.dropped_runs(runs, &old_days)?;
    let now = now_us();
    let mut stored = Vec::with_capacity(runs.len());
    let mut seen = HashSet::new();
    let mut dictionaries = Vec::new();
    let mut changed = RowWriter::default();
    let mut rows = RowWriter::default();
    let mut taken = RowWriter::default();
    let mut objects = Vec::new();
    for run in runs {
        let id = run.info.id;
        let before = known.get(&id);
        let is_known = before.is_some_and(|(_, state)| *state != 2) || dropped.contains(&id);
        let is_new = !is_known && !seen.contains(&id);
        if is_new && let Some(refusal) = old_days.refusal(day_of(run.info.started_us)) {
            stored.push(Err(refusal));
            continue;
        }
        seen.insert(id);
        stored.push(Ok(Stored { id, is_new }));
        if !is_new {
            continue;
        }
        let dictionary = match &run.dictionary {
            Dictionary::Known(number) => *number,
            Dictionary::Candidate(data) => {
                dictionaries.push((&run.info, data.as_slice()));
                0
            }
        };
        let version = before.map_or(now, |(version, _)| now.max(version + 1));
        let file = inner.files.of_row(run, &mut objects);
        write(run, version, dictionary, &file, &mut changed, &mut rows);
        taken.u32(day_of(run.received)).text(&run.info.app);
        taken.fixed(id.0).u64(run.info.size);
    }
    inner.dictionaries.add(inner, &dictionaries)?;
    if !changed.bytes.is_empty() {
        let into = inner.all("changed") + " (id, key, day, hour, app, route, release)";
        inner.client.insert(&into, &changed.bytes)?;
    }
    if !rows.bytes.is_empty() {
        let into = inner.all("taken") + " (day, app, id, bytes)";
        inner.client.insert(&into, &taken.bytes)?;
        // Nothing is in the bucket of runs that a missing replica refuses above.
        inner.files.upload(&objects)?;
        old_days.check()?;
        let into = format!("{} ({COLUMNS})", inner.all("run"));
        inner.client.insert(&into, &rows.bytes)?;
    }
    Ok(stored)
}

/// The version and state of those runs that are or were there.
fn known(inner: &Inner, runs: &[Prepared]) -> Result<HashMap<RunId, (u64, u8)>> {
    // A run without a start of its own may have come on another day.
    let (without, with): (Vec<&Prepared>, Vec<_>) = runs
        .iter()
        .partition(|run| run.info.started_us == run.received);
    let days: BTreeSet<u32> = with.iter().map(|run| day_of(run.info.started_us)).collect();
    let of_day = format!("day IN ({}) AND ", numbers(days));
    let mut known = HashMap::new();
    for (some, of_day) in [(without, ""), (with, of_day.as_str())] {
        if some.is_empty() {
            continue;
        }
        let bytes = inner.client.read(&format!(
            "SELECT id, max(version), argMax(state, version) FROM {}
             WHERE {of_day}id IN ({}) GROUP BY id",
            inner.all("run"),
            ids(some.iter().map(|run| &run.info.id.0))
        ))?;
        let mut answer = RowReader::new(&bytes);
        while answer.has_more() {
            known.insert(RunId(answer.fixed()?), (answer.u64()?, answer.u8()?));
        }
    }
    Ok(known)
}

/// The columns of [`write()`].
const COLUMNS: &str = "id, version, state, key, day, app, route, release, title, started, host, \
     method, status, failed, shape, rate, unit, body, wall, cpu, peak, memory, calls, spans, sql, \
     size, label, stored, tag_name, tag_value, dictionary, file";

fn write(
    run: &Prepared,
    version: u64,
    dictionary: i64,
    file: &[u8],
    changed: &mut RowWriter,
    rows: &mut RowWriter,
) {
    let info = &run.info;
    let part = run.cell.as_ref();
    let shape = part.map_or(-1, |part| {
        i8::try_from(part.shape.number()).unwrap_or(i8::MAX)
    });
    let place = CellPlace::of(info, shape);
    let (key, day) = (place.key(), day_of(info.started_us));
    if part.is_some() {
        changed
            .fixed(info.id.0)
            .fixed(key)
            .u32(day)
            .u32(hour_number(place.hour));
        changed
            .text(&info.app)
            .text(&info.route)
            .text(&info.release);
    }
    let optional =
        |value: Option<u64>| value.map_or(-1, |value| i64::try_from(value).unwrap_or(i64::MAX));
    rows.fixed(info.id.0).u64(version).u8(0).fixed(key).u32(day);
    rows.text(&info.app)
        .text(&info.route)
        .text(&info.release)
        .text(&info.title);
    rows.u64(info.started_us)
        .text(&info.host)
        .text(&info.method)
        .text(&info.status);
    rows.u8(u8::from(info.failed)).i8(shape).f64(info.rate);
    rows.text(&info.unit).text(&info.body).u64(info.wall);
    rows.i64(optional(info.cpu)).i64(optional(info.peak));
    rows.i64(part.map_or(0, |part| part.totals.memory));
    rows.u64(info.calls)
        .u64(info.spans)
        .u64(info.sql)
        .u64(info.size);
    rows.text(&info.label).u64(run.received);
    let mut tags: Vec<_> = info.tags.iter().collect();
    tags.sort();
    for texts in [0, 1] {
        rows.length(tags.len());
        for (name, value) in &tags {
            rows.text(if texts == 0 { name } else { value });
        }
    }
    rows.i64(dictionary).text(file);
}
