//! Files that a target refused for good, kept so that a mistake destroys nothing.
//!
//! A wrong `--spool`, for instance, makes the agent take files that are no profiles.
//! They are kept once, however many targets refuse them. The oldest are removed
//! when there are too many.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use parking_lot::Mutex;

use crate::batch::Batch;
use crate::error::{Error, Result};
use crate::files;

/// The most files.
const MAX_FILES: usize = 1000;

/// The longest part of a file's name that is kept.
const MAX_NAME: usize = 100;

/// How many letters of a file's hash its name begins with.
const HASH: usize = 16;

const BUFFER: usize = 64 << 10;

/// The folder of refused files.
#[derive(Debug)]
pub(crate) struct Refused {
    folder: PathBuf,
    most_bytes: u64,
    kept: Mutex<Kept>,
}

/// What is in the folder.
#[derive(Debug, Default)]
struct Kept {
    /// The files by age, with their sizes. Files of one time are told apart by name.
    files: BTreeMap<(SystemTime, String), u64>,
    bytes: u64,
}

impl Refused {
    /// Opens the folder, and removes what is too much.
    pub(crate) fn open(folder: PathBuf, most_bytes: u64) -> Result<Self> {
        files::own_folder(&folder).map_err(Error::queue(&folder))?;
        let mut kept = Kept::default();
        for entry in fs::read_dir(&folder).map_err(Error::queue(&folder))? {
            let entry = entry.map_err(Error::queue(&folder))?;
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let file = path.symlink_metadata().map_err(Error::queue(&path))?;
            if name.ends_with(".tmp") {
                files::remove(&path).map_err(Error::queue(&path))?;
            } else if file.is_file() {
                let time = file.modified().map_err(Error::queue(&path))?;
                kept.add(time, name, file.len());
            }
        }
        let refused = Self {
            folder,
            most_bytes,
            kept: Mutex::new(kept),
        };
        refused.shrink(&mut refused.kept.lock(), 0, 0);
        Ok(refused)
    }

    /// The number of files, and their bytes.
    pub(crate) fn size(&self) -> (u64, u64) {
        let kept = self.kept.lock();
        (kept.files.len() as u64, kept.bytes)
    }

    /// Keeps those runs of a batch for which `is_refused` is true. What cannot be kept is
    /// logged: the target does not take it, and other runs must not wait.
    pub(crate) fn keep(&self, batch: &Batch, is_refused: &[bool]) {
        if self.most_bytes == 0 || !is_refused.contains(&true) {
            return;
        }
        let mut failed = None;
        let read = batch.each_run(&mut |number, run| {
            let is_it = is_refused.get(number).copied().unwrap_or_default();
            if is_it && let Some(part) = batch.contents.parts.get(number) {
                let added = self.add(&part.name, run);
                if let Err(error) = added {
                    failed = Some((part.name.clone(), error));
                }
            }
            Ok(true)
        });
        if let Err(error) = read {
            tracing::warn!(%error, "refused files are not kept");
        }
        if let Some((file, error)) = failed {
            tracing::warn!(file, %error, "a refused file is not kept");
        }
    }

    fn add(&self, name: &str, run: &mut dyn Read) -> io::Result<()> {
        // One at a time: a spool that is no spool has thousands.
        let mut kept = self.kept.lock();
        let new = self.folder.join("file.tmp");
        let written = self.write(&new, run);
        let (hash, bytes) = written.inspect_err(|_| {
            let _ = files::remove(&new);
        })?;
        if kept.files.keys().any(|(_, name)| name.starts_with(&hash)) {
            return files::remove(&new);
        }
        self.shrink(&mut kept, 1, bytes);
        let name = format!("{hash}-{}", plain(name));
        fs::rename(&new, self.folder.join(&name))?;
        files::sync(&self.folder)?;
        kept.add(SystemTime::now(), name, bytes);
        Ok(())
    }

    /// Writes a file; returns the begin of its hash, and its size.
    fn write(&self, path: &Path, run: &mut dyn Read) -> io::Result<(String, u64)> {
        let mut file = files::create(path)?;
        let mut hasher = blake3::Hasher::new();
        let mut buffer = vec![0; BUFFER];
        let mut bytes = 0;
        loop {
            let count = run.read(&mut buffer)?;
            let read = buffer.get(..count).unwrap_or_default();
            if read.is_empty() {
                break;
            }
            bytes += count as u64;
            if bytes > self.most_bytes {
                let limit = self.most_bytes;
                return Err(io::Error::other(format!(
                    "it is larger than --refused-size, {limit} bytes"
                )));
            }
            hasher.update(read);
            file.write_all(read)?;
        }
        file.sync_data()?;
        let hash = hasher.finalize().to_hex();
        Ok((hash.get(..HASH).unwrap_or_default().to_owned(), bytes))
    }

