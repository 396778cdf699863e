//! What was sent to a web hook, and what agents dropped.

use crate::{DroppedRuns, Result};

/// Notes of the server about findings and agents.
///
/// All methods may return an error of the database.
pub trait Notices {
    /// Whether a finding was sent before.
    fn has_notice(&self, id: &str) -> Result<bool>;

    /// Notes that a finding was sent.
    fn add_notice(&self, id: &str, now_us: u64) -> Result<()>;

    /// Notes how many runs agents dropped before they came here. Each counter
    /// replaces a smaller one of the same agent, day, application and reason.
    fn note_dropped(&self, rows: &[DroppedRuns]) -> Result<()>;

    /// How many runs agents dropped since an instant, the latest day first: of one
    /// application or of all; at most 10,000 counters.
    fn dropped(&self, app: Option<&str>, since_us: u64) -> Result<Vec<DroppedRuns>>;
}
