//! What `xhprof` adds to its own files, under the key `xhprof`.

/// The kind of profile that `xhprof` wrote the file from; none in other files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Events,
    Tree,
    Samples,
}

impl Shape {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Events => "events",
            Self::Tree => "tree",
            Self::Samples => "samples",
        }
    }
}

/// The key `xhprof` of files that `xhprof` wrote.
#[derive(Debug, Default)]
pub(super) struct XhprofFields {
    pub(super) shape: Option<Shape>,
    pub(super) started_unix_us: u64,
    /// The duration of a sample, if samples were only counted.
    pub(super) sample_ns: Option<u64>,
    pub(super) has_calls: bool,
    pub(super) has_memory: bool,
    /// Calls, and memory and peak if measured, for each entry.
    pub(super) costs: Vec<i64>,
}
