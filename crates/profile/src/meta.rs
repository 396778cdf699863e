//! Where a profile comes from, and under which conditions it was taken.
//!
//! Text here is text, not bytes: it is shown to people and searched. Nothing
//! of it is ever needed to understand the costs.

/// How the calls were seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// Not known: read from a format that does not say.
    #[default]
    Unknown,
    /// Every call was measured.
    Traced,
    /// The stack was looked at now and then.
    Sampled,
}

/// Where a profile comes from, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Meta {
    /// What was profiled: a script or a URL.
    pub title: Option<String>,
    /// When it began, in microseconds since the Unix epoch.
    pub started_unix_us: Option<u64>,
    /// The machine it ran on.
    pub host: Option<String>,
    /// The process.
    pub process: Option<u32>,
    /// PHP's way in: `cli`, `fpm-fcgi` ….
    pub sapi: Option<String>,
    /// Version of PHP.
    pub php_version: Option<String>,
    /// What wrote it, with its version.
    pub creator: Option<String>,
    /// How the calls were seen.
    pub mode: Mode,
    /// The nominal time between two samples, in nanoseconds.
    pub interval_ns: Option<u64>,
    /// What `Cost::wall` counts where that is no time: `Ir`, for instance. None
    /// for samples.
    pub counts: Option<String>,
    /// The costs that the file has and that were not read: their names there.
    /// Of this reading only: no format keeps it.
    pub not_read: Vec<String>,
    /// The most memory that PHP had at once, in bytes: what
    /// `memory_get_peak_usage()` says at the end.
    pub peak_memory: Option<u64>,
    /// A limit cut something off.
    pub is_truncated: bool,
    /// The stacks are a guess, made of a table of edges.
    pub is_estimated: bool,
    /// Anything else, by name: the request's method and status, what the
    /// program said by itself. Names are unique and in the order of writing.
    pub tags: Vec<(String, String)>,
}

impl Meta {
    /// What the tag `name` says, if it is there.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        let tag = self.tags.iter().find(|(key, _)| key == name)?;
        Some(&tag.1)
    }

    /// Sets the tag `name`, in place of an earlier one.
    pub fn set_tag(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        match self.tags.iter_mut().find(|(key, _)| key == name) {
            Some(tag) => tag.1 = value,
            None => self.tags.push((name.to_owned(), value)),
        }
    }
}
