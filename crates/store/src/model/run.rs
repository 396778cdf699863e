//! A run: a stored profile with its metadata.

use std::fmt;
use std::str::FromStr;

use profile::Profile;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The identity of a run: the hash of its native file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(type = "string"))]
pub struct RunId(pub [u8; 16]);

impl RunId {
    /// The id of a native file.
    #[must_use]
    pub fn of(file: &[u8]) -> Self {
        let hash = blake3::hash(file);
        let mut id = [0; 16];
        // 128 of its 256 bits: collisions would need 2^64 runs.
        for (to, from) in id.iter_mut().zip(hash.as_bytes()) {
            *to = *from;
        }
        Self(id)
    }

    /// The id with those bytes, if there are 16.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(Self(bytes.try_into().ok()?))
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for RunId {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const NOT_AN_ID: &str = "not a run id: an id has 32 hexadecimal digits";
        if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(NOT_AN_ID);
        }
        let number = u128::from_str_radix(text, 16).map_err(|_| NOT_AN_ID)?;
        Ok(Self(number.to_be_bytes()))
    }
}

impl Serialize for RunId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RunId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// A profile to store. Its metadata is that of the profile: the tags `app`,
/// `route`, `release` and `rate`, the host, the status.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// The profile.
    pub profile: Profile,
    /// When it arrived, in microseconds since 1970: its age counts from then. It
    /// is also its start if the profile has none; its id does not depend on it.
    pub received: u64,
}

/// What became of a profile that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Stored {
    /// Its id.
    #[schema(value_type = String)]
    pub id: RunId,
    /// False if the store had it before.
    pub is_new: bool,
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RunInfo {
    /// Its id.
    #[schema(value_type = String)]
    pub id: RunId,
    /// The application.
    pub app: String,
    /// The route.
    pub route: String,
    /// The release; empty if unknown.
    pub release: String,
    /// The script or URL.
    pub title: String,
    /// The start, in microseconds since 1970.
    pub started_us: u64,
    /// The host; empty if unknown.
    pub host: String,
    /// The request's method; empty if unknown.
    pub method: String,
    /// The response's status, or `exit 1`; empty if unknown.
    pub status: String,
    /// A fatal error or an uncaught exception ended it.
    pub failed: bool,
    /// The fraction of requests that were profiled when this one was.
    pub rate: f64,
    /// What `wall` counts: `time` (nanoseconds), or another unit.
    pub unit: String,
    /// The kind of the calls: `tree`, `edges`, `samples` or `events`.
    pub body: String,
    /// Wall time in nanoseconds.
    pub wall: u64,
    /// CPU time in nanoseconds; none if not measured.
    pub cpu: Option<u64>,
    /// PHP's peak memory in bytes; none if unknown.
    pub peak: Option<u64>,
    /// The number of calls.
    pub calls: u64,
    /// The number of spans.
    pub spans: u64,
    /// The number of SQL statements among the spans.
    pub sql: u64,
    /// The size of its file in the store, in bytes.
    pub size: u64,
    /// The label that a user gave it. Labelled runs are never removed by age.
    pub label: String,
    /// Other tags.
    pub tags: Vec<(String, String)>,
}

/// A run with its file.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// What the list shows.
    pub info: RunInfo,
    /// The native file.
    pub file: Vec<u8>,
}

/// A part of the list of runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RunPage {
    /// The runs.
    pub runs: Vec<RunInfo>,
    /// The cursor of the next page; none at the end.
    pub next: Option<String>,
}
