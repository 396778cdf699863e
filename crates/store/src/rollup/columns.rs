//! How the parts of a cell become bytes: columns of small numbers, compressed.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Error, Result};

/// Numbers next to each other in a column resemble each other; a higher level
/// saves 2 % and takes three times as long.
const LEVEL: i32 = 3;

/// The largest part. Limits on rows keep parts far below it.
const MAX: usize = 256 << 20;

/// A part as bytes.
pub(crate) fn encode<T: Serialize>(part: &T) -> Result<Vec<u8>> {
    let plain = postcard::to_stdvec(part).map_err(|error| Error::Damaged(error.to_string()))?;
    Ok(crate::packed::packed(&plain, &[], LEVEL)?)
}

/// The part in those bytes.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    let damaged = |reason: String| Error::Damaged(format!("hourly sums: {reason}"));
    let plain = crate::packed::unpacked(bytes, &[], MAX);
    let plain = plain.map_err(|error| damaged(error.to_string()))?;
    postcard::from_bytes(&plain).map_err(|error| damaged(error.to_string()))
}

/// A column of zeros is stored as an empty one.
pub(super) fn sparse<T: Default + PartialEq>(column: Vec<T>) -> Vec<T> {
    if column.iter().all(|value| *value == T::default()) {
        Vec::new()
    } else {
        column
    }
}
