//! The counts of all processes that write into one directory, for
//! `xhprof.max_per_minute` and `xhprof.max_dir_size`.
//!
//! A line of numbers in a hidden file beside the profiles, one file per user.
//! **Invariants:** lock attempts never block; on failure the update is skipped.
//! The file is not opened through a symbolic link, and another user's file is
//! refused. The directory is measured at most once a minute, by one process, and
//! that takes at most a thousandth of the time.

use std::fs::{self, File};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::clock;
use crate::zend;

/// The numbers, in the order of the file.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// The minute, since 1970, in which `begun` profiles were begun.
    minute: u64,
    begun: u64,
    /// The size of the directory's files, in bytes.
    bytes: u64,
    /// When to measure them again, in seconds since 1970.
    count_again: u64,
    /// How many profiles were dropped because the directory was full.
    dropped: u64,
}

/// The line's first word, which identifies the version.
const WORD: &str = "xhprof-ledger-1";
/// The line is padded with spaces to this length, so that one write replaces it.
const LINE: usize = 128;
/// The least time between two measurements of the directory, in seconds.
const COUNT_IS_GOOD: u64 = 60;

/// The longest time, in seconds: a wrong clock must not stop the measurements.
const COUNT_IS_OLD: u64 = 24 * 60 * 60;

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
        let mut ledger = Self::read(&file);
        let minute = clock::unix_time_us() / 60_000_000;
        if ledger.minute != minute {
            ledger.minute = minute;
            ledger.begun = 0;
        }
        let is_allowed = ledger.begun < limit;
        if is_allowed {
            ledger.begun += 1;
            ledger.write(&file)?;
        }
        Ok(is_allowed)
    }

    /// Adds a file of `bytes` that is about to be written; false if the directory
    /// would exceed `limit`. Measures the directory if that is due.
    pub(super) fn reserve(directory: &Path, limit: u64, bytes: u64) -> Result<bool> {
        let file = open(directory)?;
        let has_lock = zend::try_lock(&file);
        let mut ledger = Self::read(&file);
        if has_lock {
            ledger.count_if_due(directory, &file)?;
        }
        if ledger.known().saturating_add(bytes) > limit {
            return Ok(false);
        }
        if has_lock {
            let more = bytes.saturating_add(UNCOUNTED.swap(0, Ordering::Relaxed));
            ledger.bytes = ledger.bytes.saturating_add(more);
            ledger.write(&file)?;
        } else {
            UNCOUNTED.fetch_add(bytes, Ordering::Relaxed);
        }
        Ok(true)
    }

    /// Subtracts reserved bytes that were not written. Best effort.
    pub(super) fn give_back(directory: &Path, bytes: u64) {
        Self::change(directory, |ledger| {
            ledger.bytes = ledger.bytes.saturating_sub(bytes);
        });
    }

    /// The bytes left until `limit`. Measures the directory if that is due.
    pub(super) fn free_bytes(directory: &Path, limit: u64) -> Result<u64> {
        let file = open(directory)?;
        let has_lock = zend::try_lock(&file);
        let mut ledger = Self::read(&file);
        if has_lock {
            ledger.count_if_due(directory, &file)?;
        }
        Ok(limit.saturating_sub(ledger.known()))
    }

    fn count_if_due(&mut self, directory: &Path, file: &File) -> Result<()> {
        let now = clock::unix_time_us() / 1_000_000;
        if now < self.count_again && self.count_again <= now + COUNT_IS_OLD {
            return Ok(());
        }
        let began = Instant::now();
        self.bytes = size_of(directory)?;
        let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.count_again = now + took_ms.clamp(COUNT_IS_GOOD, COUNT_IS_OLD);
        UNCOUNTED.store(0, Ordering::Relaxed);
        self.write(file)
    }

    /// The directory's size, as far as this process knows.
    fn known(&self) -> u64 {
        self.bytes.saturating_add(UNCOUNTED.load(Ordering::Relaxed))
    }

    /// Adds written bytes. Best effort.
    pub(super) fn add(directory: &Path, bytes: u64) {
        Self::change(directory, |ledger| {
            let more = bytes.saturating_add(UNCOUNTED.swap(0, Ordering::Relaxed));
            ledger.bytes = ledger.bytes.saturating_add(more);
        })
        .unwrap_or_else(|| {
            UNCOUNTED.fetch_add(bytes, Ordering::Relaxed);
        });
    }

    /// Counts a dropped profile, and returns the message about it.
    pub(super) fn drop_profile(directory: &Path) -> String {
        let dropped = Self::change(directory, |ledger| {
            ledger.dropped += 1;
            ledger.dropped
        });
        let dropped = dropped.map_or_else(String::new, |count| format!("; {count} so far"));
        format!(
            "a profile was dropped: {} has reached xhprof.max_dir_size{dropped}",
            directory.display()
        )
    }

    fn change<T>(directory: &Path, change: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let file = open(directory).ok().filter(zend::try_lock)?;
        let mut ledger = Self::read(&file);
        let outcome = change(&mut ledger);
        ledger.write(&file).ok()?;
        Some(outcome)
    }

    /// Reads the file; zeros if it is new or of another version.
    fn read(file: &File) -> Self {
        let mut line = [0_u8; LINE];
        let length = file.read_at(&mut line, 0).unwrap_or(0);
        let text = str::from_utf8(line.get(..length).unwrap_or_default()).unwrap_or_default();
        let mut words = text.split_ascii_whitespace();
        if words.next() != Some(WORD) {
            return Self::default();
        }
        let mut number = || words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
        Self {
            minute: number(),
            begun: number(),
            bytes: number(),
            count_again: number(),
            dropped: number(),
        }
    }

    fn write(&self, file: &File) -> Result<()> {
        let Self {
            minute,
            begun,
            bytes,
            count_again,
            dropped,
        } = self;
        let line = format!("{WORD} {minute} {begun} {bytes} {count_again} {dropped}");
        let line = format!("{line:<0$}\n", LINE - 1);
        file.write_all_at(line.as_bytes(), 0)
            .context("cannot write the counts of profiles")
    }
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
