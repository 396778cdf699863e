//! The file with the [`Counts`] of all processes that write into one directory.
//!
//! A hidden file beside the profiles, one for each user. **Invariants:** lock
//! attempts never block; on failure the update is skipped. The file is not opened
//! through a symbolic link, and another user's file is refused. The directory is
//! measured at most once a minute, by one process.

use std::fs::{self, File};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use policy::output::ledger::{Counts, LINE};

use crate::clock;
use crate::zend;

/// The counts of a directory.
#[derive(Debug)]
pub(crate) struct Ledger;

/// The bytes that this process wrote without getting the lock.
static UNCOUNTED: AtomicU64 = AtomicU64::new(0);

impl Ledger {
    /// Whether one more profile may begin in this minute, with at most `limit`.
    pub(crate) fn begin_profile(directory: &Path, limit: u64) -> Result<bool> {
        let file = open(directory)?;
        // Another process holds the lock to begin a profile: skip this one.
        if !zend::try_lock(&file) {
            return Ok(false);
        }
        let mut counts = read(&file);
        let is_allowed = counts.begin_profile(now_s(), limit);
        if is_allowed {
            write(&counts, &file)?;
        }
        Ok(is_allowed)
    }

    /// Adds a file of `bytes` that is about to be written; false if the directory
    /// would exceed `limit`. Measures the directory if that is due.
    pub(super) fn reserve(directory: &Path, limit: u64, bytes: u64) -> Result<bool> {
        let file = open(directory)?;
        let has_lock = zend::try_lock(&file);
        let mut counts = read(&file);
        if has_lock {
            measure_if_due(&mut counts, directory, &file)?;
        }
        if known(&counts).saturating_add(bytes) > limit {
            return Ok(false);
        }
        if has_lock {
            counts.add(bytes.saturating_add(UNCOUNTED.swap(0, Ordering::Relaxed)));
            write(&counts, &file)?;
        } else {
            UNCOUNTED.fetch_add(bytes, Ordering::Relaxed);
        }
        Ok(true)
    }

    /// Subtracts reserved bytes that were not written. Best effort.
    pub(super) fn give_back(directory: &Path, bytes: u64) {
        change(directory, |counts| counts.subtract(bytes));
    }

    /// The bytes left until `limit`. Measures the directory if that is due.
    pub(super) fn free_bytes(directory: &Path, limit: u64) -> Result<u64> {
        let file = open(directory)?;
        let has_lock = zend::try_lock(&file);
        let mut counts = read(&file);
        if has_lock {
            measure_if_due(&mut counts, directory, &file)?;
        }
        Ok(limit.saturating_sub(known(&counts)))
    }

    /// Adds written bytes. Best effort.
    pub(super) fn add(directory: &Path, bytes: u64) {
        let added = change(directory, |counts| {
            counts.add(bytes.saturating_add(UNCOUNTED.swap(0, Ordering::Relaxed)));
        });
        added.unwrap_or_else(|| {
            UNCOUNTED.fetch_add(bytes, Ordering::Relaxed);
        });
    }

    /// Counts a dropped profile, and returns the message about it.
    pub(super) fn drop_profile(directory: &Path) -> String {
        let dropped = change(directory, Counts::drop_profile);
        let dropped = dropped.map_or_else(String::new, |count| format!("; {count} so far"));
        format!(
            "a profile was dropped: {} has reached xhprof.max_dir_size{dropped}",
            directory.display()
        )
    }
}

/// The directory's size, as far as this process knows.
fn known(counts: &Counts) -> u64 {
    let uncounted = UNCOUNTED.load(Ordering::Relaxed);
    counts.bytes().saturating_add(uncounted)
}

fn measure_if_due(counts: &mut Counts, directory: &Path, file: &File) -> Result<()> {
    let now = now_s();
    if !counts.is_measurement_due(now) {
        return Ok(());
    }
    let began = Instant::now();
    let bytes = size_of(directory)?;
    let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    counts.measured(bytes, now, took_ms);
    UNCOUNTED.store(0, Ordering::Relaxed);
    write(counts, file)
}

fn now_s() -> u64 {
    clock::unix_time_us() / 1_000_000
}

fn change<T>(directory: &Path, change: impl FnOnce(&mut Counts) -> T) -> Option<T> {
    let file = open(directory).ok().filter(zend::try_lock)?;
    let mut counts = read(&file);
    let outcome = change(&mut counts);
    write(&counts, &file).ok()?;
    Some(outcome)
}

fn read(file: &File) -> Counts {
    let mut line = [0_u8; LINE];
    let length = file.read_at(&mut line, 0).unwrap_or(0);
    Counts::parse(line.get(..length).unwrap_or_default())
}

fn write(counts: &Counts, file: &File) -> Result<()> {
    file.write_all_at(counts.line().as_bytes(), 0)
        .context("cannot write the counts of profiles")
}

fn open(directory: &Path) -> Result<File> {
    let path = directory.join(format!(".xhprof-{}.ledger", zend::user()));
    let problem = || format!("cannot open {}", path.display());
    let file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(&path)
        .with_context(problem)?;
    let about = file.metadata().with_context(problem)?;
    if !about.is_file() || about.uid() != zend::user() || about.nlink() != 1 {
        bail!("{} is not a file of ours", path.display());
    }
    Ok(file)
}

/// The size of the files in the directory, without subdirectories.
fn size_of(directory: &Path) -> Result<u64> {
    let entries = fs::read_dir(directory);
    let entries = entries.with_context(|| format!("cannot list {}", directory.display()))?;
    let mut bytes = 0;
    for entry in entries.flatten() {
        // A file that was removed since the listing counts nothing.
        if let Ok(about) = entry.metadata()
            && about.is_file()
        {
            bytes += about.len();
        }
    }
    Ok(bytes)
}
