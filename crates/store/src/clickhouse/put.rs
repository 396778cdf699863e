//! Stores runs. Runs that wait are inserted together: ClickHouse likes few large
//! inserts.
//!
//! **Invariant:** a run's row in `changed` is written before its row in `run`, and
//! the latter acknowledges it. So each acknowledged run is in the sums: in those of
//! its cell, or as a run of `changed`.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use super::cells::Where;
use super::literal::{ids, numbers};
use super::rows::{Answer, Rows};
use super::select::{day_of, hour_number};
use super::{Inner, now_us};
use crate::prepare::{Dictionary, Prepared};
use crate::{Error, Result, RunId, Stored};

/// The most runs of one insert. Each may be of another day, and later versions of
/// ClickHouse refuse inserts of more than 100.
const BATCH: usize = 64;

/// How many runs may wait. Senders beyond it wait, too.
const QUEUE: usize = 256;

type Job = (Box<Prepared>, SyncSender<Result<Stored>>);

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

    /// Stores a run, and waits until ClickHouse has it.
    pub(super) fn put(&self, run: Prepared) -> Result<Stored> {
        let (reply, answer) = sync_channel(1);
        let jobs = self.jobs.as_ref().ok_or(Error::Closed)?;
        let sent = jobs.send((Box::new(run), reply));
        sent.map_err(|_| Error::Closed)?;
        answer.recv().map_err(|_| Error::Closed)?
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

fn work(inner: &Inner, jobs: &Receiver<Job>) {
    while let Ok(job) = jobs.recv() {
        let mut batch = vec![job];
        while batch.len() < BATCH
            && let Ok(job) = jobs.try_recv()
        {
            batch.push(job);
        }
        let (runs, replies): (Vec<_>, Vec<_>) = batch.into_iter().unzip();
        let outcome = put(inner, &runs);
        for (index, reply) in replies.into_iter().enumerate() {
            let stored = match &outcome {
                Ok(stored) => stored.get(index).copied().ok_or(Error::Closed),
                Err(error) => Err(error.clone()),
            };
            // A caller that went away needs no answer.
            let _ = reply.send(stored);
        }
    }
}

/// Stores runs. If it fails, all of them may be sent again.
fn put(inner: &Inner, runs: &[Box<Prepared>]) -> Result<Vec<Stored>> {
    let known = known(inner, runs)?;
    let now = now_us();
    let mut stored: Vec<Stored> = Vec::with_capacity(runs.len());
    let mut changed = Rows::default();
    let mut rows = Rows::default();
    let mut taken = Rows::default();
    let mut objects = Vec::new();
    for run in runs {
        let id = run.info.id;
        let before = known.get(&id);
        let is_twice = stored.iter().any(|other| other.id == id);
        let is_new = !is_twice && before.is_none_or(|(_, state)| *state == 2);
        stored.push(Stored { id, is_new });
        if !is_new {
            continue;
        }
        let dictionary = match &run.dictionary {
            Dictionary::Known(number) => *number,
            Dictionary::Candidate(data) => {
                if !inner.dictionaries.has(&run.info) {
                    inner.dictionaries.add(inner, &run.info, data)?;
                }
                0
            }
        };
        let version = before.map_or(now, |(version, _)| now.max(version + 1));
        let file = inner.files.of_row(run, &mut objects);
        write(run, version, dictionary, &file, &mut changed, &mut rows);
        taken.u32(day_of(run.received)).text(&run.info.app);
        taken.fixed(id.0).u64(run.info.size);
    }
    if !changed.bytes.is_empty() {
        let into = inner.all("changed") + " (id, key, day, hour, app, route, release)";
        inner.client.insert(&into, &changed.bytes)?;
    }
    if !rows.bytes.is_empty() {
        let into = inner.all("taken") + " (day, app, id, bytes)";
        inner.client.insert(&into, &taken.bytes)?;
        // Nothing is in the bucket of runs that a missing replica refuses above.
        inner.files.upload(&objects)?;
        let into = format!("{} ({COLUMNS})", inner.all("run"));
        inner.client.insert(&into, &rows.bytes)?;
    }
    Ok(stored)
}

/// The version and state of those runs that are or were there.
fn known(inner: &Inner, runs: &[Box<Prepared>]) -> Result<HashMap<RunId, (u64, u8)>> {
    // A run without a start of its own may have come on another day.
    let of_day = runs
        .iter()
        .all(|run| run.info.started_us != run.received)
        .then(|| {
            let mut days: Vec<u32> = runs.iter().map(|run| day_of(run.info.started_us)).collect();
            days.sort_unstable();
            days.dedup();
            format!("day IN ({}) AND ", numbers(days))
        });
    let bytes = inner.client.read(&format!(
        "SELECT id, version, state FROM {} FINAL WHERE {}id IN ({})",
        inner.all("run"),
        of_day.unwrap_or_default(),
        ids(runs.iter().map(|run| &run.info.id.0))
    ))?;
    let mut answer = Answer::new(&bytes);
    let mut known = HashMap::new();
    while answer.has_more() {
        known.insert(RunId(answer.fixed()?), (answer.u64()?, answer.u8()?));
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
    changed: &mut Rows,
    rows: &mut Rows,
) {
    let info = &run.info;
    let part = run.cell.as_ref();
    let shape = part.map_or(-1, |part| {
        i8::try_from(part.shape.number()).unwrap_or(i8::MAX)
    });
    let place = Where::of(info, shape);
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
