//! A file that takes up space, to be given back when the disk is full: removing runs needs
//! some space before it frees any.
//!
//! **Invariant:** as long as the reserve is not back, nothing new is stored, so that it is
//! there for what removes.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{FallocateFlags, fallocate, fstatvfs};

use super::folder::own_file;
use crate::{Error, Result};

/// The name of the file, and its size: a transaction that removes a hundred runs writes less.
const FILE_NAME: &str = "reserve";
const FILE_SIZE: u64 = 8 << 20;

/// It takes at most this part of the file system.
const MAX_FRACTION: u64 = 16;

/// How long a missing reserve is not tried again.
const AGAIN: Duration = Duration::from_secs(1);

/// The reserve of a store.
#[derive(Debug)]
pub(super) struct Reserve {
    path: PathBuf,
    /// When it could not be made; none while it is there.
    missing: Option<Instant>,
}

impl Reserve {
    /// Makes the file, unless it is there or the disk is too full.
    pub(super) fn of(folder: &Path) -> Self {
        let mut reserve = Self {
            path: folder.join(FILE_NAME),
            missing: None,
        };
        reserve.refill();
        reserve
    }

    /// Gives the space to others. False if there was none.
    pub(super) fn give(&mut self) -> bool {
        let was_there = release(&self.path);
        self.missing = Some(Instant::now());
        was_there
    }

    /// Takes the space again, if there is enough.
    pub(super) fn refill(&mut self) {
        self.missing = match self.allocate() {
            Ok(()) => None,
            Err(_) => Some(Instant::now()),
        };
    }

    /// Refuses what stores more as long as the space is not back.
    pub(super) fn check(&mut self) -> Result<()> {
        if self.missing.is_some_and(|since| since.elapsed() >= AGAIN) {
            self.refill();
        }
        match self.missing {
            None => Ok(()),
            Some(_) => Err(Error::Full),
        }
    }

    fn allocate(&self) -> Result<()> {
        let file = own_file(&self.path)?;
        let whole = fstatvfs(&file).map_or(u64::MAX, |system| {
            system.f_blocks.saturating_mul(system.f_frsize)
        });
        let size = FILE_SIZE.min(whole / MAX_FRACTION);
        if file.metadata()?.len() >= size {
            return Ok(());
        }
        match fallocate(&file, FallocateFlags::empty(), 0, size) {
            Ok(()) => Ok(()),
            // A file system without it has other ways of running full.
            Err(rustix::io::Errno::OPNOTSUPP) => Ok(()),
            Err(error) => {
                let _ = file.set_len(0);
                Err(std::io::Error::from(error).into())
            }
        }
    }
}

/// Gives the space of the reserve of a folder to others, before a store is open.
pub(super) fn release_of(folder: &Path) -> bool {
    release(&folder.join(FILE_NAME))
}

fn release(path: &Path) -> bool {
    let is_filled = fs::metadata(path).is_ok_and(|file| file.len() > 0);
    is_filled
        && File::options()
            .write(true)
            .truncate(true)
            .open(path)
            .is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_space_is_given_once_and_nothing_is_stored_until_it_is_back() {
        let folder = tempfile::tempdir().unwrap();
        let mut reserve = Reserve::of(folder.path());
        let size = || fs::metadata(folder.path().join(FILE_NAME)).unwrap().len();
        assert_eq!(size(), FILE_SIZE);
        assert!(reserve.check().is_ok());
        assert!(reserve.give());
        assert_eq!(size(), 0);
        assert!(!reserve.give());
        assert!(matches!(reserve.check(), Err(Error::Full)));
        reserve.refill();
        assert_eq!(size(), FILE_SIZE);
        assert!(reserve.check().is_ok());
        // Another process gives it back when it opens a full store.
        assert!(release_of(folder.path()));
        assert_eq!(size(), 0);
    }
}
