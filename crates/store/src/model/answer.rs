//! What a store answers.

use profile::Profile;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::policy::RemovedFor;

/// A route with the sums of its runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RouteRow {
    /// The application.
    pub app: String,
    /// The route.
    pub route: String,
    /// The runs that were stored.
    pub runs: u64,
    /// The requests that they stand for: each run counts one by its rate.
    pub requests: f64,
    /// The runs that failed.
    pub failed: u64,
    /// The wall time of all runs, in nanoseconds.
    pub wall: u64,
    /// The share of the time of all requests of the selection, 0 to 1.
    pub share: f64,
    /// The median wall time, in nanoseconds.
    pub p50: u64,
    /// Of 100 runs, 95 took at most this.
    pub p95: u64,
    /// Of 100 runs, 99 took at most this.
    pub p99: u64,
    /// The mean CPU time of the runs that measured it, in nanoseconds.
    pub mean_cpu: Option<u64>,
    /// The mean peak of memory of the runs that measured it, in bytes.
    pub mean_peak: Option<u64>,
    /// The first and the last hour with runs, in seconds since 1970.
    pub first_s: i64,
    /// The last hour with runs.
    pub last_s: i64,
}

/// A step of a trend.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TrendPoint {
    /// The beginning of the step, in seconds since 1970.
    pub time_s: i64,
    /// The release; empty if unknown.
    pub release: String,
    /// The runs, also those that did not call the function.
    pub runs: u64,
    /// The runs that called the function, if that is known: not for steps of an
    /// hour. Of requests all of them.
    pub called: Option<u64>,
    /// The requests that they stand for.
    pub requests: f64,
    /// The calls; of requests, all calls.
    pub calls: u64,
    /// Wall time with callees, in nanoseconds.
    pub wall: u64,
    /// CPU time with callees, in nanoseconds.
    pub cpu: u64,
    /// Memory with callees, in bytes.
    pub memory: i64,
    /// Self wall time, in nanoseconds. Of requests 0, like the next two.
    pub own_wall: i64,
    /// Self CPU time, in nanoseconds.
    pub own_cpu: i64,
    /// Self change of memory, in bytes.
    pub own_memory: i64,
    /// The median wall time of a run, in nanoseconds; of a function, with
    /// callees, of the runs that called it. None if `called` is.
    pub p50: Option<u64>,
    /// Of 100 runs, 95 took at most this.
    pub p95: Option<u64>,
    /// Of 100 runs, 99 took at most this.
    pub p99: Option<u64>,
}

/// The requests of a step of time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SeriesPoint {
    /// The beginning of the step, in seconds since 1970.
    pub time_s: i64,
    /// The runs that were stored.
    pub runs: u64,
    /// The requests that they stand for.
    pub requests: f64,
    /// The runs that failed.
    pub failed: u64,
    /// The mean wall time of a run, in nanoseconds.
    pub mean: u64,
    /// The median wall time, in nanoseconds.
    pub p50: u64,
    /// Of 100 runs, 95 took at most this.
    pub p95: u64,
    /// Of 100 runs, 99 took at most this.
    pub p99: u64,
    /// The mean CPU time of the runs that measured it, in nanoseconds.
    pub cpu: Option<u64>,
    /// The mean peak of memory of the runs that measured it, in bytes.
    pub peak: Option<u64>,
    /// The SQL statements of a run, on average; none if the selection has none.
    pub sql: Option<f64>,
}

/// What the runs of a selection have in common.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Facets {
    /// The runs.
    pub runs: u64,
    /// Those that failed.
    pub failed: u64,
    /// The routes, those with the most runs first; at most 100 of each facet.
    pub routes: Vec<FacetValue>,
    /// The releases.
    pub releases: Vec<FacetValue>,
    /// The hosts; an empty one is unknown.
    pub hosts: Vec<FacetValue>,
    /// The status of responses, and `exit 1`; an empty one is unknown.
    pub statuses: Vec<FacetValue>,
    /// The tags, by name.
    pub tags: Vec<TagFacet>,
}

/// A value, and how many runs have it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FacetValue {
    /// The value.
    pub value: String,
    /// The runs.
    pub runs: u64,
}

/// The values of a tag.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TagFacet {
    /// The name of the tag.
    pub name: String,
    /// Its values.
    pub values: Vec<FacetValue>,
}

/// What a trend has of one day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct DaySums {
    /// The day, in seconds since 1970.
    pub day_s: i64,
    /// The runs, also those that did not call the function.
    pub runs: u64,
    /// The calls; of a route, all calls.
    pub calls: u64,
    /// Self wall time of the function in nanoseconds; of a route, the wall time
    /// of its runs.
    pub wall: i64,
}

/// The days of a route.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RouteDays {
    /// The application.
    pub app: String,
    /// The route.
    pub route: String,
    /// The days with runs, in their order.
    pub days: Vec<DaySums>,
}

/// The runs of a route under one release.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RouteRelease {
    /// The application.
    pub app: String,
    /// The route.
    pub route: String,
    /// The release; empty if the runs name none.
    pub release: String,
    /// The runs.
    pub runs: u64,
    /// Their wall time, in nanoseconds.
    pub wall: u64,
}

/// The days of a function.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FunctionDays {
    /// Its name.
    pub name: String,
    /// The days with runs, in their order.
    pub days: Vec<DaySums>,
}

