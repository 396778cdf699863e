//! Folders into which the extension writes profiles.
//!
//! The kernel says when something changed; what changed is found by looking
//! into the folder, so nothing is missed that came while the program was away.
//! `xhprof serve --watch` and `xhprof agent` use it.
//!
//! Its main types: a [`Listing`] of whole files, [`SkippedFiles`], those that stay, and
//! [`Changes`], which waits for the kernel's notices.
//!
//! ```
//! use spool::{SkippedFiles, list};
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("a.xhp"), "a file that was just written")?;
//! let listing = list(folder.path(), &mut SkippedFiles::default(), 10);
//! assert!(listing.is_waiting && listing.files.is_empty());
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! **Invariant:** a file is not opened through a symbolic link, and one that is
//! still being written is not listed.

#![forbid(unsafe_code)]

mod changes;
mod file;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, ErrorKind::PermissionDenied};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

pub use changes::{Changes, Waker};
pub use file::open;

/// A file is whole if it did not change for so long: not all programs write a
/// file under another name first.
pub const SETTLE_TIME: Duration = Duration::from_millis(300);

/// What a file was when it was seen: another file of its name differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Version {
    /// The device.
    pub device: u64,
    /// The number of the file on it.
    pub inode: u64,
    /// The size in bytes.
    pub bytes: u64,
    /// The last change, in nanoseconds since 1970.
    pub changed_ns: i64,
}

impl Version {
    /// The version of a regular file; none if it is something else, or gone.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        let file = path.symlink_metadata().ok()?;
        file.is_file().then(|| Self::from(&file))
    }
}

impl From<&fs::Metadata> for Version {
    fn from(file: &fs::Metadata) -> Self {
        Self {
            device: file.dev(),
            inode: file.ino(),
            bytes: file.len(),
            changed_ns: file
                .mtime()
                .saturating_mul(1_000_000_000)
                .saturating_add(file.mtime_nsec()),
        }
    }
}

/// A whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where it is.
    pub path: PathBuf,
    /// What it was when it was seen.
    pub version: Version,
    /// How long it has not changed.
    pub age: Duration,
}

/// What is in a folder.
#[derive(Debug, Default)]
pub struct Listing {
    /// Whole files, in no order.
    pub files: Vec<Found>,
    /// Whether a file is still being written.
    pub is_waiting: bool,
    /// Whether there are more files than were asked for.
    pub is_cut: bool,
}

/// Files that stay where they are, and are not listed again until they change, or
/// their owner or permissions do; and folders that cannot be read.
#[derive(Debug, Default)]
pub struct SkippedFiles {
    files: HashMap<PathBuf, (Version, Option<Status>)>,
    folders: HashSet<PathBuf>,
}

/// The mode, the user and the group of a file: who may read it.
type Status = (u32, u32, u32);

fn status(file: &fs::Metadata) -> Status {
    (file.mode(), file.uid(), file.gid())
}

impl SkippedFiles {
    /// Notes that a file stays.
    pub fn add(&mut self, path: PathBuf, version: Version) {
        let status = path.symlink_metadata().ok().as_ref().map(status);
        self.files.insert(path, (version, status));
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.files.len()
    }

    fn has(&self, path: &Path, file: &fs::Metadata) -> bool {
        self.files.get(path) == Some(&(Version::from(file), Some(status(file))))
    }

    /// Logs that a folder cannot be read, once.
    fn unreadable(&mut self, folder: &Path, error: &io::Error) {
        if self.folders.insert(folder.to_owned()) {
            tracing::warn!(
                folder = %folder.display(), %error,
                "cannot read the folder; it is tried again every few seconds"
            );
        }
    }

    /// Logs that a folder can be read again.
    fn readable(&mut self, folder: &Path) {
        if self.folders.remove(folder) {
            tracing::info!(folder = %folder.display(), "the folder can be read again");
        }
    }

    /// Forgets the files of a folder that are no longer there.
    fn forget_removed(&mut self, folder: &Path) {
        self.files
            .retain(|path, _| path.parent() != Some(folder) || path.symlink_metadata().is_ok());
    }
}

