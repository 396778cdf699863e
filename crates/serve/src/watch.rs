//! Stores the profiles that the extension writes into folders.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use spool::{Changes, SETTLE_TIME, SkippedFiles};
use store::Store;

use crate::ingest::take_opened;
use crate::metadata::Metadata;
use crate::readers::Readers;
use crate::reading::{MAX_UNPACKED, NotTaken};

/// How long to wait for a sign of the kernel before looking anyway.
const PAUSE: Duration = Duration::from_secs(5);

/// How many files are listed at a time.
const MAX_LISTED: usize = 10_000;

/// What is watched.
pub struct Watch {
    /// The folders; their subfolders are not looked into.
    pub folders: Vec<PathBuf>,
    /// Whether files stay after they were stored.
    pub keep: bool,
    /// What reads the files.
    pub readers: Arc<Readers>,
    /// Where they are stored.
    pub store: Arc<dyn Store>,
}

/// Watches on a thread of its own, until the process ends.
///
/// # Errors
///
/// A folder that cannot be read.
pub fn watch(watch: Watch) -> io::Result<()> {
    let changes = Changes::of(&watch.folders)?;
    std::thread::Builder::new()
        .name("watch".to_owned())
        .spawn(move || {
            let mut left = SkippedFiles::default();
            loop {
                let mut is_waiting = false;
                for folder in &watch.folders {
                    is_waiting |= look(&watch, folder, &mut left);
                }
                changes.wait(if is_waiting { SETTLE_TIME } else { PAUSE });
            }
        })?;
    Ok(())
}

/// Takes what is in a folder; returns whether some of it has to wait.
fn look(watch: &Watch, folder: &Path, left: &mut SkippedFiles) -> bool {
    loop {
        let listing = spool::list(folder, left, MAX_LISTED);
        let mut is_waiting = listing.is_waiting;
        for file in listing.files {
            match take_file(watch, &file.path) {
                Outcome::Stored => {}
                Outcome::Skipped => left.add(file.path, file.version),
                Outcome::Later => is_waiting = true,
            }
        }
        if is_waiting || !listing.is_cut {
            return is_waiting;
        }
    }
}

enum Outcome {
    /// It was stored and removed.
    Stored,
    /// It stays, and is not tried again.
    Skipped,
    /// It could not be stored now.
    Later,
}

fn take_file(watch: &Watch, path: &Path) -> Outcome {
    let (mut file, length) = match opened(path) {
        Ok(opened) => opened,
        Err(error) => {
            let owner = path.symlink_metadata().map_or(0, |file| file.uid());
            tracing::warn!(
                file = %path.display(), owner, %error,
                "cannot read it; xhprof.file_permissions = 0640 and a common group allow that"
            );
            return Outcome::Skipped;
        }
    };
    let metadata = Metadata::default().of_file(path);
    let file: (&mut dyn Read, u64) = (&mut file, length);
    match take_opened(&watch.readers, &*watch.store, file, &metadata) {
        Ok(stored) => {
            tracing::debug!(file = %path.display(), run = %stored.id, "stored");
            if watch.keep {
                return Outcome::Skipped;
            }
            match fs::remove_file(path) {
                Ok(()) => Outcome::Stored,
                Err(error) => {
                    tracing::warn!(file = %path.display(), %error, "stored, but not removed");
                    Outcome::Skipped
                }
            }
        }
        Err(error @ (NotTaken::Store(_) | NotTaken::Unavailable(_))) => {
            tracing::error!(file = %path.display(), %error, "not stored; it is tried again");
            Outcome::Later
        }
        Err(error) => {
            tracing::warn!(file = %path.display(), %error, "not stored; it stays there");
            Outcome::Skipped
        }
    }
}

/// A file that is no symbolic link, and its length. It is not read yet.
fn opened(path: &Path) -> io::Result<(fs::File, u64)> {
    let file = spool::open(path)?;
    let length = file.metadata()?.len();
    if length > MAX_UNPACKED {
        return Err(io::Error::other("it is larger than 512 MiB"));
    }
    Ok((file, length))
}
