//! Questions about many runs.
//!
//! Every store answers them in the same way, from what its [`Source`] gives: a store
//! implements [`Ask`].

use std::sync::Arc;

use profile::Symbol;

use crate::answers::{self, Side, Source};
use crate::{
    Aggregate, Difference, FunctionDays, FunctionDetail, FunctionSort, FunctionTotal, PathSums,
    ReleaseInfo, Result, RouteDays, RouteRelease, RouteRow, Selection, SeriesPoint, SpanTotal,
    TrendOf, TrendPoint, TrendStep,
};

/// The sums of runs.
///
/// Questions about selections that [hourly sums](Selection::is_of_hours) can answer
/// count whole hours, and count runs whose files were removed since. All methods may
/// return an error of the database.
pub trait Sums {
    /// The routes of a selection, those with the most time first.
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

    /// The releases, in the order in which they were first seen.
    fn releases(&self, selection: &Selection) -> Result<Vec<ReleaseInfo>>;

    /// How requests or a function changed over time, by release.
    fn trend(
        &self,
        selection: &Selection,
        of: &TrendOf,
        step: TrendStep,
    ) -> Result<Vec<TrendPoint>>;

    /// The requests of a selection over time, all releases of a step together.
    fn series(&self, selection: &Selection, step: TrendStep) -> Result<Vec<SeriesPoint>>;

    /// All requests of a selection as one point of [`series`](Self::series), none without runs that measure time, and
    /// its [`routes`](Self::routes): the sums are read once.
    fn whole_and_routes(
        &self,
        selection: &Selection,
    ) -> Result<(Option<SeriesPoint>, Vec<RouteRow>)>;

    /// The functions of a selection.
    fn top(
        &self,
        selection: &Selection,
        sort: FunctionSort,
        limit: usize,
    ) -> Result<Vec<FunctionTotal>>;

    /// The same without the runs that called each, and without quantiles: what these are computed
    /// from is the most of what [`top`](Self::top) reads.
    fn top_costs(
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
    pub names: Arc<Vec<Symbol>>,
}

/// A store that answers [`Sums`] from a [`Source`].
pub(crate) trait Ask {
    /// Answers one question.
    fn ask<T>(&self, question: impl FnOnce(&dyn Source) -> Result<T>) -> Result<T>;

    /// Both sides of a comparison.
    fn sides(&self, before: &Selection, after: &Selection) -> Result<(Side, Side)> {
        self.ask(|source| {
            let before = answers::side(source, before)?;
            Ok((before, answers::side(source, after)?))
        })
    }

    /// [`Sums::hours`].
    fn visit_hours(&self, of: &HoursOf<'_>, visitor: &mut dyn FnMut(&CellHours)) -> Result<()>;
}

impl<S: Ask> Sums for S {
    fn routes(&self, selection: &Selection) -> Result<Vec<RouteRow>> {
        self.ask(|source| answers::routes(source, selection))
    }

    fn requests(&self, selection: &Selection) -> Result<Option<RouteRow>> {
        self.ask(|source| answers::requests(source, selection))
    }

    fn route_days(&self, selection: &Selection) -> Result<Vec<RouteDays>> {
        self.ask(|source| answers::route_days(source, selection))
    }

    fn route_releases(&self, selection: &Selection) -> Result<Vec<RouteRelease>> {
        self.ask(|source| answers::route_releases(source, selection))
    }

    fn function_days(&self, selection: &Selection, names: &[String]) -> Result<Vec<FunctionDays>> {
        self.ask(|source| answers::function_days(source, selection, names))
    }

    fn releases(&self, selection: &Selection) -> Result<Vec<ReleaseInfo>> {
        self.ask(|source| answers::releases(source, selection))
    }

    fn trend(
        &self,
        selection: &Selection,
        of: &TrendOf,
        step: TrendStep,
    ) -> Result<Vec<TrendPoint>> {
        self.ask(|source| match of {
            TrendOf::Requests => answers::request_trend(source, selection, step),
            TrendOf::Function(name) => answers::function_trend(source, selection, name, step),
        })
    }

    fn series(&self, selection: &Selection, step: TrendStep) -> Result<Vec<SeriesPoint>> {
        self.ask(|source| answers::series(source, selection, step))
    }

    fn whole_and_routes(
        &self,
        selection: &Selection,
    ) -> Result<(Option<SeriesPoint>, Vec<RouteRow>)> {
        self.ask(|source| answers::whole_and_routes(source, selection))
    }

    fn top(
        &self,
        selection: &Selection,
        sort: FunctionSort,
        limit: usize,
    ) -> Result<Vec<FunctionTotal>> {
        self.ask(|source| answers::top(source, selection, sort, limit))
    }

    fn top_costs(
        &self,
        selection: &Selection,
        sort: FunctionSort,
        limit: usize,
    ) -> Result<Vec<FunctionTotal>> {
        self.ask(|source| answers::top_costs(source, selection, sort, limit))
    }

    fn tree(&self, selection: &Selection) -> Result<Aggregate> {
        self.ask(|source| answers::tree(source, selection))
    }

    fn diff(&self, before: &Selection, after: &Selection) -> Result<Difference> {
        let (before, after) = self.sides(before, after)?;
        Ok(answers::difference(before, after))
    }

    fn function(&self, selection: &Selection, name: &str) -> Result<Option<FunctionDetail>> {
        self.ask(|source| answers::function(source, selection, name))
    }

    fn spans(&self, selection: &Selection, limit: usize) -> Result<Vec<SpanTotal>> {
        self.ask(|source| answers::spans(source, selection, limit))
    }

    fn hours(&self, of: &HoursOf<'_>, visitor: &mut dyn FnMut(&CellHours)) -> Result<()> {
        self.visit_hours(of, visitor)
    }
}
