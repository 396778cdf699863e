//! The limits of a reader.

use crate::Spans;

/// The maximum size of a section: 1 GiB.
pub(super) const LARGEST_SECTION: u64 = 1 << 30;

/// The limits of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum size of a section, in bytes.
    pub section: u64,
    /// The maximum number of nodes of a call tree; 48 bytes of memory each.
    pub nodes: usize,
    /// The maximum number of call events that are kept, 40 bytes of memory
    /// each. More events become a call tree while they are read, unless
    /// [`Budget::with_events`](crate::Budget::with_events) wants more.
    pub events: usize,
    /// The maximum number of spans; 56 bytes of memory each.
    pub spans: usize,
}

impl Default for Limits {
    /// 64 million nodes; a million events, and as many spans.
    fn default() -> Self {
        Self {
            section: LARGEST_SECTION,
            nodes: 64 << 20,
            events: 1 << 20,
            spans: Spans::MOST,
        }
    }
}
