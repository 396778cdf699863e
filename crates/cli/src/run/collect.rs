//! Collects the profiles that a program and its forked children wrote.
//!
//! A process has one automatic profile; the kernel may reuse the number of a
//! process that has ended. A file is named `<run id>.<source>.xhp`. The run id's
//! 32 digits are the time (14), the process (8) and random (10). An event
//! profile whose process was killed keeps the name `….xhp.partial`, and can be
//! read up to that point.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use profile::Profile;

use crate::input;

/// The files that PHP wrote.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Collected {
    /// The profile of the process that was started.
    pub(super) main: Option<ProfileFile>,
    /// The profiles of its children, in the order of the files' names.
    pub(super) others: Vec<ProfileFile>,
}

/// One process's profile.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ProfileFile {
    pub(super) pid: u32,
    pub(super) path: PathBuf,
}

impl ProfileFile {
    /// The profile; a call tree if it has many events.
    pub(super) fn read(&self) -> Result<Profile> {
        input::parsed(self.open()?)
    }

    /// The same with its calls in the order of time.
    pub(super) fn read_in_order(&self) -> Result<Profile> {
        input::parsed_in_order(self.open()?)
    }

    /// The file itself.
    pub(super) fn open(&self) -> io::Result<File> {
        File::open(&self.path)
    }
}

impl Collected {
    /// Reads the files in `directory`; `pid` is the process that was started.
    pub(super) fn from(directory: &Path, pid: u32) -> Result<Self> {
        let context = || format!("cannot read {}", directory.display());
        let entries = fs::read_dir(directory).with_context(context)?;
        let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        let mut names = names
            .collect::<Result<Vec<String>>>()
            .with_context(context)?;
        names.sort_unstable();
        let mut files = Vec::new();
        for name in names {
            if let Some(pid) = pid_of(&name) {
                let path = directory.join(&name);
                files.push(ProfileFile { pid, path });
            }
        }
        // A process chooses the run id of its automatic profile when it starts,
        // so before those that it writes itself.
        let started = files.iter().position(|file| file.pid == pid);
        // `php` may be a script that starts PHP as a child.
        let main = started
            .or_else(|| written_last(&files))
            .map(|place| files.remove(place));
        Ok(Self {
            main,
            others: files,
        })
    }

    /// Whether the process that was started wrote all of them.
    pub(super) fn are_of_one_process(&self) -> bool {
        let pid = self.main.as_ref().map(|main| main.pid);
        self.others.iter().all(|other| Some(other.pid) == pid)
    }

    /// The other profiles, each with its file name's suffix: the process, and a
    /// number if several processes had the same.
    pub(super) fn others(&self) -> impl Iterator<Item = (String, &ProfileFile)> {
        let mut written: HashMap<u32, u32> = self.main.iter().map(|main| (main.pid, 1)).collect();
        self.others.iter().map(move |file| {
            let count = written.entry(file.pid).or_insert(0);
            *count += 1;
            let mark = match count {
                1 => file.pid.to_string(),
                count => format!("{}.{count}", file.pid),
            };
            (mark, file)
        })
    }
}

/// The index of the file that was written last, because parents usually end
/// after their children. Of equally new files, the first to start.
fn written_last(files: &[ProfileFile]) -> Option<usize> {
    let written = |file: &ProfileFile| {
        fs::metadata(&file.path)
            .and_then(|file| file.modified())
            .ok()
    };
    (0..files.len()).max_by_key(|&place| (files.get(place).and_then(written), Reverse(place)))
}

/// The process that wrote a file of this name; none if it is not a profile's
/// name.
fn pid_of(name: &str) -> Option<u32> {
    let (run_id, _) = name.split_once('.')?;
    let is_run_id = run_id.len() == 32 && run_id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_run_id {
        return None;
    }
    u32::from_str_radix(run_id.get(14..22)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn the_process_is_in_the_run_id() {
        let name = "0610ae2c1f3b400000126789abcdef01.index.xhp";
        assert_eq!(pid_of(name), Some(0x1267));
        for other in [
            "0610ae.index.xhp",
            ".0610ae2c1f3b400000126789abcdef01.tmp",
            "x",
        ] {
            assert_eq!(pid_of(other), None, "{other}");
        }
    }

    #[test]
    fn profiles_of_one_process_get_numbers() {
        let directory = tempfile::tempdir().unwrap();
        for (time, pid) in [(1, 7_u32), (2, 8), (3, 7), (4, 8), (5, 7)] {
            let name = format!("{time:014x}{pid:08x}0123456789.s.xhp");
            fs::write(directory.path().join(name), "").unwrap();
        }
        let collected = Collected::from(directory.path(), 7).unwrap();
        let main = collected.main.as_ref().unwrap().path.file_name().unwrap();
        assert!(main.to_string_lossy().starts_with("00000000000001"));
        let marks: Vec<String> = collected.others().map(|(mark, _)| mark).collect();
        assert_eq!(marks, ["8", "7.2", "8.2", "7.3"]);
    }

    #[test]
    fn the_started_process_comes_first_and_a_wrapped_one_last() {
        let directory = tempfile::tempdir().unwrap();
        let seconds = |number| SystemTime::UNIX_EPOCH + Duration::from_secs(number);
        // Begun in this order; 9, which began last, is neither the first nor the
        // last to end.
        for (time, pid, end) in [(1, 7_u32, 30), (2, 8, 10), (3, 9, 20)] {
            let name = format!("{time:014x}{pid:08x}0123456789.s.xhp");
            let file = File::create(directory.path().join(name)).unwrap();
            file.set_modified(seconds(end)).unwrap();
        }
        fs::write(directory.path().join("stray"), "").unwrap();
        let pids = |pid| {
            let collected = Collected::from(directory.path(), pid).unwrap();
            let others: Vec<u32> = collected.others.iter().map(|file| file.pid).collect();
            (collected.main.map(|file| file.pid), others)
        };
        assert_eq!(pids(8), (Some(8), vec![7, 9]));
        assert_eq!(pids(4), (Some(7), vec![8, 9]));
    }
}
