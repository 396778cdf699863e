//! What a document compares.

use profile::Diff;

/// What a document compares.
#[derive(Debug)]
pub(crate) struct Comparison {
    pub(crate) diff: Diff,
    /// How many profiles there are on each side.
    pub(crate) base_runs: u32,
    pub(crate) new_runs: u32,
    pub(crate) base_files: Vec<String>,
}
