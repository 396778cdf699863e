//! The answer: what changed with a release, where, and what to open.

use crate::series::Reason;

/// What a release did to the times, calls and memory of its routes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// The release.
    pub release: String,
    /// The number of looks: windows after the release that were compared.
    pub looks: usize,
    /// Hours until the first look; none if there was one, or will never be.
    pub hours_left: Option<i64>,
    /// The next release came too early for a look: after that many hours.
    pub replaced_after: Option<i64>,
    /// The number of tests.
    pub tests: usize,
    /// The routes that were compared.
    pub routes: usize,
    /// Regressions, those that cost most first.
    pub findings: Vec<Finding>,
    /// Times that went from some functions to others; no cost was added.
    pub moved: Vec<Finding>,
    /// Functions and calls that cost less, by the same test.
    pub faster: Vec<Finding>,
    /// Increases that are not proven, those that would cost most first.
    pub undecided: Vec<Undecided>,
    /// The routes that could not be compared.
    pub skipped: Vec<Skipped>,
    /// The shift that most functions of most routes share, as a relative change.
    /// It is the load of the machines, not the code, and taken out of all else.
    pub common_change: f64,
}

/// What kind of regression it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A call is made more often for each call of its caller: an N+1 query, for
    /// instance.
    MoreCalls,
    /// A call that was never made before.
    NewCall,
    /// A function's own code takes longer.
    Slower,
    /// A function's own code keeps more memory.
    MoreMemory,
    /// A route takes longer, and no function alone explains it.
    SlowerRoute,
    /// Runs of one route or of several have a higher peak of memory.
    HigherPeak,
}

/// One change with one cause, on one route or on several.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The kind.
    pub kind: Kind,
    /// The function; the route for [`Kind::SlowerRoute`]; empty for [`Kind::HigherPeak`].
    pub function: String,
    /// The caller, for the kinds about calls.
    pub caller: Option<String>,
    /// The routes, those with the highest cost first; at least one.
    pub places: Vec<Place>,
    /// The look that found it: 1 is the first window after the release.
    pub look: usize,
    /// The last windows are as before the release again.
    pub is_gone: bool,
    /// There are fewer windows of history than usual, so it may be wrong.
    pub is_provisional: bool,
    /// Where the time came from, if it only moved.
    pub moved_from: Vec<String>,
}

/// A finding on one route.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The route.
    pub route: String,
    /// The functions from the root to the cause.
    pub path: Vec<String>,
    /// The windows before the release.
    pub before: Figures,
    /// The windows after it.
    pub after: Figures,
    /// The relative change, without the shift that the route's functions share:
    /// 0.3 is 30 % more. For a new call it is its share of the route's time; for
    /// memory that was not used before, it is infinite.
    pub change: f64,
    /// The change in standard errors; infinite if it never varied before.
    pub t: f64,
    /// What it adds to a run of the route, in nanoseconds; for
    /// [`Kind::MoreMemory`] and [`Kind::HigherPeak`] in bytes.
    pub cost: f64,
    /// `cost` as a share of the time of a run before; of the peak for memory.
    pub share: f64,
    /// For [`Kind::MoreMemory`]: the run itself ends with the memory in use.
    pub is_retained: bool,
    /// The paths that explain most of the change of the route.
    pub contributors: Vec<Contributor>,
    /// Runs to open: before and after.
    pub open: [Selection; 2],
}

/// The means of a run in some windows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Figures {
    /// The number of runs.
    pub runs: u64,
    /// The calls of the path in a run.
    pub calls: f64,
    /// The time of the path in a run, in nanoseconds: self time, or with callees
    /// for the kinds about calls.
    pub time_ns: f64,
    /// The memory that the function's own code adds in a run, in bytes; for
    /// [`Kind::HigherPeak`] the mean peak.
    pub memory: f64,
    /// The time of a run of the route, in nanoseconds.
    pub route_ns: f64,
}

/// A path's part in the change of its route.
#[derive(Debug, Clone, PartialEq)]
pub struct Contributor {
    /// The functions from the root.
    pub path: Vec<String>,
    /// What its own code adds to a run, in nanoseconds.
    pub cost_ns: f64,
}

/// Which runs to look at: those of a route and some hours.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// The first hour, in hours since the Unix epoch.
    pub from: i64,
    /// The hour after the last.
    pub to: i64,
    /// Only runs of the release; else runs of earlier ones.
    pub is_released: bool,
    /// The mean time of the route's runs, in nanoseconds: a run near it is usual.
    pub route_ns: f64,
}

/// An increase that may be real or may be chance.
#[derive(Debug, Clone, PartialEq)]
pub struct Undecided {
    /// The kind that it would be.
    pub kind: Kind,
    /// The function.
    pub function: String,
    /// The route.
    pub route: String,
    /// The relative change.
    pub change: f64,
    /// The change in standard errors.
    pub t: f64,
    /// What a finding takes, in standard errors.
    pub t_needed: f64,
    /// How many more runs decide it, if the change stays what it is; none if the
    /// usual differences between days are too large for that.
    pub more_runs: Option<u64>,
}

/// A route that could not be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The route.
    pub route: String,
    /// The reason.
    pub reason: Reason,
}

impl Kind {
    /// Its name in files: `more_calls`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MoreCalls => "more_calls",
            Self::NewCall => "new_call",
            Self::Slower => "slower",
            Self::MoreMemory => "more_memory",
            Self::SlowerRoute => "slower_route",
            Self::HigherPeak => "higher_peak",
        }
    }
}

impl Finding {
    /// What it adds to a run where it adds most, as a share.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.places.first().map_or(0.0, |place| place.share)
    }
}
