//! Takes profiles in any format, and their metadata.

use std::ffi::OsStr;
use std::path::Path;

use profile::Profile;
use store::{NewRun, Store, Stored};

use crate::quota::Quotas;
use crate::readers::Readers;
use crate::reading::NotTaken;
use crate::saved::{RUN, SOURCE, saved_run};
use crate::time::now_us;

/// What a sender says beside the profile. It replaces what the profile says,
/// unless a field says otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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
}

/// Reads a profile of any format, gzip or zstd or plain, and stores it, whatever
/// the quotas say: those are for uploads.
///
/// # Errors
///
/// [`NotTaken`].
pub fn take(
    readers: &Readers,
    store: &dyn Store,
    bytes: &[u8],
    metadata: &Metadata,
) -> Result<Stored, NotTaken> {
    put(store, read(readers, bytes, metadata)?)
}

/// The same within the quota of the run's application.
pub(crate) fn take_within(
    quotas: &Quotas,
    readers: &Readers,
    store: &dyn Store,
    bytes: &[u8],
    metadata: &Metadata,
) -> Result<Stored, NotTaken> {
    let profile = read(readers, bytes, metadata)?;
    let app = store::app_of(&profile.meta);
    let place = quotas.place(store, &app).map_err(NotTaken::Store)?;
    let place = place.map_err(NotTaken::OverQuota)?;
    let stored = put(store, profile)?;
    if stored.is_new {
        place.stored(bytes.len() as u64);
    }
    Ok(stored)
}

fn read(readers: &Readers, bytes: &[u8], metadata: &Metadata) -> Result<Profile, NotTaken> {
    let mut profile = readers.read(bytes)?;
    apply(&mut profile, metadata);
    Ok(profile)
}

fn put(store: &dyn Store, profile: Profile) -> Result<Stored, NotTaken> {
    let received = now_us();
    let stored = store.put(NewRun { profile, received });
    stored.map_err(|error| match error {
        store::Error::Profile(reason) => NotTaken::TooLarge(reason),
        error => NotTaken::Store(error),
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
    let meta = &mut profile.meta;
    if meta.title.as_deref().is_none_or(str::is_empty) {
        meta.title.clone_from(&metadata.default_title);
    }
    meta.started_unix_us = meta.started_unix_us.or(metadata.started_us);
}
