//! Unpacks what zstd compressed, within a limit.

use std::io::Read;

/// What was compressed, unless it is larger than `most`.
pub(crate) fn unpacked(bytes: &[u8], most: usize) -> std::io::Result<Vec<u8>> {
    limited(zstd::Decoder::with_buffer(bytes)?, most)
}

/// The same with a dictionary.
pub(crate) fn unpacked_with(
    bytes: &[u8],
    dictionary: &[u8],
    most: usize,
) -> std::io::Result<Vec<u8>> {
    limited(zstd::Decoder::with_dictionary(bytes, dictionary)?, most)
}

fn limited(decoder: impl Read, most: usize) -> std::io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    decoder.take(most as u64 + 1).read_to_end(&mut plain)?;
    if plain.len() > most {
        return Err(std::io::Error::other("it is larger than its limit"));
    }
    Ok(plain)
}
