//! Packs and unpacks with zstd, within a limit.
//!
//! Contexts are kept and used again: to make one takes longer than most of what
//! a store packs.

use std::io::Read;

use parking_lot::Mutex;
use zstd::bulk::{Compressor, Decompressor};

/// How many contexts of a kind are kept. A thread that finds none makes one.
const MAX_IDLE_CONTEXTS: usize = 16;

/// What says that it is larger is unpacked piece by piece: its header may lie.
const MAX_TRUSTED_SIZE: usize = 16 << 20;

static COMPRESSORS: Mutex<Vec<Compressor<'static>>> = Mutex::new(Vec::new());
static DECOMPRESSORS: Mutex<Vec<Decompressor<'static>>> = Mutex::new(Vec::new());

/// Calls `work` with a kept context, or a new one.
fn with<C, T>(
    kept: &Mutex<Vec<C>>,
    new: impl FnOnce() -> std::io::Result<C>,
    work: impl FnOnce(&mut C) -> std::io::Result<T>,
) -> std::io::Result<T> {
    let locked = || kept.lock();
    let found = locked().pop();
    let mut context = match found {
        Some(context) => context,
        None => new()?,
    };
    let done = work(&mut context)?;
    let mut kept = locked();
    if kept.len() < MAX_IDLE_CONTEXTS {
        kept.push(context);
    }
    Ok(done)
}

/// Compresses with a dictionary, which may be empty.
pub(crate) fn packed(bytes: &[u8], dictionary: &[u8], level: i32) -> std::io::Result<Vec<u8>> {
    let new = || Compressor::new(level);
    with(&COMPRESSORS, new, |compressor| {
        compressor.set_dictionary(level, dictionary)?;
        compressor.compress(bytes)
    })
}

/// What was compressed with a dictionary, unless it is larger than `most`.
pub(crate) fn unpacked(bytes: &[u8], dictionary: &[u8], most: usize) -> std::io::Result<Vec<u8>> {
    let size = zstd::zstd_safe::get_frame_content_size(bytes)
        .ok()
        .flatten()
        .and_then(|size| usize::try_from(size).ok());
    if size.is_some_and(|size| size <= MAX_TRUSTED_SIZE.min(most)) {
        return with(&DECOMPRESSORS, Decompressor::new, |decompressor| {
            decompressor.set_dictionary(dictionary)?;
            decompressor.decompress(bytes, MAX_TRUSTED_SIZE.min(most))
        });
    }
    let mut plain = Vec::new();
    zstd::Decoder::with_dictionary(bytes, dictionary)?
        .take(most as u64 + 1)
        .read_to_end(&mut plain)?;
    if plain.len() > most {
        return Err(std::io::Error::other("it is larger than its limit"));
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_is_unpacked_within_its_limit() {
        let plain: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        for dictionary in [&plain[..5000], &[]] {
            let bytes = packed(&plain, dictionary, 3).unwrap();
            assert_eq!(unpacked(&bytes, dictionary, plain.len()).unwrap(), plain);
            assert!(unpacked(&bytes, dictionary, plain.len() - 1).is_err());
        }
        let with = packed(&plain, &plain[..5000], 3).unwrap();
        assert_ne!(unpacked(&with, &[], plain.len()).ok(), Some(plain.clone()));
        // Streams do not say how large they are.
        let stream = zstd::encode_all(&plain[..], 3).unwrap();
        assert_eq!(unpacked(&stream, &[], plain.len()).unwrap(), plain);
        assert!(unpacked(&stream, &[], 100).is_err());
        assert!(unpacked(&stream[..stream.len() / 2], &[], plain.len()).is_err());
    }
}
