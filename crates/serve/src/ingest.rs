//! Stores profiles: those of files, and uploads within the quotas.

use std::io::Read;

use store::{NewRun, Store, Stored};

use crate::metadata::Metadata;
use crate::quota::Quotas;
use crate::readers::Readers;
use crate::reading::NotTaken;
use crate::retention::now_us;
use crate::uploaded::Uploaded;

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
    metadata.apply(&mut profile);
    let received = now_us();
    let stored = store.put(NewRun { profile, received });
    stored.map_err(refused)
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
