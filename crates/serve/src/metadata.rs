//! What a sender says beside a profile.

use std::ffi::OsStr;
use std::path::Path;

use profile::Profile;
use serde::{Deserialize, Serialize};

use crate::saved::{RUN, SOURCE, saved_run};

/// What a sender says beside the profile. It replaces what the profile says,
/// unless a field says otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metadata {
    /// Tags: `app`, `route`, `release`, `rate` and any others.
    pub tags: Vec<(String, String)>,
    /// The host.
    pub host: Option<String>,
    /// The script or URL.
    pub title: Option<String>,
    /// The script or URL of a profile that has none.
    pub default_title: Option<String>,
    /// The start of a profile that has none, in microseconds since 1970.
    pub started_us: Option<u64>,
}

impl Metadata {
    /// The same, with what the name of the file says: XHProf's saved runs are
    /// called `ID.NAME.xhprof`.
    #[must_use]
    pub fn of_file(&self, path: &Path) -> Self {
        let name = path.file_name().and_then(OsStr::to_str);
        let Some(saved) = name.and_then(saved_run) else {
            return self.clone();
        };
        let tag = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let mut tags = vec![tag(RUN, saved.run), tag(SOURCE, saved.source)];
        tags.extend(self.tags.iter().cloned());
        Self {
            tags,
            started_us: self.started_us.or(saved.saved_us),
            default_title: Some(saved.source.to_owned()),
            ..self.clone()
        }
    }

    /// Gives them to a profile.
    pub(crate) fn apply(&self, profile: &mut Profile) {
        for (name, value) in &self.tags {
            profile.meta.set_tag(name, value.clone());
        }
        if let Some(host) = &self.host {
            profile.meta.host = Some(host.clone());
        }
        if let Some(title) = &self.title {
            profile.meta.title = Some(title.clone());
        }
        let meta = &mut profile.meta;
        if meta.title.as_deref().is_none_or(str::is_empty) {
            meta.title.clone_from(&self.default_title);
        }
        meta.started_unix_us = meta.started_unix_us.or(self.started_us);
    }
}
