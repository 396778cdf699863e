//! How the parts of a cell become bytes: columns of small numbers, compressed.

use std::marker::PhantomData;

use serde::Serialize;
use serde::de::{DeserializeOwned, DeserializeSeed};

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
    decode_by(bytes, PhantomData)
}

/// What `seed` reads of the part in those bytes.
pub(crate) fn decode_by<T, S>(bytes: &[u8], seed: S) -> Result<T>
where
    S: for<'de> DeserializeSeed<'de, Value = T>,
{
    let damaged = |reason: String| Error::Damaged(format!("hourly sums: {reason}"));
    let plain = crate::packed::unpacked(bytes, &[], MAX);
    let plain = plain.map_err(|error| damaged(error.to_string()))?;
    let mut deserializer = postcard::Deserializer::from_bytes(&plain);
    let read = seed.deserialize(&mut deserializer);
    read.map_err(|error: postcard::Error| damaged(error.to_string()))
}

/// A column of zeros is stored as an empty one.
pub(super) fn sparse<T: Default + PartialEq>(column: Vec<T>) -> Vec<T> {
    if column.iter().all(|value| *value == T::default()) {
        Vec::new()
    } else {
        column
    }
}
