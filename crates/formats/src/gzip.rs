//! Gzip, which any format may be wrapped in.
//!
//! A few kilobytes can claim to be gigabytes, so unpacking has a limit.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::MultiGzDecoder;

use crate::ReadError;

/// Unpacks `input` if it is compressed, to at most `limit` bytes.
///
/// # Errors
///
/// [`ReadError::Gzip`] if it is broken, [`ReadError::TooLarge`] past the limit.
pub fn unpack(input: &[u8], limit: u64) -> Result<Cow<'_, [u8]>, ReadError> {
    if !input.starts_with(&[0x1f, 0x8b]) {
        return Ok(Cow::Borrowed(input));
    }
    let mut unpacked = Vec::new();
    // One byte more than allowed tells "all of it" from "cut off".
    let mut decoder = MultiGzDecoder::new(input).take(limit.saturating_add(1));
    decoder
        .read_to_end(&mut unpacked)
        .map_err(ReadError::Gzip)?;
    if unpacked.len() as u64 > limit {
        return Err(ReadError::TooLarge { limit });
    }
    Ok(Cow::Owned(unpacked))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn what_is_not_compressed_passes() {
        assert_eq!(*unpack(b"a:0:{}", 3).unwrap(), *b"a:0:{}");
    }

    #[test]
    fn the_limit_itself_is_allowed_and_one_byte_more_is_not() {
        let packed = packed(&[0; 1000]);
        assert_eq!(unpack(&packed, 1000).unwrap().len(), 1000);
        assert!(matches!(
            unpack(&packed, 999),
            Err(ReadError::TooLarge { limit: 999 })
        ));
    }

    #[test]
    fn a_bomb_is_not_unpacked() {
        let bomb = packed(&vec![0; 64 << 20]);
        assert!(bomb.len() < 100_000);
        assert!(matches!(
            unpack(&bomb, 1 << 20),
            Err(ReadError::TooLarge { .. })
        ));
    }

    #[test]
    fn a_stream_cut_short_is_broken() {
        let packed = packed(b"some bytes");
        let cut = packed.get(..packed.len() - 9).unwrap();
        assert!(matches!(unpack(cut, 1000), Err(ReadError::Gzip(_))));
    }

    #[test]
    fn several_members_are_one_stream() {
        let both = [packed(b"one "), packed(b"two")].concat();
        assert_eq!(*unpack(&both, 1000).unwrap(), *b"one two");
    }
}