/// Lists at most `most` whole files of a folder. Folders in it, hidden files and
/// those called `.partial` or `.tmp` are left out.
///
/// A folder that cannot be read is empty: it may come back. That is logged once.
#[must_use]
pub fn list(folder: &Path, left: &mut SkippedFiles, most: usize) -> Listing {
    let mut listing = Listing::default();
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            left.unreadable(folder, &error);
            return listing;
        }
    };
    let mut refused = None;
    let now = SystemTime::now();
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with('.') || name.ends_with(".partial") || name.ends_with(".tmp") {
            continue;
        }
        let path = entry.path();
        let file = match path.symlink_metadata() {
            Ok(file) => file,
            // Gone since, or in a folder that may be listed and not entered.
            Err(error) => {
                refused = Some(error).filter(|error| error.kind() == PermissionDenied);
                continue;
            }
        };
        let version = Version::from(&file);
        if !file.is_file() || left.has(&path, &file) {
            continue;
        }
        // A time in the future says nothing: the file is whole.
        let age = file.modified().ok();
        let age = age.and_then(|time| now.duration_since(time).ok());
        if age.is_some_and(|age| age < SETTLE_TIME) {
            listing.is_waiting = true;
            continue;
        }
        if listing.files.len() >= most {
            listing.is_cut = true;
            return listing;
        }
        listing.files.push(Found {
            path,
            version,
            age: age.unwrap_or(Duration::MAX),
        });
    }
    match refused {
        Some(error) => left.unreadable(folder, &error),
        None => left.readable(folder),
    }
    left.forget_removed(folder);
    listing
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{File, FileTimes};

    /// A file that has not changed for an hour.
    fn old(folder: &Path, name: &str) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, name).unwrap();
        let time = SystemTime::now() - Duration::from_secs(3600);
        let file = File::options().write(true).open(&path).unwrap();
        file.set_times(FileTimes::new().set_modified(time)).unwrap();
        path
    }

    fn names(listing: &Listing) -> Vec<String> {
        let names = listing.files.iter().map(|found| {
            let name = found.path.file_name().unwrap();
            name.to_string_lossy().into_owned()
        });
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn only_whole_regular_files_are_listed() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let first = old(folder, "a.xhp");
        old(folder, ".hidden");
        old(folder, "b.xhp.partial");
        old(folder, "c.tmp");
        fs::create_dir(folder.join("folder")).unwrap();
        std::os::unix::fs::symlink(&first, folder.join("link.xhp")).unwrap();
        let mut left = SkippedFiles::default();
        let listing = list(folder, &mut left, 10);
        assert_eq!(names(&listing), ["a.xhp"]);
        assert!(!listing.is_waiting && !listing.is_cut);
        fs::write(folder.join("new.xhp"), "x").unwrap();
        let listing = list(folder, &mut left, 10);
        assert_eq!(names(&listing), ["a.xhp"]);
        assert!(listing.is_waiting);
    }

    #[test]
    fn a_file_that_was_left_is_listed_again_when_it_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = old(folder.path(), "a.xhp");
        let mut left = SkippedFiles::default();
        left.add(path.clone(), Version::of(&path).unwrap());
        assert_eq!(names(&list(folder.path(), &mut left, 10)), [""; 0]);
        fs::remove_file(&path).unwrap();
        fs::write(folder.path().join("b.xhp"), "other").unwrap();
        fs::rename(folder.path().join("b.xhp"), &path).unwrap();
        assert!(list(folder.path(), &mut left, 10).is_waiting);
        fs::remove_file(&path).unwrap();
        assert!(!list(folder.path(), &mut left, 10).is_waiting);
        assert_eq!(left.count(), 0);
    }

    #[test]
    fn a_file_that_was_left_is_listed_again_when_its_permissions_changed() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = old(folder.path(), "a.xhp");
        let mut left = SkippedFiles::default();
        left.add(path.clone(), Version::of(&path).unwrap());
        assert_eq!(names(&list(folder.path(), &mut left, 10)), [""; 0]);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o604)).unwrap();
        assert_eq!(names(&list(folder.path(), &mut left, 10)), ["a.xhp"]);
    }

    #[test]
    fn no_more_are_listed_than_were_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            old(folder.path(), name);
        }
        let listing = list(folder.path(), &mut SkippedFiles::default(), 2);
        assert!(listing.is_cut);
        assert_eq!(listing.files.len(), 2);
    }

    #[test]
    fn a_folder_that_comes_back_is_listed_again() {
        let folder = tempfile::tempdir().unwrap();
        let spool = folder.path().join("spool");
        let mut left = SkippedFiles::default();
        let missing = list(&spool, &mut left, 2);
        assert!(missing.files.is_empty() && !missing.is_cut);
        assert!(left.folders.contains(&spool));
        fs::create_dir(&spool).unwrap();
        old(&spool, "a");
        assert_eq!(names(&list(&spool, &mut left, 2)), ["a"]);
        assert!(left.folders.is_empty());
    }
}
