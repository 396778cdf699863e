//! Metadata: the origin of a profile, and how it was recorded.
//!
//! Strings here are text, not bytes: they are displayed and searched. The costs
//! never depend on them.

/// How the calls were recorded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// Unknown: the format does not contain it.
    #[default]
    Unknown,
    /// Every call was measured.
    Traced,
    /// The stack was sampled at intervals.
    Sampled,
}

/// The origin of a profile; unknown values are none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Meta {
    /// The profiled script or URL.
    pub title: Option<String>,
    /// The start, in microseconds since the Unix epoch.
    pub started_unix_us: Option<u64>,
    /// The host name.
    pub host: Option<String>,
    /// The process ID.
    pub process: Option<u32>,
    /// PHP's SAPI: `cli`, `fpm-fcgi` ….
    pub sapi: Option<String>,
    /// PHP's version.
    pub php_version: Option<String>,
    /// The program that wrote it, with its version.
    pub creator: Option<String>,
    /// How the calls were recorded.
    pub mode: Mode,
    /// The nominal time between two samples, in nanoseconds.
    pub interval_ns: Option<u64>,
    /// The unit of `Cost::wall` if it is not time: `Ir`, for instance. None for
    /// samples.
    pub counts: Option<String>,
    /// The costs in the file that were not read, by their names. They describe
    /// one reading only: no format stores them.
    pub not_read: Vec<String>,
    /// PHP's peak memory in bytes, from `memory_get_peak_usage()` at the end.
    pub peak_memory: Option<u64>,
    /// The recording reached a limit.
    pub is_truncated: bool,
    /// The stacks are estimated from a table of edges.
    pub is_estimated: bool,
    /// Other properties, by name: the request's method and status, tags that
    /// the program set. Names are unique and in the order of writing.
    pub tags: Vec<(String, String)>,
}

impl Meta {
    /// The value of the tag `name`, if there is one.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        let tag = self.tags.iter().find(|(key, _)| key == name)?;
        Some(&tag.1)
    }

    /// Sets the tag `name`; replaces an earlier value.
    pub fn set_tag(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        match self.tags.iter_mut().find(|(key, _)| key == name) {
            Some(tag) => tag.1 = value,
            None => self.tags.push((name.to_owned(), value)),
        }
    }
}
