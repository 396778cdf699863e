//! What releases made slower, as the pages show it.
//!
//! The caller of this crate searches: see [`crate::Config::findings`].

use store::RunId;

/// The findings of an application.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    /// Its releases, the latest first.
    pub releases: Vec<ReleaseFindings>,
}

/// What one release did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReleaseFindings {
    /// Its name.
    pub release: String,
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
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The kind: `slower`, `more calls`.
    pub kind: String,
    /// What happened, in one sentence.
    pub sentence: String,
    /// The function; none if it is a whole route.
    pub function: Option<String>,
    /// How long it took to find, and its standard errors.
    pub proof: String,
    /// Whether the history before it is shorter than usual.
    pub is_provisional: bool,
    /// Whether the last days are as before the release again.
    pub is_gone: bool,
    /// The functions from the root to the cause.
    pub path: Vec<String>,
    /// The routes, those with the highest cost first.
    pub places: Vec<FoundPlace>,
    /// A usual run before and one after.
    pub runs: Option<[RunId; 2]>,
}

/// A regression on one route.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundPlace {
    /// The route.
    pub route: String,
    /// The figure before.
    pub before: String,
    /// The figure after.
    pub after: String,
    /// What it adds to a run.
    pub cost: String,
}

/// An increase that may be chance.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Undecided {
    /// The function.
    pub function: String,
    /// The route.
    pub route: String,
    /// The change, what is missing, and how many more runs decide.
    pub text: String,
}
