//! PHP's strings and tables in another process.

use crate::layout::{Layout, to_usize};
use crate::memory::{Memory, word_in};

/// The value and the key of an entry of a table; none beyond its end.
pub(crate) fn bucket<M: Memory>(
    memory: &M,
    table: u64,
    index: u64,
    layout: &Layout,
) -> Option<(u64, Vec<u8>)> {
    let used = memory.half(table.wrapping_add(layout.table_used)).ok()?;
    if index >= u64::from(used) {
        return None;
    }
    let buckets = memory.word(table.wrapping_add(layout.table_buckets)).ok()?;
    let bucket = buckets.wrapping_add(index * layout.bucket_size);
    let mut bytes = vec![0; to_usize(layout.bucket_size)];
    memory.read(bucket, &mut bytes).ok()?;
    let key = string(memory, word_in(&bytes, layout.bucket_key), 64, layout)?;
    Some((word_in(&bytes, layout.bucket_value), key))
}

/// PHP's string at an address; none if it cannot be one, or is longer than `most` bytes.
pub(crate) fn string<M: Memory>(
    memory: &M,
    address: u64,
    most: usize,
    layout: &Layout,
) -> Option<Vec<u8>> {
    if address == 0 {
        return None;
    }
    let length = to_usize(memory.word(address.wrapping_add(layout.string_len)).ok()?);
    if length > most {
        return None;
    }
    let mut bytes = vec![0; length];
    memory
        .read(address.wrapping_add(layout.string_val), &mut bytes)
        .ok()?;
    Some(bytes)
}
