//! Takes profiles in any format, and their metadata.

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;

use profile::Profile;
use serde::{Deserialize, Serialize};
use store::{NewRun, Store, Stored};

use crate::admission::memory::Lease;
use crate::quota::Quotas;
use crate::readers::Readers;
use crate::reading::NotTaken;
use crate::retention::now_us;
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
    take_opened(
        readers,
        store,
        (&mut &bytes[..], bytes.len() as u64),
        metadata,
    )
}

/// The same with a file of so many bytes, which need not be in memory.
pub(crate) fn take_opened(
    readers: &Readers,
    store: &dyn Store,
    (file, length): (&mut dyn Read, u64),
    metadata: &Metadata,
) -> Result<Stored, NotTaken> {
    let mut profile = readers.read(file, length)?;
    apply(&mut profile, metadata);
    let received = now_us();
    let stored = store.put(NewRun { profile, received });
    stored.map_err(refused)
}

/// A profile that was uploaded.
#[derive(Debug)]
pub(crate) struct Uploaded {
    pub(crate) profile: Profile,
    /// What its sender says beside it.
    pub(crate) metadata: Metadata,
    /// The size of the upload.
    pub(crate) bytes: u64,
    /// The memory that it takes.
    pub(crate) lease: Lease,
}

impl Uploaded {
    /// Gives the profile its metadata: that of the upload, and then that of all of its body.
    pub(crate) fn with(mut self, metadata: &Metadata) -> Self {
        apply(&mut self.profile, &self.metadata);
        apply(&mut self.profile, metadata);
        self
    }
}

/// Stores uploads within the quotas of their applications. Returns the outcome of each,
/// in their order.
pub(crate) fn store_within(
    quotas: &Quotas,
    store: &dyn Store,
    uploads: Vec<Uploaded>,
) -> Vec<Result<Stored, NotTaken>> {
    let mut outcomes: Vec<Option<Result<Stored, NotTaken>>> = Vec::new();
    outcomes.resize_with(uploads.len(), || None);
    let mut waiting: Vec<(usize, Uploaded)> = uploads.into_iter().enumerate().collect();
    while !waiting.is_empty() {
        let (mut runs, mut places, mut over) = (Vec::new(), Vec::new(), Vec::new());
        let mut leases = Vec::new();
        for (number, upload) in waiting {
            let app = store::app_of(&upload.profile.meta);
            let outcome = match quotas.place(store, &app) {
                Ok(Ok(place)) => {
                    places.push((number, place, upload.bytes));
                    leases.push(upload.lease);
                    runs.push(NewRun {
                        profile: upload.profile,
                        received: now_us(),
                    });
                    continue;
                }
                Ok(Err(reason)) => {
                    over.push((number, upload));
                    NotTaken::OverQuota(reason)
                }
                Err(error) => NotTaken::Store(error),
            };
            if let Some(place) = outcomes.get_mut(number) {
                *place = Some(Err(outcome));
            }
        }
        if runs.is_empty() {
            break;
        }
        for ((number, place, bytes), stored) in places.into_iter().zip(store.put_all(runs)) {
            if stored.as_ref().is_ok_and(|stored| stored.is_new) {
                place.stored(bytes);
            }
            if let Some(outcome) = outcomes.get_mut(number) {
                *outcome = Some(stored.map_err(refused));
            }
        }
        drop(leases);
        // Runs that the store had need no place, and leave theirs to others.
        waiting = over;
    }
    let closed = || Err(NotTaken::Store(store::Error::Closed));
    let outcomes = outcomes.into_iter();
    outcomes
        .map(|outcome| outcome.unwrap_or_else(closed))
        .collect()
}

fn refused(error: store::Error) -> NotTaken {
    match error {
        store::Error::Profile(reason) => NotTaken::TooLarge(reason),
        error => NotTaken::Store(error),
    }
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
