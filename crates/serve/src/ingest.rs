//! Takes profiles in any format, and their metadata.
//!
//! **Invariant:** memory is bounded before anything is unpacked or parsed.

use std::fmt;
use std::io::{BufReader, Read};
use std::time::{SystemTime, UNIX_EPOCH};

use formats::ReadError;
use profile::{Budget, Profile};
use store::{NewRun, Store, Stored};

/// The most memory of a profile while it is read.
const MEMORY: u64 = 1 << 30;

/// The largest unpacked upload.
pub(crate) const MAX_UNPACKED: u64 = 512 << 20;

const ZSTD: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// What a sender says beside the profile. It replaces what the profile says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metadata {
    /// Tags: `app`, `route`, `release`, `rate` and any others.
    pub tags: Vec<(String, String)>,
    /// The host.
    pub host: Option<String>,
    /// The script or URL.
    pub title: Option<String>,
}

/// Why a profile was not taken.
#[derive(Debug)]
pub enum NotTaken {
    /// It is no profile, or a broken one.
    Invalid(String),
    /// It is too large.
    TooLarge(String),
    /// The store failed.
    Store(store::Error),
}

impl fmt::Display for NotTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(reason) | Self::TooLarge(reason) => f.write_str(reason),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NotTaken {}

/// Reads a profile of any format, gzip or zstd or plain, and stores it.
///
/// # Errors
///
/// [`NotTaken`].
pub fn take(store: &dyn Store, bytes: &[u8], metadata: &Metadata) -> Result<Stored, NotTaken> {
    let mut profile = read(bytes)?;
    apply(&mut profile, metadata);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let received = now.map_or(0, |since| u64::try_from(since.as_micros()).unwrap_or(0));
    let stored = store.put(NewRun { profile, received });
    stored.map_err(|error| match error {
        store::Error::Profile(reason) => NotTaken::TooLarge(reason),
        error => NotTaken::Store(error),
    })
}

fn read(bytes: &[u8]) -> Result<Profile, NotTaken> {
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

fn apply(profile: &mut Profile, metadata: &Metadata) {
    for (name, value) in &metadata.tags {
        profile.meta.set_tag(name, value.clone());
    }
    if let Some(host) = &metadata.host {
        profile.meta.host = Some(host.clone());
    }
    if let Some(title) = &metadata.title {
        profile.meta.title = Some(title.clone());
    }
}
