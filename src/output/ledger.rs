//! What the processes of a machine have written into a directory, and when:
//! the counts behind `xhprof.max_per_minute` and `xhprof.max_dir_size`.
//!
//! A line of numbers in a hidden file beside the profiles, one for each user.
//! **Invariants:** nobody waits for its lock: who does not get it goes without.
//! It is not opened through a link, and not believed if it is somebody else's.
//! The directory itself is counted now and then, by one process: a thousandth
//! of its time at most.

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
    /// How many bytes there are in the directory.
    bytes: u64,
    /// When to count them again, in seconds since 1970.
    count_again: u64,
    /// How many profiles were dropped because the directory was full.
    dropped: u64,
}

/// What the line begins with; another version has another word.
const WORD: &str = "xhprof-ledger-1";
/// A line is filled up with spaces to this length, so that one write replaces it.
const LINE: usize = 128;
/// How long a count of the directory is good, in seconds, at least.
const COUNT_IS_GOOD: u64 = 60;

/// … and at most, in seconds: a clock that was wrong once must not mean never.
const COUNT_IS_OLD: u64 = 24 * 60 * 60;

/// What this process wrote while it could not have the lock.
static UNCOUNTED: AtomicU64 = AtomicU64::new(0);

impl Ledger {
    /// Whether one more profile may begin in this minute, of `limit`.
    pub(crate) fn begin_profile(directory: &Path, limit: u64) -> Result<bool> {
        let file = open(directory)?;
        // Whoever is in there is beginning a profile: this one can do without.
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

    /// Counts a file of so many bytes that is about to be written, if there is
    /// room for it, of `limit`; false if there is none. Counts the directory if
    /// that is due.
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

    /// What was reserved has not been written; tries only.
    pub(super) fn give_back(directory: &Path, bytes: u64) {
        Self::change(directory, |ledger| {
            ledger.bytes = ledger.bytes.saturating_sub(bytes);
        });
    }

    /// How many bytes there is room for, of `limit`; counts the directory if
    /// that is due.
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

    /// How many bytes there are, as far as this process knows.
    fn known(&self) -> u64 {
        self.bytes.saturating_add(UNCOUNTED.load(Ordering::Relaxed))
    }

    /// Adds what was written; tries only.
    pub(super) fn add(directory: &Path, bytes: u64) {
        Self::change(directory, |ledger| {
            let more = bytes.saturating_add(UNCOUNTED.swap(0, Ordering::Relaxed));
            ledger.bytes = ledger.bytes.saturating_add(more);
        })
        .unwrap_or_else(|| {
            UNCOUNTED.fetch_add(bytes, Ordering::Relaxed);
        });
    }

    /// Counts a profile that is dropped because there is no room, and says so.
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

    /// What the file says; nothing if it is new, or says something else.
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

/// The files in the directory, not in those below it.
fn size_of(directory: &Path) -> Result<u64> {
    let entries = fs::read_dir(directory);
    let entries = entries.with_context(|| format!("cannot list {}", directory.display()))?;
    let mut bytes = 0;
    for entry in entries.flatten() {
        // Files that go away meanwhile need no room.
        if let Ok(about) = entry.metadata()
            && about.is_file()
        {
            bytes += about.len();
        }
    }
    Ok(bytes)
}
