//! Keeps the profiles of a team, and answers questions about many of them.
//!
//! [`Store`] is [`Runs`], [`Sums`], [`Retention`], [`Tokens`] and [`Notices`], a trait for each
//! reader. [`SqliteStore`] is its implementation in one folder, [`ClickhouseStore`] that in
//! ClickHouse. The crate knows no file format but the native one, and no terminal.
//!
//! Beside these, the main types are a [`Selection`] of runs and the answers in [`model`].
//!
//! ```
//! use profile::Profile;
//! use store::{NewRun, RunQuery, Runs, SqliteStore};
//!
//! let folder = tempfile::tempdir().unwrap();
//! let store = SqliteStore::open(folder.path())?;
//! let run = NewRun { profile: Profile::empty(), received: 1_795_305_600_000_000 };
//! let first = store.put(run.clone())?;
//! assert_eq!(store.put(run)?.id, first.id);
//! assert_eq!(store.runs(&RunQuery::default())?.runs.len(), 1);
//! # Ok::<(), store::Error>(())
//! ```
//!
//! **Invariants:** a run is identified by the hash of its content, so storing
//! it twice stores it once. What [`Runs::put`] has acknowledged survives a
//! killed process. Counts and sums are integers: any order of the same runs
//! gives the same answers.

#![forbid(unsafe_code)]

mod answers;
pub mod bucket;
mod cancel;
mod clickhouse;
mod error;
mod expiry;
pub mod model;
mod packed;
mod prepare;
mod rollup;
mod sqlite;
mod store;
mod tls;
mod transposed;

pub use cancel::{CancelToken, OnCancel};
pub use clickhouse::{Background, ClickhouseAddress, ClickhouseStore};
pub use error::{Error, Result};
pub use model::{
    Aggregate, AppInfo, AppPolicy, Basis, DayCount, DaySums, Difference, DroppedRuns, FacetValue,
    Facets, FunctionChange, FunctionDays, FunctionDetail, FunctionRoute, FunctionSort,
    FunctionTotal, Named, Neighbour, NewRun, Policies, Policy, Problem, Reason, ReleaseInfo,
    Removal, Removed, RemovedFor, RouteDays, RouteRelease, RouteRow, Run, RunId, RunInfo, RunPage,
    RunQuery, RunSort, Selection, SeriesPoint, SpanTotal, Stats, Status, Stored, StoredToken,
    TagFacet, Taken, TrendOf, TrendPoint, TrendStep, Verified, glob,
};
pub use prepare::{Meta, app_of, host_of, release_of, route_of};
pub use rollup::{PathSums, Sketch};
pub use sqlite::{Options, SqliteStore};
pub use store::{CellHours, HoursOf, Notices, Retention, Runs, Store, Sums, Tokens};
