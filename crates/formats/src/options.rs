//! What can be said about how to write.

use profile::Metric;

/// How to write a profile. What a format has no place for is ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// The title, in place of the profile's own.
    pub title: Option<String>,
    /// The cost that formats with room for one write.
    pub metric: Metric,
}