/// A function with its sums over a selection.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FunctionTotal {
    /// Its name.
    pub name: String,
    /// The runs that called it. Like the last three known for whole days of UTC,
    /// and if runs were read.
    pub runs: Option<u64>,
    /// Its calls.
    pub calls: u64,
    /// Wall time with callees, in nanoseconds.
    pub wall: u64,
    /// CPU time with callees, in nanoseconds.
    pub cpu: u64,
    /// Memory with callees, in bytes.
    pub memory: i64,
    /// Self wall time, in nanoseconds.
    pub own_wall: i64,
    /// Self CPU time, in nanoseconds.
    pub own_cpu: i64,
    /// Self change of memory, in bytes.
    pub own_memory: i64,
    /// The median of its wall time with callees, of the runs that called it.
    pub p50: Option<u64>,
    /// Of 100 such runs, 95 took at most this.
    pub p95: Option<u64>,
    /// Of 100 such runs, 99 took at most this.
    pub p99: Option<u64>,
}

/// What an answer was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The hourly sums: all runs of whole hours, those that were removed since
    /// included.
    Hours,
    /// The runs themselves.
    Runs,
}

/// The sum of many runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Aggregate {
    /// The sum of their calls: a tree, or edges if one run has only edges.
    pub profile: Profile,
    /// How many runs are in it.
    pub runs: u64,
    /// How many were selected: more than `runs` if the limit left some out, or
    /// if some do not measure time.
    pub selected: u64,
    /// The requests that they stand for.
    pub requests: f64,
    /// What it was made from.
    pub basis: Basis,
}

/// How two selections differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The sum of the first.
    pub before: Aggregate,
    /// The sum of the second.
    pub after: Aggregate,
    /// The functions, those first whose self time changed most.
    pub functions: Vec<FunctionChange>,
}

/// How a function differs between two selections, by run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FunctionChange {
    /// Its name.
    pub name: String,
    /// Calls of a run before, on average.
    pub calls_before: f64,
    /// Calls of a run after.
    pub calls_after: f64,
    /// Self wall time of a run before, in nanoseconds, on average.
    pub own_before: f64,
    /// Self wall time of a run after.
    pub own_after: f64,
    /// Wall time with callees of a run before.
    pub wall_before: f64,
    /// Wall time with callees of a run after.
    pub wall_after: f64,
    /// The part of the change that comes from more or fewer calls, in
    /// nanoseconds of a run; the rest comes from dearer or cheaper calls.
    pub by_calls: f64,
    /// The difference of the mean logarithms of its self time, in standard
    /// errors, if both sides are of whole days and have ten runs that called it.
    /// It takes runs for independent, which those of one host and hour are not.
    pub z: Option<f64>,
    /// The difference of the mean logarithms that `z` is about: 0.1 is 10 % more.
    pub ln_change: Option<f64>,
    /// The runs that called it before; none if the side has parts of days.
    pub called_before: Option<u64>,
    /// The runs that called it after.
    pub called_after: Option<u64>,
}

/// A function of a selection.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FunctionDetail {
    /// Its sums.
    pub total: FunctionTotal,
    /// Its days, by release.
    pub days: Vec<TrendPoint>,
    /// The routes on which it was called, those with the most self time first.
    pub routes: Vec<FunctionRoute>,
    /// Its callers, those with the most time first.
    pub callers: Vec<Neighbour>,
    /// Its callees.
    pub callees: Vec<Neighbour>,
}

/// A function's sums on one route.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FunctionRoute {
    /// The application.
    pub app: String,
    /// The route.
    pub route: String,
    /// All runs of the route.
    pub route_runs: u64,
    /// The sums of the function there.
    pub total: FunctionTotal,
}

/// A caller or a callee, and the cost of the calls between.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Neighbour {
    /// Its name.
    pub name: String,
    /// The calls.
    pub calls: u64,
    /// Their wall time, in nanoseconds.
    pub wall: u64,
    /// Their CPU time, in nanoseconds.
    pub cpu: u64,
}

/// Spans of the same kind and text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SpanTotal {
    /// `sql`, `http`, `stream`, `redis`, `memcached` or `other`.
    pub kind: String,
    /// The statement, address or command, without literals.
    pub text: String,
    /// The runs that have them.
    pub runs: u64,
    /// Their number.
    pub calls: u64,
    /// Their time, in nanoseconds.
    pub wall: u64,
    /// The longest of them, in nanoseconds.
    pub max: u64,
    /// The rows that they found or changed, as far as known.
    pub rows: u64,
}

/// An application.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AppInfo {
    /// Its name.
    pub name: String,
    /// The number of its runs.
    pub runs: u64,
    /// The size of their files, in bytes.
    pub bytes: u64,
    /// The latest of them, in microseconds since 1970.
    pub last_us: u64,
}

/// A release of an application.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ReleaseInfo {
    /// The application.
    pub app: String,
    /// Its name.
    pub release: String,
    /// Its first hour with runs, in seconds since 1970.
    pub first_s: i64,
    /// Its last hour with runs.
    pub last_s: i64,
    /// Its runs.
    pub runs: u64,
}

/// The number of runs of a day.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct DayCount {
    /// The day, in seconds since 1970.
    pub day_s: i64,
    /// The runs.
    pub runs: u64,
}

/// The size of a store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Stats {
    /// The runs.
    pub runs: u64,
    /// The size of their files, in bytes.
    pub run_bytes: u64,
    /// The hourly sums.
    pub cells: u64,
    /// The routes.
    pub routes: u64,
    /// The names of functions.
    pub names: u64,
    /// The size on disk, in bytes.
    pub disk_bytes: u64,
    /// The earliest run, in microseconds since 1970.
    pub first_us: Option<u64>,
    /// The latest run.
    pub last_us: Option<u64>,
    /// What the policies removed so far, and why.
    pub removed: Vec<RemovedFor>,
}
