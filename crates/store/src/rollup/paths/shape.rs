//! The kinds of calls that a cell may have.

use profile::{Body, Profile};

/// What kind of calls the runs of a cell have. Runs of different kinds are kept
/// in different cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Shape {
    /// Whole paths, every call measured.
    Tree,
    /// Callers and callees.
    Edges,
    /// Whole paths, without calls.
    Samples,
}

impl Shape {
    /// The shape of a profile's sums.
    pub(crate) fn of(profile: &Profile) -> Self {
        match profile.body {
            Body::Tree(_) | Body::Events(_) if !profile.metrics.calls => Self::Samples,
            Body::Tree(_) | Body::Events(_) => Self::Tree,
            Body::Edges(_) => Self::Edges,
            Body::Samples(_) => Self::Samples,
        }
    }

    /// Its number in the database.
    pub(crate) fn number(self) -> i64 {
        match self {
            Self::Tree => 0,
            Self::Edges => 1,
            Self::Samples => 2,
        }
    }

    /// The shape with that number.
    pub(crate) fn from_number(number: i64) -> Self {
        match number {
            1 => Self::Edges,
            2 => Self::Samples,
            _ => Self::Tree,
        }
    }
}
