//! What got slower with a release, and which call did it.
//!
//! A store keeps hourly sums of the runs of each route. [`Detector`] compares the
//! windows after a release with the route's own history and returns a [`Report`].
//! docs/regressions.md describes the method, with its measured error rates.
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
mod matrix;
mod moved;
mod options;
mod places;
mod plan;
mod prediction;
mod ratios;
mod response;
mod series;
mod undecided;
mod window;

pub use collect::{Collector, Hour, HourPath, NotAdded};
pub use detector::Detector;
pub use finding::{
    Contributor, Figures, Finding, Kind, Place, Report, Selection, Skipped, Undecided,
};
pub use input::{Block, Cell, Path, Release, RouteHours, log_time};
pub use options::Options;
pub use series::Reason;
