//! Runs: one, a page of them, their numbers, their files.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::Inner;
use super::literal::{ids as id_literals, numbers, text};
use super::rows::RowReader;
use super::select::{day_of, of_runs};
use crate::answers::{Chosen, FacetCounts, OF_ONE_RUN};
use crate::packed::unpacked;
use crate::prepare::MAX_FILE;
use crate::transposed::restored;
use crate::{DayCount, Error, Facets, Result, Run, RunId, RunInfo, Selection};

/// The most values of tags that are counted.
const MAX_TAG_VALUES: u32 = 1000;

/// The longest label, in bytes.
const MAX_LABEL: usize = 256;

/// How many files are read at a time, and the bytes after which no further one is.
const FILES: usize = 500;
const FILE_BYTES: u64 = 4 << 20;

/// The columns of [`read_info`].
pub(super) const INFO: &str = "id, app, route, release, title, started, host, method, status, \
     failed, rate, unit, body, wall, cpu, peak, calls, spans, sql, size, label, tag_name, tag_value";

/// All columns of `run` but `version`, `state`, `label` and `file`.
const COPIED_COLUMNS: &str = "id, key, day, app, route, release, title, started, host, method, status, \
     failed, shape, rate, unit, body, wall, cpu, peak, memory, calls, spans, sql, size, stored, \
     tag_name, tag_value, dictionary";

/// What may be changed of a run.
pub(super) enum Change<'a> {
    Label(&'a str),
    /// A policy removed it: its file goes, and its part of the sums stays.
    Forgotten,
    /// A user deleted it. Its file is needed until it is out of the sums.
    Deleted,
    /// Its file goes.
    Scrubbed,
}

pub(super) fn read_info(answer: &mut RowReader<'_>) -> Result<RunInfo> {
    let known = |value: i64| u64::try_from(value).ok();
    Ok(RunInfo {
        id: RunId(answer.fixed()?),
        app: answer.text()?,
        route: answer.text()?,
        release: answer.text()?,
        title: answer.text()?,
        started_us: answer.u64()?,
        host: answer.text()?,
        method: answer.text()?,
        status: answer.text()?,
        failed: answer.u8()? != 0,
        rate: answer.f64()?,
        unit: answer.text()?,
        body: answer.text()?,
        wall: answer.u64()?,
        cpu: known(answer.i64()?),
        peak: known(answer.i64()?),
        calls: answer.u64()?,
        spans: answer.u64()?,
        sql: answer.u64()?,
        size: answer.u64()?,
        label: answer.text()?,
        tags: {
            let names = answer.list(RowReader::text)?;
            names
                .into_iter()
                .zip(answer.list(RowReader::text)?)
                .collect()
        },
    })
}

/// The condition that finds runs quickly: tables are divided by day.
pub(super) fn these<'a>(runs: impl Iterator<Item = (&'a RunId, u32)> + Clone) -> String {
    let days: BTreeSet<u32> = runs.clone().map(|(_, day)| day).collect();
    format!(
        "day IN ({}) AND id IN ({})",
        numbers(days),
        id_literals(runs.map(|(id, _)| &id.0))
    )
}

/// The same for a question without `FINAL`, which gives all versions of the runs. Other
/// columns, above all the files, are read only where an id is.
pub(super) fn rows_of_runs<'a>(runs: impl Iterator<Item = (&'a RunId, u32)> + Clone) -> String {
    let days: BTreeSet<u32> = runs.clone().map(|(_, day)| day).collect();
    format!(
        "PREWHERE id IN ({}) WHERE day IN ({})",
        id_literals(runs.map(|(id, _)| &id.0)),
        numbers(days)
    )
}

/// How many of the first runs have files that are read at a time.
pub(super) fn fitting(runs: &[RunInfo]) -> usize {
    let mut bytes = 0;
    let fits = |info: &&RunInfo| {
        let fits = bytes <= FILE_BYTES;
        bytes += info.size;
        fits
    };
    runs.iter().take(FILES).take_while(fits).count()
}

