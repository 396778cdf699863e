//! How long runs are kept.

use crate::{Policies, Policy, Removal, Removed, Result};

/// The policies of applications, and what they remove.
///
/// All methods may return an error of the database.
pub trait Retention {
    /// The policies: how long runs are kept.
    fn policies(&self) -> Result<Policies>;

    /// Sets the policy of an application, or, without one, of those that have
    /// none of their own. None removes it.
    ///
    /// # Errors
    ///
    /// Those of [`Policy::check`].
    fn set_policy(&self, app: Option<&str>, policy: Option<&Policy>) -> Result<()>;

    /// What [`retain`](Self::retain) would remove.
    fn removable(&self, app: &str, policy: &Policy, now_us: u64) -> Result<Removed>;

    /// Removes the runs that the policy does not keep; their sums stay. `now_us`
    /// is the time in microseconds since 1970. Runs may be stored in between.
    fn retain(&self, app: &str, policy: &Policy, now_us: u64) -> Result<Removed>;

    /// What the policies removed since an instant, by day, the latest first: of one
    /// application or of all; at most 10,000 rows.
    fn removals(&self, app: Option<&str>, since_us: u64) -> Result<Vec<Removal>>;
}
