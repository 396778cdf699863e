//! What releases made slower, as the pages show it.
//!
//! The caller of this crate searches: see [`crate::Config::findings`].

use serde::Serialize;
use store::RunId;
use utoipa::ToSchema;

/// The findings of an application.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    /// Its releases, the latest first.
    pub releases: Vec<ReleaseFindings>,
}

/// What one release did.
#[derive(Debug, Clone, Default, PartialEq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ReleaseFindings {
    /// Its name.
    pub release: String,
    /// The release before it.
    pub before: Option<String>,
    /// When it was deployed, in seconds since 1970.
    pub since_s: i64,
    /// What it was compared with, or why it was not.
    pub compared: String,
    /// Whether it was.
    pub is_compared: bool,
    /// What got slower, the dearest first.
    pub found: Vec<Found>,
    /// Times that moved between functions, without new cost: sentences.
    pub moved: Vec<String>,
    /// What cannot be decided yet, and how many more runs it takes.
    pub undecided: Vec<Undecided>,
    /// The routes with too few runs.
    pub not_compared: usize,
}

/// One regression.
#[derive(Debug, Clone, Default, PartialEq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Found {
    /// What tells it from others, whatever is known of it later: the id that a webhook gets, too.
    pub id: String,
    /// The kind: `more_calls`, `new_call`, `slower`, `more_memory`, `slower_route`, `higher_peak`.
    pub kind: String,
    /// The kind as words: `more calls`.
    pub heading: String,
    /// What happened, in one sentence.
    pub sentence: String,
    /// The function; none if it is a whole route.
    pub function: Option<String>,
    /// The function that calls it more often, or for the first time.
    pub caller: Option<String>,
    /// How long it took to find, and its standard errors.
    pub proof: String,
    /// The days after the release that were needed to find it.
    pub days: u64,
    /// The change where it is largest, in standard errors; none if it never varied before.
    pub errors: Option<f64>,
    /// Whether the history before it is shorter than usual.
    pub is_provisional: bool,
    /// Whether the last days are as before the release again.
    pub is_gone: bool,
    /// Whether `cost` is bytes rather than nanoseconds.
    pub is_memory: bool,
    /// What a chart of it shows.
    pub measure: Measure,
    /// The filter of such a chart: the application and the first route.
    pub filter: String,
    /// The filters of the first route under the release before and this one.
    pub compare: Option<[String; 2]>,
    /// The functions from the root to the cause.
    pub path: Vec<String>,
    /// The routes, those with the highest cost first.
    pub places: Vec<FoundPlace>,
    /// A usual run before and one after.
    #[schema(value_type = Option<Vec<String>>)]
    pub runs: Option<[RunId; 2]>,
}

/// What changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// The time of requests.
    #[default]
    Wall,
    /// The self time of the function.
    Own,
    /// The calls of the function.
    Calls,
    /// The memory that the function adds.
    Memory,
    /// The peak of memory of requests.
    Peak,
}

/// A regression on one route.
#[derive(Debug, Clone, Default, PartialEq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FoundPlace {
    /// The route.
    pub route: String,
    /// The figures before.
    pub before: FoundFigures,
    /// The figures after.
    pub after: FoundFigures,
    /// What it adds to a run, in nanoseconds or bytes.
    pub cost: f64,
    /// The same as a share of the time of a run before, or of its peak.
    pub share: f64,
    /// The relative change of what changed; none if it was not there before.
    pub change: Option<f64>,
}

/// The means of a run on one route, before or after.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FoundFigures {
    /// The number of runs.
    pub runs: u64,
    /// The calls in a run.
    pub calls: f64,
    /// The time in a run, in nanoseconds: self time, or with callees where it is about calls or a route.
    pub time: f64,
    /// The memory in a run, in bytes: what the function adds, or the peak.
    pub memory: f64,
}

/// An increase that may be chance.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Undecided {
    /// The function.
    pub function: String,
    /// The route.
    pub route: String,
    /// The change, what is missing, and how many more runs decide.
    pub text: String,
}
