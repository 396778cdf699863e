//! Gzip and zip, which can wrap any format.
//!
//! A few kilobytes can unpack to gigabytes, so unpacking has a limit.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use flate2::bufread::MultiGzDecoder;

use crate::shared::zip;
use crate::{HEAD, ReadError};

/// Editors and shells of Windows put it before text. No binary format begins so.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Calls `act` with the beginning of `input` and with all of it, unpacked if
/// compressed, and without a byte order mark.
///
/// # Errors
///
/// Errors of `act`; [`ReadError::Gzip`] or [`ReadError::Zip`] if the input is
/// broken; [`ReadError::TooLarge`] if it is longer than `limit`. The last two
/// occur as soon as the reader reaches that point.
pub fn looking_through<R>(
    mut input: impl BufRead,
    limit: u64,
    act: impl FnOnce(&[u8], &mut dyn BufRead) -> Result<R, ReadError>,
) -> Result<R, ReadError> {
    let magic = head(&mut input, 4)?;
    let is_gzip = magic.starts_with(&[0x1f, 0x8b]);
    let is_zip = magic == *zip::MAGIC || magic == *zip::EMPTY;
    let input = Cursor::new(magic).chain(input);
    if is_gzip {
        let unpacked = Unpacked(MultiGzDecoder::new(input));
        with_head(BufReader::new(limited(unpacked, limit)), act)
    } else if is_zip {
        let unpacked = zip::Entry::open(input)?;
        with_head(BufReader::new(limited(unpacked, limit)), act)
    } else {
        with_head(BufReader::new(limited(input, limit)), act)
    }
}

fn with_head<R>(
    mut input: impl BufRead,
    act: impl FnOnce(&[u8], &mut dyn BufRead) -> Result<R, ReadError>,
) -> Result<R, ReadError> {
    let mut begin = head(&mut input, HEAD)?;
    if begin.starts_with(BYTE_ORDER_MARK) {
        begin.drain(..BYTE_ORDER_MARK.len());
        begin.append(&mut head(&mut input, BYTE_ORDER_MARK.len())?);
    }
    act(&begin, &mut Cursor::new(&begin).chain(input))
}

/// The first `length` bytes, or all if there are fewer.
fn head(input: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    input.take(length as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// The input, with an error after `limit` bytes.
pub(crate) fn limited<R: Read>(inner: R, limit: u64) -> Limited<R> {
    Limited {
        inner,
        left: limit,
        limit,
    }
}

/// Returns an error if the input continues after the limit.
pub(crate) struct Limited<R> {
    inner: R,
    left: u64,
    limit: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        match self.left.checked_sub(count as u64) {
            Some(left) => self.left = left,
            None => return Err(io::Error::other(ReadError::TooLarge { limit: self.limit })),
        }
        Ok(count)
    }
}

/// Marks an error of the decompression as such.
struct Unpacked<R>(R);

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let outcome = self.0.read(buffer);
        outcome.map_err(|error| io::Error::other(ReadError::Gzip(error)))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::MAX_UNPACKED;

    fn unpack(input: &[u8], limit: u64) -> Result<Vec<u8>, ReadError> {
        looking_through(input, limit, |_, input| {
            let mut unpacked = Vec::new();
            input.read_to_end(&mut unpacked)?;
            Ok(unpacked)
        })
    }

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn what_is_not_compressed_passes() {
        assert_eq!(unpack(b"a:0:{}", 6).unwrap(), *b"a:0:{}");
    }

    #[test]
    fn a_byte_order_mark_is_left_out_and_the_head_is_as_long_as_without() {
        let text = vec![b'x'; HEAD + 5];
        let marked = [BYTE_ORDER_MARK, &text].concat();
        for input in [&marked, &packed(&marked)] {
            looking_through(&input[..], MAX_UNPACKED, |head, input| {
                let mut whole = Vec::new();
                input.read_to_end(&mut whole)?;
                assert_eq!((head.len(), &whole), (HEAD, &text));
                Ok(())
            })
            .unwrap();
        }
        assert_eq!(unpack(BYTE_ORDER_MARK, 3).unwrap(), b"");
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
    fn the_beginning_is_shown_and_still_read() {
        let long: Vec<u8> = (0..200_000_u32)
            .map(|number| number.to_le_bytes()[0])
            .collect();
        for input in [packed(&long), long.clone()] {
            let whole = looking_through(input.as_slice(), u64::MAX, |head, input| {
                assert_eq!(head, &long[..HEAD]);
                let mut whole = Vec::new();
                input.read_to_end(&mut whole)?;
                Ok(whole)
            });
            assert_eq!(whole.unwrap(), long);
        }
    }

    #[test]
    fn several_members_are_one_stream() {
        let both = [packed(b"one "), packed(b"two")].concat();
        assert_eq!(unpack(&both, 1000).unwrap(), *b"one two");
    }
}
