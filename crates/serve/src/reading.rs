//! Reads a profile of any format.
//!
//! **Invariant:** memory is bounded before anything is unpacked or parsed.

use std::fmt;
use std::io::{BufReader, Read};

use formats::ReadError;
use profile::{Budget, Profile};

use crate::quota::OverQuota;

/// The most memory of a profile while it is read.
pub(crate) const MEMORY: u64 = 1 << 30;

/// The largest unpacked upload.
pub(crate) const MAX_UNPACKED: u64 = 512 << 20;

const ZSTD: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// Why a profile was not taken.
#[derive(Debug)]
pub enum NotTaken {
    /// It is no profile, or a broken one.
    Invalid(String),
    /// It is too large.
    TooLarge(String),
    /// It cannot be read now.
    Unavailable(String),
    /// Its application has sent enough for today.
    OverQuota(OverQuota),
    /// The store failed.
    Store(store::Error),
}

impl fmt::Display for NotTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(reason) | Self::TooLarge(reason) | Self::Unavailable(reason) => {
                f.write_str(reason)
            }
            Self::OverQuota(over) => over.fmt(f),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NotTaken {}

/// Reads a profile in this process.
pub(crate) fn read(bytes: &[u8]) -> Result<Profile, NotTaken> {
    let budget = Budget::new(MEMORY);
    let outcome = if bytes.starts_with(&ZSTD) {
        let decoder = zstd::Decoder::with_buffer(bytes)
            .map_err(|error| NotTaken::Invalid(format!("not zstd: {error}")))?;
        formats::read_within(BufReader::new(decoder.take(MAX_UNPACKED)), &budget)
    } else {
        formats::read_within(bytes, &budget)
    };
    outcome.map_err(|error| match error {
        ReadError::Memory(error) => NotTaken::TooLarge(error.to_string()),
        error => NotTaken::Invalid(error.to_string()),
    })
}
