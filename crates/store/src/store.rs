//! What any store can do, in the words of the domain.

use std::time::Duration;

use crate::{
    Aggregate, AppInfo, DayCount, Difference, DroppedRuns, Error, FunctionDays, FunctionDetail,
    FunctionSort, FunctionTotal, NewRun, PathSums, Policies, Policy, ReleaseInfo, Removal, Removed,
    Result, RouteDays, RouteRelease, RouteRow, Run, RunId, RunPage, RunQuery, Selection, SpanTotal,
    Stats, Stored, StoredToken, Taken, TrendOf, TrendPoint, TrendStep, Verified,
};

/// A place where runs are kept.
///
/// All implementations pass the same suite, `conformance`. Questions about
/// selections that [hourly sums](Selection::is_of_hours) can answer count whole
/// hours, and count runs whose files were removed since.
pub trait Store: Send + Sync {
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

    /// The same store for questions that belong together, such as those of a page: they cost
    /// less, because the sums of a selection are looked for once, when one of these questions
    /// first needs them. What is stored or deleted through the result counts at once; what
    /// others store or delete meanwhile counts, or does not yet. None if this store would gain
    /// nothing.
    fn at_one_moment(&self) -> Option<Box<dyn Store>> {
        None
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

    /// The routes of a selection, those with the most time first.
    ///
    /// # Errors
    ///
    /// Those of the database, as all that follow.
    fn routes(&self, selection: &Selection) -> Result<Vec<RouteRow>>;

    /// All requests of a selection as if they were of one route, whose names are
    /// empty; none without runs that measure time.
    fn requests(&self, selection: &Selection) -> Result<Option<RouteRow>>;

    /// The days of each route.
    fn route_days(&self, selection: &Selection) -> Result<Vec<RouteDays>>;

    /// The releases of each route, in the order of the names.
    fn route_releases(&self, selection: &Selection) -> Result<Vec<RouteRelease>>;

    /// The days of functions, in the order of their names.
    fn function_days(&self, selection: &Selection, names: &[String]) -> Result<Vec<FunctionDays>>;

    /// The applications.
    fn apps(&self) -> Result<Vec<AppInfo>>;

    /// The releases, in the order in which they were first seen.
    fn releases(&self, selection: &Selection) -> Result<Vec<ReleaseInfo>>;

    /// The number of runs of each day.
    fn days(&self, selection: &Selection) -> Result<Vec<DayCount>>;

    /// How requests or a function changed over time, by release.
    fn trend(
        &self,
        selection: &Selection,
        of: &TrendOf,
        step: TrendStep,
    ) -> Result<Vec<TrendPoint>>;

    /// The functions of a selection.
    fn top(
        &self,
        selection: &Selection,
        sort: FunctionSort,
        limit: usize,
    ) -> Result<Vec<FunctionTotal>>;

    /// The sum of the call trees of a selection.
    fn tree(&self, selection: &Selection) -> Result<Aggregate>;

    /// How two selections differ.
    fn diff(&self, before: &Selection, after: &Selection) -> Result<Difference>;

    /// Where a function is called from, and on which routes; none if no run of
    /// the selection calls it.
    fn function(&self, selection: &Selection, name: &str) -> Result<Option<FunctionDetail>>;

    /// The spans of a selection, those with the most time first.
    fn spans(&self, selection: &Selection, limit: usize) -> Result<Vec<SpanTotal>>;

    /// Visits the hourly sums of the paths of one route, in the order of the hours:
    /// what finds regressions. One cell is in memory at a time.
    ///
    /// Runs are counted as they are, whatever part of the requests was profiled.
    fn hours(&self, of: &HoursOf<'_>, visitor: &mut dyn FnMut(&CellHours)) -> Result<()>;

    /// Gives a run a label; an empty one removes it. False if there is no such
    /// run.
    fn label(&self, id: &RunId, label: &str) -> Result<bool>;

    /// Deletes runs, and takes them out of the sums. Returns those that were
    /// there.
    fn delete(&self, ids: &[RunId]) -> Result<Vec<RunId>>;

    /// The policies: how long runs are kept.
    fn policies(&self) -> Result<Policies>;

    /// Sets the policy of an application, or, without one, of those that have
    /// none of their own. None removes it.
    ///
    /// # Errors
    ///
    /// Those of [`Policy::check`].
    fn set_policy(&self, app: Option<&str>, policy: Option<&Policy>) -> Result<()>;

    /// What [`retain`](Self::retain) would remove.
    fn removable(&self, app: &str, policy: &Policy, now_us: u64) -> Result<Removed>;

    /// Removes the runs that the policy does not keep; their sums stay. `now_us`
    /// is the time in microseconds since 1970. Runs may be stored in between.
    fn retain(&self, app: &str, policy: &Policy, now_us: u64) -> Result<Removed>;

    /// What the policies removed since an instant, by day, the latest first: of one
    /// application or of all; at most 10,000 rows.
    fn removals(&self, app: Option<&str>, since_us: u64) -> Result<Vec<Removal>>;

    /// Notes how many runs agents dropped before they came here. Each counter
    /// replaces a smaller one of the same agent, day, application and reason.
    fn note_dropped(&self, rows: &[DroppedRuns]) -> Result<()>;

    /// How many runs agents dropped since an instant, the latest day first: of one
    /// application or of all; at most 10,000 counters.
    fn dropped(&self, app: Option<&str>, since_us: u64) -> Result<Vec<DroppedRuns>>;

    /// Whether a finding was sent before.
    fn has_notice(&self, id: &str) -> Result<bool>;

    /// Notes that a finding was sent.
    fn add_notice(&self, id: &str, now_us: u64) -> Result<()>;

    /// Adds a token, or a session, and removes those that ended before it was made.
    ///
    /// # Errors
    ///
    /// [`Error::Query`] for what [`StoredToken::check`] refuses,
    /// for an id that is there, and beyond [`StoredToken::MOST`].
    fn add_token(&self, token: &StoredToken) -> Result<()>;

    /// The token, or session, with that id. It may have ended.
    fn token(&self, id: &str) -> Result<Option<StoredToken>>;

    /// All tokens by name and id, without sessions.
    fn tokens(&self) -> Result<Vec<StoredToken>>;

    /// Removes a token with its sessions, or a session. False if there is none.
    fn remove_token(&self, id: &str) -> Result<bool>;

    /// How much of an application was stored on the day of an instant, in UTC, by
    /// the time of arrival. Runs that were removed since may count.
    fn taken(&self, app: &str, at_us: u64) -> Result<Taken>;

    /// Reads everything, and compares the sums with the runs.
    fn verify(&self) -> Result<Verified>;

    /// How much there is.
    fn stats(&self) -> Result<Stats>;

    /// Whether it can answer: a small question, which may be asked every second.
    ///
    /// # Errors
    ///
    /// Why it cannot, as [`Error::Corrupt`].
    fn ready(&self) -> Result<()> {
        self.policies().map(|_| ())
    }

    /// Stops storing: what was acknowledged is stored, what waits gets [`Error::Closed`], and
    /// what is being stored has so long to end, or is undone.
    fn stop(&self, _patience: Duration) {}
}

/// Which hourly sums of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HoursOf<'a> {
    /// The application.
    pub app: &'a str,
    /// The route, not a pattern.
    pub route: &'a str,
    /// The first hour, and the one after the last, in hours since 1970.
    pub hours: (i64, i64),
    /// From this hour on, only this release.
    pub only: Option<(i64, &'a str)>,
}

/// The sums of one route in one hour, under one release.
#[derive(Debug, Clone, PartialEq)]
pub struct CellHours {
    /// The hour, in hours since 1970.
    pub hour: i64,
    /// The release.
    pub release: String,
    /// The fraction of requests that were profiled.
    pub rate: f64,
    /// The runs.
    pub runs: u64,
    /// Their wall time, in nanoseconds.
    pub wall: u64,
    /// The sum of ln(1 + microseconds) of their wall times.
    pub ln_wall: f64,
    /// The sum of their peaks of memory, in bytes; 0 if not measured.
    pub peak: u64,
    /// The paths, parents before children; their functions are numbers of
    /// `names`.
    pub paths: Vec<PathSums>,
    /// The functions.
    pub names: std::sync::Arc<Vec<profile::Symbol>>,
}
