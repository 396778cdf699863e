//! What was seen of a cell, and of a day, at one time.

/// A version of a cell, and the rows of `changed` it was compared with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct CellVersion {
    /// 0 if there is no cell.
    pub(super) version: u64,
    pub(super) rows: u64,
    pub(super) hash: u64,
}

impl CellVersion {
    /// The hash of rows of `changed`, in any order.
    pub(super) const HASH: &str = "sum(cityHash64(id, toUInt32(arrived)))";
}

/// Rows of a table: their number, and the sum of their hashes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RowsDigest {
    count: u64,
    hash: u64,
}

impl RowsDigest {
    pub(super) fn add(&mut self, count: u64, hash: u64) {
        self.count = self.count.wrapping_add(count);
        self.hash = self.hash.wrapping_add(hash);
    }
}

/// The rows of a day, of one selection of places.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct DayRows {
    pub(super) cell: RowsDigest,
    pub(super) daily: RowsDigest,
    pub(super) changed: RowsDigest,
}

impl DayRows {
    /// The sum of the hashes of versions. Versions that were replaced are rows, too, until
    /// ClickHouse merges them; then the day is read once more.
    pub(super) const VERSIONS: &str = "sum(cityHash64(key, version))";
}
