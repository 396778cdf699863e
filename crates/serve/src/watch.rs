//! Takes the profiles that the extension writes into folders.
//!
//! The kernel says when something changed; what changed is found by looking
//! into the folder, so nothing is missed that came while the server was away.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, SystemTime};

use notify::{RecursiveMode, Watcher};
use store::Store;

use crate::ingest::{Metadata, take};
use crate::readers::Readers;
use crate::reading::{MAX_UNPACKED, NotTaken};

/// How long to wait for a sign of the kernel before looking anyway.
const PAUSE: Duration = Duration::from_secs(5);

/// A file is taken if it did not change for so long: not all programs write a
/// file under another name first.
const REST: Duration = Duration::from_millis(300);

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
    for folder in &watch.folders {
        let named = |error| io::Error::other(format!("cannot watch {}: {error}", folder.display()));
        fs::read_dir(folder).map_err(named)?;
    }
    let (sender, changes) = channel();
    let mut watcher = notify::recommended_watcher(move |_| {
        // The receiver is gone only when the process ends.
        let _ = sender.send(());
    })
    .map_err(io::Error::other)?;
    for folder in &watch.folders {
        // Without it files are found after a pause.
        if let Err(error) = watcher.watch(folder, RecursiveMode::NonRecursive) {
            tracing::warn!(folder = %folder.display(), %error, "no notice of changes");
        }
    }
    std::thread::Builder::new()
        .name("watch".to_owned())
        .spawn(move || {
            let _watcher = watcher;
            let mut seen = Seen::default();
            loop {
                let is_waiting = watch
                    .folders
                    .iter()
                    .any(|folder| look(&watch, folder, &mut seen));
                let pause = if is_waiting { REST } else { PAUSE };
                let _ = changes.recv_timeout(pause);
                while changes.try_recv().is_ok() {}
            }
        })?;
    Ok(())
}

/// Files that are not to be taken again: their size and time when they were.
#[derive(Default)]
struct Seen {
    files: HashMap<PathBuf, (u64, i64)>,
}

/// Takes what is in a folder; returns whether a file is still being written.
fn look(watch: &Watch, folder: &Path, seen: &mut Seen) -> bool {
    let Ok(entries) = fs::read_dir(folder) else {
        return false;
    };
    let mut is_waiting = false;
    let mut there = HashSet::new();
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(file) = path.symlink_metadata() else {
            continue;
        };
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_unfinished =
            name.starts_with('.') || name.ends_with(".partial") || name.ends_with(".tmp");
        if !file.is_file() || is_unfinished {
            continue;
        }
        there.insert(path.clone());
        let version = (file.len(), file.mtime_nsec() ^ file.mtime());
        if seen.files.get(&path) == Some(&version) {
            continue;
        }
        let age = file
            .modified()
            .map(|time| SystemTime::now().duration_since(time));
        if matches!(age, Ok(Ok(age)) if age < REST) {
            is_waiting = true;
            continue;
        }
        match take_file(watch, &path) {
            Outcome::Stored => {}
            Outcome::Left => {
                seen.files.insert(path, version);
            }
            Outcome::Later => is_waiting = true,
        }
    }
    seen.files
        .retain(|path, _| path.parent() != Some(folder) || there.contains(path));
    is_waiting
}

enum Outcome {
    /// It was stored and removed.
    Stored,
    /// It stays, and is not tried again.
    Left,
    /// It could not be stored now.
    Later,
}

fn take_file(watch: &Watch, path: &Path) -> Outcome {
    let bytes = match contents(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            let owner = path.symlink_metadata().map_or(0, |file| file.uid());
            tracing::warn!(
                file = %path.display(), owner, %error,
                "cannot read it; xhprof.file_permissions = 0640 and a common group allow that"
            );
            return Outcome::Left;
        }
    };
    let metadata = Metadata::default().of_file(path);
    match take(&watch.readers, &*watch.store, &bytes, &metadata) {
        Ok(stored) => {
            tracing::debug!(file = %path.display(), run = %stored.id, "stored");
            if watch.keep {
                return Outcome::Left;
            }
            match fs::remove_file(path) {
                Ok(()) => Outcome::Stored,
                Err(error) => {
                    tracing::warn!(file = %path.display(), %error, "stored, but not removed");
                    Outcome::Left
                }
            }
        }
        Err(error @ (NotTaken::Store(_) | NotTaken::Unavailable(_))) => {
            tracing::error!(file = %path.display(), %error, "not stored; it is tried again");
            Outcome::Later
        }
        Err(error) => {
            tracing::warn!(file = %path.display(), %error, "not stored; it stays there");
            Outcome::Left
        }
    }
}

/// The bytes of a file that is no symbolic link.
fn contents(path: &Path) -> io::Result<Vec<u8>> {
    let no_follow = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    let file: File = File::options()
        .read(true)
        .custom_flags(no_follow)
        .open(path)?;
    let mut bytes = Vec::new();
    file.take(MAX_UNPACKED + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_UNPACKED {
        return Err(io::Error::other("it is larger than 512 MiB"));
    }
    Ok(bytes)
}
