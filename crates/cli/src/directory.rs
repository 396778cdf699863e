//! Directories of profiles, which the command line may name instead of files.
//!
//! Reads every file in a directory, except files in subdirectories and files
//! whose names begin with a dot: the extension is still writing those.
//!
//! **Invariant:** a file that was found in a directory, not named by the user,
//! is never a fatal error: it is skipped, and the command reports it at its
//! end.

use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::operand::{is_standard, permission_error};
use crate::terminal::say;
use crate::units::counted;

/// How many skipped files are named.
const MAX_NAMED: usize = 5;

/// A file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its path.
    pub path: PathBuf,
    /// Whether it was found in a directory, not named by the user.
    pub is_found: bool,
}

/// The files that `paths` stand for: files as they are, those of directories
/// sorted by name. `output` is left out, because an earlier run may have
/// written it there.
pub fn files<'p>(
    paths: impl IntoIterator<Item = &'p PathBuf>,
    output: Option<&Path>,
) -> Result<Vec<Found>> {
    let identity = |path: &Path| {
        let file = fs::metadata(path).ok()?;
        Some((file.dev(), file.ino()))
    };
    let ours = output.filter(|path| !is_standard(path));
    let ours = ours.and_then(identity);
    let mut all = Vec::new();
    for path in paths {
        if is_standard(path) || !path.is_dir() {
            all.push(Found {
                path: path.clone(),
                is_found: false,
            });
            continue;
        }
        let mut found = in_directory(path)?;
        found.retain(|path| ours.is_none() || identity(path) != ours);
        if found.is_empty() {
            bail!("there is no profile in the directory {}", path.display());
        }
        all.extend(found.into_iter().map(|path| Found {
            path,
            is_found: true,
        }));
    }
    Ok(all)
}

/// The files in a directory that may be profiles.
pub(crate) fn in_directory(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory);
    let denied = |error: &std::io::Error| error.kind() == std::io::ErrorKind::PermissionDenied;
    let entries = match entries {
        Err(error) if denied(&error) => {
            bail!("cannot read the directory {}", permission_error(directory))
        }
        entries => entries.with_context(|| format!("cannot read {}", directory.display()))?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot read {}", directory.display()))?;
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let path = entry.path();
        // A symbolic link counts as its target.
        if !is_hidden && path.is_file() {
            files.push(path);
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// Files that were found but are no profiles.
#[derive(Debug, Default)]
pub struct Skipped {
    files: RefCell<Vec<(PathBuf, String)>>,
}

impl Skipped {
    /// Takes the outcome of reading a file. Returns none if the file was found
    /// in a directory and is no profile.
    pub fn take<T>(&self, file: &Found, outcome: Result<T>) -> Result<Option<T>> {
        match outcome {
            Ok(value) => Ok(Some(value)),
            Err(error) if file.is_found => {
                let mut files = self.files.borrow_mut();
                files.push((file.path.clone(), reason(&file.path, &error)));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The skipped files, and what is wrong with each.
    pub(crate) fn into_files(self) -> Vec<(PathBuf, String)> {
        self.files.into_inner()
    }

    /// Reports the skipped files. An error if no file could be read.
    pub fn report(self, read: usize) -> Result<()> {
        let files = self.into_files();
        if let (Some((path, reason)), 0) = (files.first(), read) {
            bail!(
                "none of {} files is a profile: {}: {reason}",
                files.len(),
                path.display()
            );
        }
        for line in lines(&files) {
            say(&line);
        }
        Ok(())
    }
}

/// What is wrong with a file, without its name.
pub fn reason(path: &Path, error: &anyhow::Error) -> String {
    let text = format!("{:#}", error.root_cause());
    let prefix = format!("cannot read {}: ", path.display());
    text.strip_prefix(&prefix).unwrap_or(&text).to_owned()
}

/// One line for each of the first skipped files.
pub fn lines(files: &[(PathBuf, String)]) -> Vec<String> {
    let named = files.iter().take(MAX_NAMED);
    let mut lines: Vec<String> = named
        .map(|(path, reason)| format!("left out {}: {reason}", path.display()))
        .collect();
    if files.len() > MAX_NAMED {
        let rest = files.len() - MAX_NAMED;
        lines.push(format!("left out {}", counted(rest as u64, "more file")));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_its_files_but_for_hidden_ones_and_the_output() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        for name in ["b.xhp", "a.xhp", ".hidden", "all.xhp"] {
            fs::write(path(name), "").unwrap();
        }
        fs::create_dir(path("below")).unwrap();
        let output = path("all.xhp");
        let whole = directory.path().to_owned();
        let found = files([&whole, &path("b.xhp")], Some(&output)).unwrap();
        let names: Vec<_> = found
            .iter()
            .map(|candidate| {
                (
                    candidate.path.file_name().unwrap().to_str().unwrap(),
                    candidate.is_found,
                )
            })
            .collect();
        assert_eq!(names, [("a.xhp", true), ("b.xhp", true), ("b.xhp", false)]);
        assert!(files([&path("below")], None).is_err());
    }

    #[test]
    fn the_files_beyond_the_named_ones_are_counted() {
        let files = |count| vec![(PathBuf::from("x"), "broken".to_owned()); count];
        assert_eq!(lines(&files(MAX_NAMED)).len(), MAX_NAMED);
        let last = |count| lines(&files(count)).pop().unwrap();
        assert_eq!(last(MAX_NAMED + 1), "left out 1 more file");
        assert_eq!(last(MAX_NAMED + 2), "left out 2 more files");
    }

    #[test]
    fn only_what_was_named_is_fatal() {
        let left_out = Skipped::default();
        let file = |is_found| Found {
            path: "x".into(),
            is_found,
        };
        let broken = || -> Result<()> { bail!("broken") };
        assert!(left_out.take(&file(false), broken()).is_err());
        assert_eq!(left_out.take(&file(true), broken()).unwrap(), None);
        assert!(left_out.report(0).is_err());
    }
}
