//! A profile in the list.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use anyhow::Result;
use profile::native::{self, Limits, MAGIC, Summary};

use crate::input;

/// The columns of a profile in the list.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) path: PathBuf,
    /// The start, in microseconds since 1970; else the file's modification
    /// time.
    pub(crate) date: Option<u64>,
    /// The route, the request or the script.
    pub(crate) route: String,
    /// The response's status, or `exit 1`.
    pub(crate) status: String,
    /// The request ended in an error that the extension saw.
    pub(crate) has_failed: bool,
    /// PHP's peak memory, in bytes.
    pub(crate) peak: Option<u64>,
    pub(crate) summary: Summary,
}

impl Entry {
    /// Reads the profile, as little of it as possible.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let summary = match quick(path) {
            Some(summary) => summary,
            None => Summary::of(&input::read_without_progress(path)?),
        };
        Ok(Self::new(path, summary))
    }

    fn new(path: &Path, summary: Summary) -> Self {
        let meta = &summary.meta;
        let text = |name: &str| meta.tag(name).filter(|text| !text.is_empty());
        let written = || {
            let time = path.metadata().ok()?.modified().ok()?;
            let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
            u64::try_from(since.as_micros()).ok()
        };
        let name = path.file_name().and_then(|name| name.to_str());
        let named = name.and_then(run_id);
        let status = match (text("status"), text("exit_status")) {
            (Some(status), _) => status.to_owned(),
            (None, Some(code)) => format!("exit {code}"),
            (None, None) => String::new(),
        };
        Self {
            path: path.to_owned(),
            date: meta
                .started_unix_us
                .or_else(|| named.map(|(date, _)| date))
                .or_else(written),
            route: route(&summary)
                .or_else(|| named.map(|(_, source)| source.to_owned()))
                .unwrap_or_default(),
            status,
            has_failed: text("failed").is_some_and(|failed| failed != "0"),
            peak: meta.peak_memory,
            summary,
        }
    }

    /// Whether the status matches `wanted`: `500`, `5xx`, `exit 1`, `failed`.
    pub(super) fn has_status(&self, wanted: &str) -> bool {
        let wanted = wanted.to_ascii_lowercase();
        if wanted == "failed" {
            return self.has_failed;
        }
        if let Some(class) = wanted.strip_suffix("xx") {
            return self.status.len() == 3 && self.status.starts_with(class);
        }
        self.status == wanted || self.status.strip_prefix("exit ") == Some(&*wanted)
    }
}

/// The key that groups profiles: the route that the program set, else the
/// request or the script.
pub(crate) fn route(summary: &Summary) -> Option<String> {
    let meta = &summary.meta;
    let route = meta.tag("route").or(meta.title.as_deref());
    route.filter(|route| !route.is_empty()).map(str::to_owned)
}

/// The date and the source in a file name that the extension chose: XHProf's
/// files do not contain them. A run id's first 14 digits are the time.
fn run_id(name: &str) -> Option<(u64, &str)> {
    let (id, rest) = name.split_once('.')?;
    let (source, _) = rest.rsplit_once('.')?;
    let is_ours = id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let date = u64::from_str_radix(id.get(..14)?, 16).ok()?;
    is_ours.then_some((date, source))
}

/// The sums of a native file; none for other files and for damaged ones:
/// reading those completely gives the error.
fn quick(path: &Path) -> Option<Summary> {
    let mut file = File::open(path).ok()?;
    let mut head = [0; MAGIC.len()];
    file.read_exact(&mut head).ok()?;
    if head != MAGIC {
        return None;
    }
    file.rewind().ok()?;
    let summary = native::summary(file, &Limits::default(), &input::budget());
    summary.ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_id_has_the_date_and_the_source() {
        let name = "0610ae2c1f3b400000126789abcdef01.index.xhprof";
        assert_eq!(run_id(name), Some((0x06_10ae_2c1f_3b40, "index")));
        for name in ["5f3b1c2d4e5f6.index.xhprof", "run.xhp", "x"] {
            assert_eq!(run_id(name), None, "{name}");
        }
    }
}
