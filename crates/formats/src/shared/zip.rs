//! Zip files with a single file, for packed profiles.
//!
//! Read and written as a stream: the central directory at the end, which would
//! be needed first, contains nothing that the file's own header lacks.
//!
//! **Invariant:** the file name in the zip is never used as a path. A second
//! file is an error, because it would be skipped silently.

use std::io::{self, BufRead, Read, Write};

use flate2::Compression;
use flate2::bufread::DeflateDecoder;
use flate2::write::DeflateEncoder;
use flate2::{Crc, CrcWriter};

use crate::ReadError;

/// The first bytes of a zip file with a file in it.
pub(crate) const MAGIC: &[u8; 4] = b"PK\x03\x04";
/// The first bytes of an empty zip file.
pub(crate) const EMPTY: &[u8; 4] = b"PK\x05\x06";
const DIRECTORY: &[u8; 4] = b"PK\x01\x02";
const DESCRIPTOR: &[u8; 4] = b"PK\x07\x08";

const STORED: u16 = 0;
const DEFLATED: u16 = 8;
const IS_ENCRYPTED: u16 = 1;
/// Sizes and checksum follow the data.
const HAS_DESCRIPTOR: u16 = 1 << 3;

/// The single file in a zip file, unpacked.
pub(crate) struct Entry<R: BufRead> {
    data: Data<R>,
    crc: Crc,
    /// The checksum, if the header contains it.
    expected: Option<u32>,
}

enum Data<R: BufRead> {
    Stored(io::Take<R>),
    Deflated(DeflateDecoder<R>),
    Done,
}

impl<R: BufRead> Entry<R> {
    /// Reads up to where the data begins.
    pub(crate) fn open(mut input: R) -> io::Result<Self> {
        let mut header = [0; 30];
        fill(&mut input, &mut header)?;
        let [
            m0,
            m1,
            m2,
            m3,
            _,
            _,
            f0,
            f1,
            z0,
            z1,
            _,
            _,
            _,
            _,
            c0,
            c1,
            c2,
            c3,
            rest @ ..,
        ] = header;
        let [s0, s1, s2, s3, _, _, _, _, n0, n1, x0, x1] = rest;
        if [m0, m1, m2, m3] == *EMPTY {
            return Err(broken("it contains no file"));
        }
        let flags = u16::from_le_bytes([f0, f1]);
        if flags & IS_ENCRYPTED != 0 {
            return Err(broken("it is encrypted"));
        }
        let names =
            u64::from(u16::from_le_bytes([n0, n1])) + u64::from(u16::from_le_bytes([x0, x1]));
        if io::copy(&mut (&mut input).take(names), &mut io::sink())? < names {
            return Err(broken("it ends early"));
        }
        let has_descriptor = flags & HAS_DESCRIPTOR != 0;
        let packed = u32::from_le_bytes([s0, s1, s2, s3]);
        let data = match u16::from_le_bytes([z0, z1]) {
            DEFLATED => Data::Deflated(DeflateDecoder::new(input)),
            STORED if !has_descriptor && packed < u32::MAX => {
                Data::Stored(input.take(u64::from(packed)))
            }
            STORED => return Err(broken("its header has no file size")),
            _ => return Err(broken("its compression method is not supported")),
        };
        Ok(Self {
            data,
            crc: Crc::new(),
            expected: (!has_descriptor).then(|| u32::from_le_bytes([c0, c1, c2, c3])),
        })
    }

    /// Checks the records after the data.
    fn close(&mut self) -> io::Result<()> {
        let mut input = match std::mem::replace(&mut self.data, Data::Done) {
            Data::Stored(data) if data.limit() > 0 => return Err(broken("it ends early")),
            Data::Stored(data) => data.into_inner(),
            Data::Deflated(data) => data.into_inner(),
            Data::Done => return Ok(()),
        };
        let mut word = || {
            let mut word = [0; 4];
            fill(&mut input, &mut word).map(|()| word)
        };
        let (crc, next) = match self.expected {
            Some(crc) => (crc, word()?),
            None => {
                let first = word()?;
                let crc = if first == *DESCRIPTOR { word()? } else { first };
                // Two sizes of 4 bytes, or of 8 in large files.
                let (_, _, mut next) = (word()?, word()?, word()?);
                if !is_header(next) {
                    let _ = word()?;
                    next = word()?;
                }
                (u32::from_le_bytes(crc), next)
            }
        };
        if crc != self.crc.sum() {
            return Err(broken("its checksum is wrong"));
        }
        match &next {
            MAGIC => Err(broken("it contains more than one file")),
            DIRECTORY => Ok(()),
            _ => Err(broken("the data after its file is not part of a zip")),
        }
    }
}

impl<R: BufRead> Read for Entry<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = match &mut self.data {
            Data::Stored(data) => data.read(buffer)?,
            Data::Deflated(data) => data
                .read(buffer)
                .map_err(|_| broken("its data cannot be unpacked"))?,
            Data::Done => return Ok(0),
        };
        if count == 0 && !buffer.is_empty() {
            self.close()?;
        }
        self.crc.update(&buffer[..count]);
        Ok(count)
    }
}

fn is_header(word: [u8; 4]) -> bool {
    word == *MAGIC || word == *DIRECTORY
}

fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<()> {
    input.read_exact(buffer).map_err(|error| {
        if error.kind() == io::ErrorKind::UnexpectedEof {
            broken("it ends early")
        } else {
            error
        }
    })
}

fn broken(reason: &'static str) -> io::Error {
    io::Error::other(ReadError::Zip { reason })
}

/// Writes a zip file with one file called `name`, whose content `write` writes.
///
/// It has no date, so that the same profile gives the same bytes.
pub(crate) fn write_one(
    name: &str,
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let too_long = |_| io::Error::other("a zip file cannot hold more than 4 GiB");
    let mut out = Counted { out, count: 0 };
    let name_length = u16::try_from(name.len()).map_err(too_long)?;
    let mut about = Vec::new();
    about.extend(20_u16.to_le_bytes());
    about.extend(HAS_DESCRIPTOR.to_le_bytes());
    about.extend(DEFLATED.to_le_bytes());
    // Midnight, 1 January 1980: the earliest date.
    about.extend([0, 0, 0x21, 0]);
    out.write_all(MAGIC)?;
    out.write_all(&about)?;
    out.write_all(&[0; 12])?;
    out.write_all(&name_length.to_le_bytes())?;
    out.write_all(&[0; 2])?;
    out.write_all(name.as_bytes())?;

    let begins = out.count;
    let mut data = CrcWriter::new(DeflateEncoder::new(&mut out, Compression::fast()));
    write(&mut data)?;
    let mut sizes = data.crc().sum().to_le_bytes().to_vec();
    let whole = data.into_inner();
    let unpacked = whole.total_in();
    whole.finish()?;
    let packed = out.count - begins;
    for size in [packed, unpacked] {
        sizes.extend(u32::try_from(size).map_err(too_long)?.to_le_bytes());
    }
    out.write_all(DESCRIPTOR)?;
    out.write_all(&sizes)?;

    let directory = out.count;
    out.write_all(DIRECTORY)?;
    out.write_all(&20_u16.to_le_bytes())?;
    out.write_all(&about)?;
    out.write_all(&sizes)?;
    out.write_all(&name_length.to_le_bytes())?;
    // No extra, no comment, the first disk, no attributes, at byte 0.
    out.write_all(&[0; 16])?;
    out.write_all(name.as_bytes())?;
    let length = u32::try_from(out.count - directory).map_err(too_long)?;
    let directory = u32::try_from(directory).map_err(too_long)?;
    out.write_all(EMPTY)?;
    out.write_all(&[0, 0, 0, 0, 1, 0, 1, 0])?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&directory.to_le_bytes())?;
    out.write_all(&[0; 2])
}

struct Counted<'w> {
    out: &'w mut dyn Write,
    count: u64,
}

impl Write for Counted<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let count = self.out.write(buffer)?;
        self.count += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut zip = Vec::new();
        write_one("../../x.xml", &mut zip, |out| out.write_all(bytes)).unwrap();
        zip
    }

    fn unpack(zip: &[u8]) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let entry = Entry::open(zip);
        let outcome = entry.and_then(|mut entry| entry.read_to_end(&mut bytes));
        outcome.map(|_| bytes).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_packed_is_unpacked_and_no_cut_or_changed_data_is() {
        let bytes = b"some bytes, some more bytes".repeat(100);
        let zip = packed(&bytes);
        assert_eq!(unpack(&zip).unwrap(), bytes);
        // The record after the directory's header is not examined.
        let directory = zip
            .windows(4)
            .rposition(|window| window == DIRECTORY)
            .unwrap();
        for end in 0..directory + 4 {
            assert!(unpack(&zip[..end]).is_err(), "{end}");
        }
        for place in 41..directory {
            let mut zip = zip.clone();
            zip[place] ^= 0x10;
            // The sizes after the data are present, but not needed.
            let is_size = (directory - 8..directory).contains(&place);
            assert_eq!(unpack(&zip).is_err(), !is_size, "{place}");
        }
    }

    #[test]
    fn more_or_less_than_one_file_is_refused_with_a_reason() {
        let zip = packed(b"x");
        let directory = zip
            .windows(4)
            .rposition(|window| window == DIRECTORY)
            .unwrap();
        let two = [&zip[..directory], &zip].concat();
        assert!(unpack(&two).unwrap_err().contains("more than one file"));
        let end = zip.windows(4).rposition(|window| window == EMPTY).unwrap();
        let none = [&zip[end..], &[0; 8]].concat();
        assert!(unpack(&none).unwrap_err().contains("no file"));
        let mut encrypted = zip;
        encrypted[6] |= 1;
        assert!(unpack(&encrypted).unwrap_err().contains("encrypted"));
    }

    #[test]
    fn a_file_that_is_not_packed_is_read_too() {
        let mut crc = Crc::new();
        crc.update(b"abc");
        let zip = [
            MAGIC.as_slice(),
            &[10, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            &crc.sum().to_le_bytes(),
            &[3, 0, 0, 0, 3, 0, 0, 0, 1, 0, 2, 0],
            b"n__abc",
            DIRECTORY,
        ]
        .concat();
        assert_eq!(unpack(&zip).unwrap(), b"abc");
    }
}
