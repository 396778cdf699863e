//! Numbers in the database.

/// A number for the database, which has signed ones only.
pub(super) fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
