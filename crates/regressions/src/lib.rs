//! What got slower with a release, and which call did it.
//!
//! A store keeps hourly sums of the runs of each route. [`Detector`] compares the
//! windows after a release with the route's own history and returns a [`Report`].
//! docs/regressions.md describes the method, with its measured error rates.
//!
//! Its main types: [`Collector`] adds up runs that are in no store, [`Detector`] compares,
//! and a [`Report`] has each [`Finding`] with its evidence.
//!
//! ```
//! use profile::{Meta, Profile};
//! use regressions::{Collector, Options};
//!
//! let mut sums = Collector::default();
//! for (release, hour) in [("1.0", 0), ("1.1", 24)] {
//!     let started_unix_us = Some(hour * 3_600_000_000);
//!     let run = Profile { meta: Meta { started_unix_us, ..Meta::default() }, ..Profile::empty() };
//!     sums.add("GET /cart", release, &run).unwrap();
//! }
//! let reports = sums.reports(Options::default());
//! assert_eq!(reports[0].release, "1.1");
//! // One hour of a release is too little to decide.
//! assert!(reports[0].hours_left.is_some());
//! ```
//!
//! **Invariant:** this crate reads no file, no clock and no random numbers: the
//! same sums give the same report.

#![forbid(unsafe_code)]
#![expect(
    clippy::cast_precision_loss,
    reason = "counts and nanoseconds become statistics, in which 2^-53 does not matter"
)]

mod attribution;
mod bayes;
mod collect;
mod detector;
mod discovery;
mod evidence;
mod finding;
mod incidents;
mod input;
mod making;
mod matrix;
mod moved;
mod options;
mod peaks;
mod places;
mod plan;
mod prediction;
mod ratios;
mod response;
mod rows;
mod search;
mod series;
pub mod significance;
mod sums;
mod undecided;
mod window;

pub use collect::{Collector, NotAdded};
pub use detector::Detector;
pub use finding::{
    Contributor, Figures, Finding, Kind, Place, Report, Selection, Skipped, Undecided,
};
pub use input::{Block, Cell, Hours, Path, Release, RouteHours, log_time};
pub use options::Options;
pub use search::{Around, reports};
pub use series::Reason;
pub use sums::{HourPath, RouteSums};
