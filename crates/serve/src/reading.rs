//! Reads a profile of any format.
//!
//! **Invariant:** memory is bounded before anything is unpacked or parsed.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

use formats::ReadError;
use profile::{Budget, Profile};

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

/// An application has sent as much as its quota says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverQuota {
    /// The application.
    pub app: String,
    /// How many runs it may send a day, if there is such a quota.
    pub runs: Option<u64>,
    /// How many bytes its runs of a day may have.
    pub bytes: Option<u64>,
    /// How long the day still lasts, in seconds.
    pub seconds: u64,
}

impl fmt::Display for OverQuota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let app = &self.app;
        write!(
            f,
            "the quota of the application {app} is used up until 00:00 UTC:"
        )?;
        match (self.runs, self.bytes) {
            (Some(runs), Some(bytes)) => write!(f, " {runs} runs and {bytes} bytes a day"),
            (Some(runs), None) => write!(f, " {runs} runs a day"),
            (None, bytes) => write!(f, " {} bytes a day", bytes.unwrap_or(0)),
        }
    }
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

/// Reads a profile in this process, within a budget of memory.
pub(crate) fn read(input: &mut dyn BufRead, budget: &Budget) -> Result<Profile, NotTaken> {
    let mut head = Vec::new();
    let begin = input.take(ZSTD.len() as u64).read_to_end(&mut head);
    begin.map_err(|error| NotTaken::Invalid(error.to_string()))?;
    let is_zstd = head == ZSTD;
    let mut input = io::Cursor::new(head).chain(input);
    let outcome = if is_zstd {
        let decoder = zstd::Decoder::with_buffer(input)
            .map_err(|error| NotTaken::Invalid(format!("not zstd: {error}")))?;
        let mut decoder = BufReader::new(decoder.take(MAX_UNPACKED));
        formats::read_within(&mut decoder as &mut dyn BufRead, budget)
    } else {
        formats::read_within(&mut input as &mut dyn BufRead, budget)
    };
    outcome.map_err(|error| match error {
        ReadError::Memory(error) => NotTaken::TooLarge(error.to_string()),
        error => NotTaken::Invalid(error.to_string()),
    })
}
