//! What any store can do, in the words of the domain: a trait for each of its readers.
//!
//! | trait | who needs it |
//! |---|---|
//! | [`Runs`] | uploads, the list of runs, the viewer |
//! | [`Sums`] | pages about many runs, the search for regressions |
//! | [`Retention`] | policies and the thread that applies them |
//! | [`Tokens`] | logins |
//! | [`Notices`] | web hooks, and agents that dropped runs |
//!
//! [`Store`] is all of them, with what its operator needs.

mod notices;
mod retention;
mod runs;
mod sums;
mod tokens;

use std::time::Duration;

pub use notices::Notices;
pub use retention::Retention;
pub use runs::Runs;
pub(crate) use sums::Ask;
pub use sums::{CellHours, HoursOf, Sums};
pub use tokens::Tokens;

use crate::{Result, Stats, Verified};

/// A place where runs are kept.
///
/// All implementations pass the same suite, `conformance`.
pub trait Store: Runs + Sums + Retention + Tokens + Notices + Send + Sync {
    /// The same store for questions that belong together, such as those of a page. They cost
    /// less, because the sums of a selection are looked up once, when one of these questions
    /// first needs them. What is stored or deleted through the result counts at once. What
    /// others store or delete after that may count, or not. None if this store would gain
    /// nothing.
    fn query_session(&self) -> Option<Box<dyn Store>> {
        None
    }

    /// Reads everything, and compares the sums with the runs.
    ///
    /// # Errors
    ///
    /// Those of the database.
    fn verify(&self) -> Result<Verified>;

    /// How much there is.
    ///
    /// # Errors
    ///
    /// Those of the database.
    fn stats(&self) -> Result<Stats>;

    /// Whether it can answer: a small question, which may be asked every second.
    ///
    /// # Errors
    ///
    /// Why it cannot, as [`Error::Corrupt`](crate::Error::Corrupt).
    fn ready(&self) -> Result<()> {
        self.policies().map(|_| ())
    }

    /// Stops storing. What was acknowledged is stored, and what waits gets
    /// [`Error::Closed`](crate::Error::Closed). A transaction that has begun may take so long
    /// to end, or is undone.
    fn stop(&self, _patience: Duration) {}
}