    /// Removes the oldest files until there is space for so many more.
    fn shrink(&self, kept: &mut Kept, files: usize, bytes: u64) {
        while kept.files.len() + files > MAX_FILES || kept.bytes + bytes > self.most_bytes {
            let Some(((_, name), size)) = kept.files.pop_first() else {
                return;
            };
            kept.bytes = kept.bytes.saturating_sub(size);
            let path = self.folder.join(name);
            if let Err(error) = files::remove(&path) {
                tracing::warn!(file = %path.display(), %error, "cannot be removed");
            }
        }
    }
}

impl Kept {
    fn add(&mut self, time: SystemTime, name: String, bytes: u64) {
        self.bytes += bytes;
        self.files.insert((time, name), bytes);
    }
}

/// The end of a name, in letters that are safe on every command line.
fn plain(name: &str) -> String {
    let is_safe =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
    let safe: String = name
        .chars()
        .map(|letter| if is_safe(letter) { letter } else { '_' })
        .collect();
    let begin = safe.len().saturating_sub(MAX_NAME);
    let end = safe.get(begin..).unwrap_or_default();
    // The files of a queue that end so are removed at the next start.
    match end.strip_suffix(".tmp") {
        Some(end) => format!("{end}_tmp"),
        None => end.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{Part, Writer};
    use std::os::unix::fs::MetadataExt;

    fn batch(folder: &Path, runs: &[(&str, &str)]) -> Batch {
        let path = folder.join("batch");
        let mut writer = Writer::new(&path, &[], true).unwrap();
        for (name, content) in runs {
            let part = Part {
                name: (*name).to_owned(),
                app: String::new(),
                bytes: 0,
                file: None,
                version: None,
            };
            writer.add(part, content.as_bytes()).unwrap();
        }
        writer.finish().unwrap();
        Batch::open(path).unwrap()
    }

    fn contents(refused: &Refused) -> Vec<String> {
        let kept = refused.kept.lock();
        let names = kept.files.keys().map(|(_, name)| name);
        names
            .map(|name| fs::read_to_string(refused.folder.join(name)).unwrap())
            .collect()
    }

    #[test]
    fn refused_runs_are_kept_once_and_only_their_owner_reads_them() {
        let folder = tempfile::tempdir().unwrap();
        let refused = Refused::open(folder.path().join("refused"), 1000).unwrap();
        let runs = [("a.xhp", "good"), ("../b\n.tmp", "bad"), ("c.txt", "worse")];
        let batch = batch(folder.path(), &runs);
        // Two targets refuse them.
        refused.keep(&batch, &[false, true, true]);
        refused.keep(&batch, &[false, true, true]);
        assert_eq!(contents(&refused), ["bad", "worse"]);
        assert_eq!(refused.size(), (2, 8));
        for entry in fs::read_dir(&refused.folder).unwrap() {
            let entry = entry.unwrap();
            assert_eq!(entry.metadata().unwrap().mode() & 0o7777, 0o600);
        }
        let again = Refused::open(folder.path().join("refused"), 1000).unwrap();
        // Both may have one time.
        let mut kept = contents(&again);
        kept.sort();
        assert_eq!(kept, ["bad", "worse"]);
        assert_eq!(again.size(), (2, 8));
    }

    #[test]
    fn the_oldest_refused_files_are_removed_beyond_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("refused");
        let refused = Refused::open(path.clone(), 10).unwrap();
        for content in ["first", "second", "third", "longer than ten"] {
            let batch = batch(folder.path(), &[("a", content)]);
            refused.keep(&batch, &[true]);
        }
        // The last one is larger than all may be, and removes nothing.
        assert_eq!(contents(&refused), ["third"]);
        assert_eq!(fs::read_dir(&path).unwrap().count(), 1);
        let smaller = Refused::open(path.clone(), 4).unwrap();
        assert_eq!(smaller.size(), (0, 0));
        assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
    }

    #[test]
    fn a_thousand_refused_files_are_kept_at_most() {
        let folder = tempfile::tempdir().unwrap();
        let refused = Refused::open(folder.path().join("refused"), 1 << 20).unwrap();
        for number in 0..MAX_FILES + 3 {
            let content = number.to_string();
            refused.add("a", &mut content.as_bytes()).unwrap();
        }
        assert_eq!(refused.size().0, MAX_FILES as u64);
    }
}