impl Inner {
    /// A run with its file, unpacked.
    pub(super) fn run(&self, id: &RunId) -> Result<Option<Run>> {
        let Some((_, day)) = self.present(std::slice::from_ref(id))?.pop() else {
            return Ok(None);
        };
        let bytes = self.client.read(&format!(
            "SELECT version, state, {INFO}, dictionary, file FROM {} {}",
            self.all("run"),
            rows_of_runs(std::iter::once((id, day)))
        ))?;
        let mut answer = RowReader::new(&bytes);
        // Its version, its state, and the rest of its row.
        type Row<'a> = (u64, u8, (RunInfo, i64, &'a [u8]));
        let mut latest: Option<Row<'_>> = None;
        while answer.has_more() {
            let (version, state) = (answer.u64()?, answer.u8()?);
            let rest = (read_info(&mut answer)?, answer.i64()?, answer.bytes()?);
            if latest.as_ref().is_none_or(|known| known.0 < version) {
                latest = Some((version, state, rest));
            }
        }
        let Some((_, 0, (info, dictionary, file))) = latest else {
            return Ok(None);
        };
        let file = self.files.one(id, file)?;
        let file = self.native(id, dictionary, &file)?;
        Ok(Some(Run { info, file }))
    }

    /// The native file of a packed one.
    pub(super) fn native(&self, id: &RunId, dictionary: i64, file: &[u8]) -> Result<Vec<u8>> {
        let damaged = |reason: &str| Error::Damaged(format!("the file of run {id}: {reason}"));
        let dictionary = self.dictionaries.data(self, dictionary)?;
        let dictionary = dictionary.ok_or_else(|| damaged("its dictionary is missing"))?;
        let file = unpacked(file, &dictionary, MAX_FILE);
        let file = file.map_err(|error| damaged(&error.to_string()))?;
        let native = restored(&file, MAX_FILE).ok_or_else(|| damaged("its columns do not fit"))?;
        Ok(native.into_owned())
    }

    /// Calls `each` with the native files of runs, in their order.
    pub(super) fn each_file(
        &self,
        runs: &[RunInfo],
        each: &mut dyn FnMut(RunInfo, Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        self.each_readable(runs, &mut |info, file| each(info, file?))
    }

    /// The same with the reason why a file cannot be read.
    pub(super) fn each_readable(
        &self,
        runs: &[RunInfo],
        each: &mut dyn FnMut(RunInfo, Result<Vec<u8>>) -> Result<()>,
    ) -> Result<()> {
        let mut rest = runs;
        while !rest.is_empty() {
            let (some, after) = rest.split_at(fitting(rest));
            rest = after;
            let bytes = self.client.read(&format!(
                "SELECT id, version, dictionary, file FROM {} {}",
                self.all("run"),
                rows_of_runs(some.iter().map(|info| (&info.id, day_of(info.started_us))))
            ))?;
            // The latest version of each.
            let mut files: HashMap<RunId, (u64, i64, &[u8])> = HashMap::new();
            let mut answer = RowReader::new(&bytes);
            while answer.has_more() {
                let id = RunId(answer.fixed()?);
                let file = (answer.u64()?, answer.i64()?, answer.bytes()?);
                let kept = files.entry(id).or_insert(file);
                if file.0 > kept.0 {
                    *kept = file;
                }
            }
            let rows = files.iter().filter(|(_, row)| !row.2.is_empty());
            let rows: Vec<(RunId, &[u8])> = rows.map(|(id, row)| (*id, row.2)).collect();
            let mut read: HashMap<_, _> = self.files.read(&rows)?.into_iter().collect();
            let numbers: Vec<i64> = files.values().map(|file| file.1).collect();
            self.dictionaries.fetch(self, &numbers)?;
            for info in some {
                // A policy or a user may have removed it since.
                if let Some((_, dictionary, _)) = files.remove(&info.id)
                    && let Some(file) = read.remove(&info.id)
                {
                    let file = file.and_then(|file| self.native(&info.id, dictionary, &file));
                    each(info.clone(), file)?;
                }
            }
        }
        Ok(())
    }

    /// The number of a selection's runs, and the highest rate.
    pub(super) fn count(&self, selection: &Selection) -> Result<Chosen> {
        let bytes = self.client.read(&format!(
            "SELECT count(), max(rate) FROM {} FINAL WHERE {}",
            self.all("run"),
            of_runs(selection)?
        ))?;
        let mut answer = RowReader::new(&bytes);
        Ok(Chosen {
            runs: answer.u64()?,
            highest_rate: answer.f64()?,
        })
    }

    /// The number of runs of each day of UTC.
    pub(super) fn day_counts(&self, selection: &Selection) -> Result<Vec<DayCount>> {
        let bytes = self.client.read(&format!(
            "SELECT day, count() FROM {} FINAL WHERE {} GROUP BY day ORDER BY day",
            self.all("run"),
            of_runs(selection)?
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut days = Vec::new();
        while answer.has_more() {
            days.push(DayCount {
                day_s: i64::from(answer.u32()?) * 86_400,
                runs: answer.u64()?,
            });
        }
        Ok(days)
    }

    /// When the latest run of each host began.
    pub(super) fn hosts(&self, selection: &Selection) -> Result<BTreeMap<String, u64>> {
        let bytes = self.client.read(&format!(
            "SELECT host, max(started) FROM {} FINAL WHERE {} GROUP BY host",
            self.all("run"),
            of_runs(selection)?
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut hosts = BTreeMap::new();
        while answer.has_more() {
            hosts.insert(answer.text()?, answer.u64()?);
        }
        Ok(hosts)
    }

    /// How many runs each route, release, host, status and tag has.
    pub(super) fn facets(&self, selection: &Selection) -> Result<Facets> {
        let (table, conditions) = (self.all("run"), of_runs(selection)?);
        let mut counts = FacetCounts::default();
        let bytes = self.client.read(&format!(
            "SELECT route, release, host, status, failed, count() FROM {table} FINAL
             WHERE {conditions} GROUP BY route, release, host, status, failed"
        ))?;
        let mut answer = RowReader::new(&bytes);
        while answer.has_more() {
            let values = [
                answer.text()?,
                answer.text()?,
                answer.text()?,
                answer.text()?,
            ];
            counts.add(values, answer.u8()? != 0, answer.u64()?);
        }
        let bytes = self.client.read(&format!(
            "SELECT of_name, of_value, count() AS runs FROM {table} FINAL
             ARRAY JOIN tag_name AS of_name, tag_value AS of_value
             WHERE {conditions} AND of_name NOT IN ({OF_ONE_RUN})
             GROUP BY of_name, of_value ORDER BY runs DESC, of_name, of_value LIMIT {MAX_TAG_VALUES}"
        ))?;
        let mut answer = RowReader::new(&bytes);
        while answer.has_more() {
            counts.add_tag(answer.text()?, answer.text()?, answer.u64()?);
        }
        Ok(counts.finish())
    }

    /// The runs of `ids` that are there, with their days.
    pub(super) fn present(&self, ids: &[RunId]) -> Result<Vec<(RunId, u32)>> {
        let mut present = HashMap::new();
        for some in ids.chunks(1000) {
            let bytes = self.client.read(&format!(
                "SELECT id, argMax(day, version), argMax(state, version) FROM {}
                 WHERE id IN ({}) GROUP BY id",
                self.all("run"),
                id_literals(some.iter().map(|id| &id.0))
            ))?;
            let mut answer = RowReader::new(&bytes);
            while answer.has_more() {
                let (id, day, state) = (RunId(answer.fixed()?), answer.u32()?, answer.u8()?);
                if state == 0 {
                    present.insert(id, day);
                }
            }
        }
        let in_order = ids.iter().filter_map(|id| Some((*id, present.remove(id)?)));
        Ok(in_order.collect())
    }

    /// Writes a new version of runs. Only those that have no label, if
    /// `is_unlabelled`.
    pub(super) fn change(&self, runs: &[(RunId, u32)], change: &Change<'_>) -> Result<()> {
        if runs.is_empty() {
            return Ok(());
        }
        let (state, label, file, only) = match change {
            Change::Label(label) => ("state", text(label), "file", "state = 0"),
            Change::Forgotten => ("1", "label".to_owned(), "''", "state = 0 AND label = ''"),
            Change::Deleted => ("2", "label".to_owned(), "file", "state = 0"),
            Change::Scrubbed => ("state", "label".to_owned(), "''", "state = 2"),
        };
        // Its object is not needed when the new version is there.
        let unused = match change {
            Change::Forgotten | Change::Scrubbed => self.objects_of(runs)?,
            Change::Label(_) | Change::Deleted => HashSet::new(),
        };
        let now = super::now_us();
        self.client.execute(&format!(
            "INSERT INTO {run} (version, state, label, file, {COPIED_COLUMNS})
             SELECT if(version < {now}, toUInt64({now}), version + 1), toUInt8({state}),
                 {label}, {file}, {COPIED_COLUMNS}
             FROM {run} FINAL WHERE {} AND {only}",
            these(runs.iter().map(|(id, day)| (id, *day))),
            run = self.all("run"),
        ))?;
        self.files.note_unused(unused);
        Ok(())
    }

    /// Sets a label.
    pub(super) fn label(&self, id: &RunId, label: &str) -> Result<bool> {
        if label.len() > MAX_LABEL {
            let reason = format!("a label has at most {MAX_LABEL} bytes");
            return Err(Error::Query(reason));
        }
        let runs = self.present(std::slice::from_ref(id))?;
        self.change(&runs, &Change::Label(label))?;
        Ok(!runs.is_empty())
    }
}
