//! The size of a store, and what is wrong in it.

use std::collections::HashSet;

use super::Inner;
use super::cells::{Cell, CellPlace, Key, these_cells};
use super::counts::OfApp;
use super::rows::RowReader;
use super::runs::{INFO, read_info, these};
use crate::prepare::{profile_of, sums_of_run};
use crate::rollup::Sign;
use crate::{Error, Problem, Result, RunId, Selection, Stats, Verified};

/// The most problems that are listed.
const MAX_PROBLEMS: usize = 1000;

impl Inner {
    /// How much there is.
    pub(super) fn stats(&self) -> Result<Stats> {
        let days = self.day_sums()?;
        let apps: Vec<&OfApp> = days.values().flat_map(|day| day.apps.values()).collect();
        let there = || apps.iter().filter(|app| app.runs > 0);
        let cells = self.cell_counts()?;
        let (routes, names) = self.names_seen()?;
        Ok(Stats {
            runs: apps.iter().map(|app| app.runs).sum(),
            run_bytes: apps.iter().map(|app| app.bytes).sum(),
            cells: cells.values().map(|count| count.cells).sum(),
            routes,
            names,
            disk_bytes: self.disk_bytes()?,
            first_us: there().map(|app| app.started.0).min(),
            last_us: there().map(|app| app.started.1).max(),
            removed: self.removed()?,
        })
    }

    /// The size of the tables: of one replica of each shard.
    fn disk_bytes(&self) -> Result<u64> {
        let address = self.client.address();
        let parts = match &address.cluster {
            Some(cluster) => format!("cluster('{cluster}', system, parts)"),
            None => "system.parts".to_owned(),
        };
        let bytes = self.client.read(&format!(
            "SELECT sum(bytes_on_disk) FROM {parts} WHERE active AND database = '{}'",
            address.database
        ))?;
        RowReader::new(&bytes).u64()
    }

    /// Reads everything, and compares the sums with the runs.
    pub(super) fn verify(&self) -> Result<Verified> {
        let mut verified = Verified::default();
        self.verify_runs(&mut verified)?;
        self.verify_cells(&mut verified)?;
        for day in self.wrong_days()? {
            let reason = "it is not the sum of its hours; `xhprof store rebuild` mends it";
            problem(&mut verified, day.name(), reason.to_owned());
        }
        let missing = self.missing()?;
        for (id, _) in missing {
            problem(
                &mut verified,
                format!("run {id}"),
                "it is there, but in no sums; `xhprof store rebuild` adds it".to_owned(),
            );
        }
        Ok(verified)
    }

    fn verify_runs(&self, verified: &mut Verified) -> Result<()> {
        let runs = self.infos(&Selection::default(), usize::MAX >> 1)?;
        let mut expected: HashSet<RunId> = runs.iter().map(|run| run.id).collect();
        verified.runs = runs.len() as u64;
        self.each_readable(&runs, &mut |info, file| {
            expected.remove(&info.id);
            let read = file.and_then(|file| {
                if RunId::of(&file) != info.id {
                    return Err(Error::Damaged("its content has changed".to_owned()));
                }
                profile_of(&file).map(|_| ())
            });
            match read {
                Err(error @ Error::Damaged(_)) => {
                    problem(verified, format!("run {}", info.id), error.to_string());
                    Ok(())
                }
                read => read,
            }
        })?;
        // A user or a policy may have removed them since.
        let left: Vec<RunId> = expected.into_iter().collect();
        for (id, _) in self.present(&left)? {
            problem(
                verified,
                format!("run {id}"),
                "its file is missing".to_owned(),
            );
        }
        Ok(())
    }

    fn verify_cells(&self, verified: &mut Verified) -> Result<()> {
        let bytes = self.client.read(&format!(
            "SELECT key, {} FROM {} FINAL WHERE gone = 0 ORDER BY app, route, hour, key",
            CellPlace::COLUMNS,
            self.all("cell")
        ))?;
        let mut answer = RowReader::new(&bytes);
        while answer.has_more() {
            let (key, place): (Key, _) = (answer.fixed()?, CellPlace::read(&mut answer)?);
            verified.cells += 1;
            match self.verify_cell(&key, &place) {
                Ok(is_compared) => verified.compared += u64::from(is_compared),
                Err(error @ Error::Damaged(_)) => {
                    let item = format!(
                        "sums of {} in the hour {} since 1970",
                        place.route, place.hour
                    );
                    problem(verified, item, error.to_string());
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Compares a cell with its runs, if they are all there.
    fn verify_cell(&self, key: &Key, place: &CellPlace) -> Result<bool> {
        let bytes = self.client.read(&format!(
            "SELECT {} FROM {} FINAL WHERE {}",
            Cell::columns(),
            self.all("cell"),
            these_cells(std::iter::once((key, place)))
        ))?;
        let stored = Cell::read(&mut RowReader::new(&bytes))?;
        let ids: Vec<RunId> = stored.ids.iter().map(|id| RunId(*id)).collect();
        let runs = self.present(&ids)?;
        if runs.len() != ids.len() || stored.totals.runs != ids.len() as u64 {
            return Ok(false);
        }
        let mut infos = Vec::with_capacity(runs.len());
        for some in runs.chunks(1000) {
            let bytes = self.client.read(&format!(
                "SELECT {INFO} FROM {} FINAL WHERE {}",
                self.all("run"),
                these(some.iter().map(|(id, day)| (id, *day)))
            ))?;
            let mut answer = RowReader::new(&bytes);
            while answer.has_more() {
                infos.push(read_info(&mut answer)?);
            }
        }
        let mut computed = Cell::new(place.clone());
        // The same numbers of names.
        computed.adopt_names(&stored);
        self.each_file(&infos, &mut |info, file| {
            if let Some(part) = sums_of_run(profile_of(&file)?, &info) {
                computed.merge(info.id.0, part, Sign::Plus);
            }
            Ok(())
        })?;
        if computed.has_sums_of(&stored) {
            return Ok(true);
        }
        Err(Error::Damaged("it is not the sum of its runs".to_owned()))
    }

    /// The runs that are in no sums and in `changed` neither, with their days.
    fn missing(&self) -> Result<Vec<(RunId, u32)>> {
        let database = &self.client.address().database;
        let bytes = self.client.read(&format!(
            "SELECT id, day FROM {} FINAL WHERE state = 0 AND shape >= 0
             AND id NOT IN (SELECT id FROM {database}.changed)
             AND id NOT IN (SELECT arrayJoin(ids) FROM {database}.cell FINAL)",
            self.all("run")
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut missing = Vec::new();
        while answer.has_more() {
            missing.push((RunId(answer.fixed()?), answer.u32()?));
        }
        Ok(missing)
    }

    /// Adds runs to the sums that are in none, and removes wrong sums of days, which are
    /// added up anew. Returns the number of runs.
    pub(super) fn rebuild(&self) -> Result<u64> {
        let missing = self.missing()?;
        for some in missing.chunks(1000) {
            self.mark_changed(some)?;
        }
        self.fold()?;
        self.mend_days()?;
        Ok(missing.len() as u64)
    }
}

fn problem(verified: &mut Verified, item: String, reason: String) {
    if verified.problems.len() < MAX_PROBLEMS {
        verified.problems.push(Problem { item, reason });
    }
}
