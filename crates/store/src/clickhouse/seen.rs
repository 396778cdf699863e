//! What was seen of a cell at one time.

/// A version of a cell, and the rows of `changed` it was compared with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// 0 if there is no cell.
    pub(super) version: u64,
    pub(super) rows: u64,
    pub(super) hash: u64,
}

impl Seen {
    /// The hash of rows of `changed`, in any order.
    pub(super) const HASH: &str = "sum(cityHash64(id, toUInt32(arrived)))";
}
