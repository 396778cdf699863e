//! Asks processes that load the extension and do not profile for the profiles of their next requests.
//!
//! The extension's side is `src/autostart/remote.rs`, the layout `policy::requests::remote`. This is the only module that
//! writes to a target, and only to the memory that the target has for it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use policy::requests::remote as page;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::error::AttachError;

/// The memory of one process, which is locked for as long as this exists.
#[derive(Debug)]
pub struct Remote {
    process: u32,
    file: File,
}

/// The end of a profile that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It was written there, as this process sees it.
    Written(PathBuf),
    /// The extension's reason why it was not.
    Failed(String),
}

/// How often the lock is tried: the target takes it for a moment to see whether a program waits.
const TRIES: u32 = 50;
/// The time between two tries.
const PAUSE: Duration = Duration::from_millis(1);

impl Remote {
    /// Opens and locks the memory of a process.
    ///
    /// # Errors
    ///
    /// If the process is gone, may not be opened, has no such memory, or another program asks it now.
    pub fn open(process: u32) -> Result<Self, AttachError> {
        let of_io = |error| AttachError::of_io(process, error);
        let path = descriptor(process).map_err(of_io)?;
        let path = path.ok_or(AttachError::NotRemote)?;
        let file = File::options().read(true).write(true).open(path);
        let remote = Self {
            process,
            file: file.map_err(of_io)?,
        };
        remote.lock()?;
        Ok(remote)
    }

    fn lock(&self) -> Result<(), AttachError> {
        for _ in 0..TRIES {
            match flock(&self.file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(()),
                Err(Errno::WOULDBLOCK) => thread::sleep(PAUSE),
                Err(error) => return Err(AttachError::Io(error.into())),
            }
        }
        Err(AttachError::Busy)
    }

    /// Asks for the profiles of the next `requests` requests that begin within `time`, and forgets what was asked for
    /// before.
    ///
    /// # Errors
    ///
    /// If the memory cannot be written.
    pub fn ask(&self, requests: u32, time: Duration) -> io::Result<()> {
        self.set(page::WANTED, 0)?;
        self.set(page::ASKER, self.number(page::ASKER)?.wrapping_add(1))?;
        self.set(page::TAKEN, self.number(page::BEGUN)?)?;
        for place in 0..page::RESULTS {
            self.set(page::result(place), page::NOTHING)?;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let until = now.unwrap_or_default().saturating_add(time);
        let until = u64::try_from(until.as_micros()).unwrap_or(u64::MAX);
        self.file
            .write_all_at(&until.to_ne_bytes(), page::UNTIL_US as u64)?;
        self.set(page::WANTED, requests)
    }

    /// Takes back what was not begun.
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask).
    pub fn withdraw(&self) -> io::Result<()> {
        self.set(page::WANTED, 0)
    }

    /// The profiles that have ended since the last call.
    ///
    /// # Errors
    ///
    /// If the memory cannot be read.
    pub fn outcomes(&self) -> io::Result<Vec<Outcome>> {
        let mut outcomes = Vec::new();
        for place in 0..page::RESULTS {
            let at = page::result(place);
            let kind = self.number(at)?;
            if kind == page::NOTHING {
                continue;
            }
            let length = self.number(at + 4)? as usize;
            let mut text = vec![0; length.min(page::TEXT_SIZE)];
            self.file.read_exact_at(&mut text, (at + 8) as u64)?;
            outcomes.push(if kind == page::WRITTEN {
                self.written(text)
            } else {
                Outcome::Failed(String::from_utf8_lossy(&text).into_owned())
            });
            self.set(at, page::NOTHING)?;
            self.set(page::TAKEN, self.number(page::TAKEN)?.wrapping_add(1))?;
        }
        Ok(outcomes)
    }

    /// How many profiles have begun and not ended, by what [`outcomes`](Self::outcomes) has taken.
    ///
    /// # Errors
    ///
    /// As [`outcomes`](Self::outcomes).
    pub fn running(&self) -> io::Result<u32> {
        let begun = self.number(page::BEGUN)?;
        Ok(begun.wrapping_sub(self.number(page::TAKEN)?))
    }

    /// Whether the process is still there.
    #[must_use]
    pub fn is_there(&self) -> bool {
        descriptor(self.process).is_ok_and(|path| path.is_some())
    }

    /// The profile at a path of the process. PHP code of the same user can write any path there: root must not follow
    /// a link, or wait at a pipe.
    fn written(&self, path: Vec<u8>) -> Outcome {
        let path = self.seen_from_here(path);
        if fs::symlink_metadata(&path).is_ok_and(|about| about.is_file()) {
            return Outcome::Written(path);
        }
        Outcome::Failed(format!("there is no file {}", path.display()))
    }

    /// A path of the process, which may have another root directory.
    fn seen_from_here(&self, path: Vec<u8>) -> PathBuf {
        let path = PathBuf::from(OsString::from_vec(path));
        let root = format!("/proc/{}/root", self.process);
        let is_same = |a: &str, b: &str| {
            let about = |path: &str| fs::metadata(path).map(|about| (about.dev(), about.ino()));
            matches!((about(a), about(b)), (Ok(a), Ok(b)) if a == b)
        };
        if is_same("/", &root) {
            return path;
        }
        Path::new(&root).join(path.strip_prefix("/").unwrap_or(&path))
    }

    fn number(&self, offset: usize) -> io::Result<u32> {
        let mut bytes = [0; 4];
        self.file.read_exact_at(&mut bytes, offset as u64)?;
        Ok(u32::from_ne_bytes(bytes))
    }

    fn set(&self, offset: usize, number: u32) -> io::Result<()> {
        self.file.write_all_at(&number.to_ne_bytes(), offset as u64)
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        // The lock ends with the file, and what was asked for with the lock.
        let _ = self.withdraw();
    }
}

/// The descriptor of the memory, if the process has one of its own: a child inherits that of its parent.
fn descriptor(process: u32) -> io::Result<Option<PathBuf>> {
    let own = own_number(process)?;
    let name = format!("/memfd:{}", page::NAME);
    for entry in fs::read_dir(format!("/proc/{process}/fd"))? {
        let path = entry?.path();
        let is_named = |target: &Path| target.to_string_lossy().starts_with(&name);
        if !fs::read_link(&path).is_ok_and(|target| is_named(&target)) {
            continue;
        }
        let mut head = [0; page::PROCESS + 4];
        let file = File::open(&path)?;
        if file.read_exact_at(&mut head, 0).is_ok()
            && head.starts_with(&page::MAGIC)
            && head.ends_with(&own.to_ne_bytes())
        {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// The number that a process has for itself: in a container another one than from here.
fn own_number(process: u32) -> io::Result<u32> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
    let own = numbers.and_then(|numbers| numbers.split_ascii_whitespace().last()?.parse().ok());
    Ok(own.unwrap_or(process))
}
