//! Where a list of runs goes on: `VALUE.ID`, or `TEXT.STARTED.ID`, whose text may have dots.

use std::str::FromStr;

use crate::error::{Error, Result};

/// What is before the last dot of `part`, which is the cursor or its beginning, and what is behind it.
pub(crate) fn parted<'a, T: FromStr>(part: &'a str, cursor: &str) -> Result<(&'a str, T)> {
    let parted = part
        .rsplit_once('.')
        .and_then(|(before, last)| Some((before, last.parse().ok()?)));
    parted.ok_or_else(|| not_a_cursor(cursor))
}

pub(crate) fn not_a_cursor(cursor: &str) -> Error {
    Error::Query(format!("not a cursor: {cursor}"))
}
