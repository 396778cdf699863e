//! The store's folder: its files, their permissions, and who may write.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, OFlags, flock};

use crate::{Error, Result};

/// The database.
const DATABASE: &str = "store.sqlite";

/// The path of the database.
pub(super) fn database(folder: &Path) -> PathBuf {
    folder.join(DATABASE)
}

/// The folder without symbolic links, if it has a store.
pub(super) fn existing(folder: &Path) -> Result<PathBuf> {
    let missing = || Error::Missing {
        folder: folder.to_owned(),
    };
    let folder = folder.canonicalize().map_err(|_| missing())?;
    if database(&folder).is_file() {
        Ok(folder)
    } else {
        Err(missing())
    }
}

/// The folder without symbolic links; created if it is missing.
pub(super) fn created(folder: &Path) -> Result<PathBuf> {
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700);
    let named = |error| Error::Io(format!("cannot create {}: {error}", folder.display()));
    builder.create(folder).map_err(named)?;
    let folder = folder.canonicalize()?;
    // SQLite gives its other files the permissions of this one.
    own_file(&database(&folder))?;
    Ok(folder)
}

/// Locks the folder for writing, as long as the file is open.
pub(super) fn lock(folder: &Path) -> Result<File> {
    let file = own_file(&folder.join("lock"))?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(rustix::io::Errno::WOULDBLOCK) => Err(Error::Locked {
            folder: folder.to_owned(),
        }),
        Err(error) => Err(std::io::Error::from(error).into()),
    }
}

/// Opens or creates a file that only its owner can read.
pub(super) fn own_file(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).mode(0o600);
    let no_follow = OFlags::NOFOLLOW.bits().cast_signed();
    let file = options.custom_flags(no_follow).open(path);
    file.map_err(|error| Error::Io(format!("cannot open {}: {error}", path.display())))
}

/// The size of the store's files, in bytes.
pub(super) fn size(folder: &Path) -> u64 {
    let size = |suffix: &str| {
        let path = folder.join(format!("{DATABASE}{suffix}"));
        fs::metadata(path).map_or(0, |file| file.len())
    };
    ["", "-wal", "-shm"].into_iter().map(size).sum()
}
