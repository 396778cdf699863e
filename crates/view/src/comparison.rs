//! What a document compares.

use profile::{Diff, Spans};

/// What a document compares.
#[derive(Debug)]
pub(crate) struct Comparison {
    pub(crate) diff: Diff,
    /// How many profiles there are on each side.
    pub(crate) base_runs: u32,
    pub(crate) new_runs: u32,
    pub(crate) base_files: Vec<String>,
    /// The spans of all profiles of each side, with the functions of the document; none
    /// if the profiles hold callers and callees only.
    pub(crate) spans: Option<SpansOfBoth>,
}

/// The spans of both sides of a comparison.
#[derive(Debug)]
pub(crate) struct SpansOfBoth {
    pub(crate) base: Spans,
    pub(crate) new: Spans,
}
