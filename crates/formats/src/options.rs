//! What can be said about how to write.

use profile::Metric;

/// How to write a profile. What a format has no place for is ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteOptions {
    /// The title, in place of the profile's own.
    pub title: Option<String>,
    /// The cost that formats with room for one write.
    pub metric: Metric,
    /// Formats that are made to be looked at whole leave out functions whose
    /// inclusive cost is less than so many thousandths of the profile's.
    pub threshold_permille: u32,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self {
            title: None,
            metric: Metric::default(),
            // gprof2dot's, whose graphs people know.
            threshold_permille: 5,
        }
    }
}
