//! Single runs: storing, listing, reading and deleting them.

use std::collections::BTreeMap;

use crate::{
    AppInfo, DayCount, Error, Facets, NewRun, Result, Run, RunId, RunPage, RunQuery, Selection,
    Stored, Taken,
};

/// The runs of a store, and how many there are.
///
/// All methods that return a [`Result`] may return an error of the database.
pub trait Runs {
    /// Stores runs that are not there. When this returns, they are on the disk. The
    /// outcomes are in the order of the runs.
    ///
    /// A run that is no usable profile gets [`Error::Profile`], and the others are
    /// stored. They go to the database together, so what it refuses, as with
    /// [`Error::Full`], is the outcome of each of them. All are in memory until then.
    fn put_all(&self, runs: Vec<NewRun>) -> Vec<Result<Stored>>;

    /// Stores a run, unless it is there. When this returns, the run is on the
    /// disk.
    ///
    /// # Errors
    ///
    /// [`Error::Full`], and then nothing was stored; [`Error::Profile`].
    fn put(&self, run: NewRun) -> Result<Stored> {
        self.put_all(vec![run]).pop().unwrap_or(Err(Error::Closed))
    }

    /// A run with its native file.
    ///
    /// # Errors
    ///
    /// Those of the database; a damaged file.
    fn run(&self, id: &RunId) -> Result<Option<Run>>;

    /// A page of the list of runs.
    ///
    /// # Errors
    ///
    /// [`Error::Query`] for an invalid cursor.
    fn runs(&self, query: &RunQuery) -> Result<RunPage>;

    /// The applications.
    fn apps(&self) -> Result<Vec<AppInfo>>;

    /// The number of runs of each day.
    fn days(&self, selection: &Selection) -> Result<Vec<DayCount>>;

    /// How many runs of a selection each route, release, host, status and tag has.
    fn facets(&self, selection: &Selection) -> Result<Facets>;

    /// When the latest run of each host of a selection began, in microseconds since 1970; by host.
    fn hosts(&self, selection: &Selection) -> Result<BTreeMap<String, u64>>;

    /// How much of an application was stored on the day of an instant, in UTC, by
    /// the time of arrival. Runs that were removed since may count.
    fn taken(&self, app: &str, at_us: u64) -> Result<Taken>;

    /// Gives a run a label; an empty one removes it. False if there is no such
    /// run.
    fn label(&self, id: &RunId, label: &str) -> Result<bool>;

    /// Deletes runs, and takes them out of the sums. Returns those that were
    /// there.
    fn delete(&self, ids: &[RunId]) -> Result<Vec<RunId>>;
}
