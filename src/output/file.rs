//! Profile files: written atomically, and private.
//!
//! **Invariants:** a profile is written into an unnamed file (`O_TMPFILE`), which
//! is linked when it is complete. Where the file system does not support that, it
//! is written under a random temporary name with `O_EXCL`, and renamed. Both
//! replace a symbolic link and never follow one. No name leaves the directory:
//! see [`name`].

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use profile::Profile;

use super::ledger::Ledger;
use super::request_meta::{self, RequestPhase};
use super::{encode, name, place};
use crate::log_throttled::{Problem, log_throttled};
use crate::session::Recorded;
use crate::settings::{self, OutputFormat};
use crate::zend;

/// The default permissions: only the owner may read and write.
const PRIVATE: u32 = 0o600;

/// The result of writing a profile.
#[derive(Debug)]
pub(crate) enum Written {
    /// The profile is in this file.
    To(PathBuf),
    /// The profile was dropped: `xhprof.max_dir_size` is reached.
    Full,
    /// There was nothing to write; call events are in a file already.
    Nothing,
}

/// Writes the automatic profile into the output directory.
pub(crate) fn write_file(recorded: Recorded) -> Result<Written> {
    let Some(mut profile) = recorded.into_profile() else {
        return Ok(Written::Nothing);
    };
    request_meta::describe(&mut profile.meta, RequestPhase::Ended);
    let name = name::Name::automatic()?;
    let directory = place::automatic_directory();
    let format = place::automatic_format();
    let Some(path) = write_named(&profile, &name, format, &directory)? else {
        log_throttled(Problem::Full, &Ledger::drop_profile(&directory));
        return Ok(Written::Full);
    };
    Ok(Written::To(path))
}

/// Writes a profile into a directory. None if it exceeds `xhprof.max_dir_size`.
pub(super) fn write_named(
    profile: &Profile,
    name: &name::Name,
    format: OutputFormat,
    directory: &Path,
) -> Result<Option<PathBuf>> {
    let path = directory.join(name.with_ending(format.ending()));
    let problem = || format!("cannot write the profile {}", path.display());
    let content = encode::encode(format, profile).with_context(problem)?;
    let is_written = write_within_limit(&path, name, &content).with_context(problem)?;
    Ok(is_written.then_some(path))
}

/// Writes the file. False if it is in the output directory and exceeds
/// `xhprof.max_dir_size`.
pub(super) fn write_within_limit(path: &Path, name: &name::Name, content: &[u8]) -> Result<bool> {
    let size = content.len() as u64;
    let (limit, counted) = (settings::value(&settings::MAX_DIR_SIZE), place::directory());
    let is_counted = limit > 0 && is_in(path, &counted);
    if is_counted && !Ledger::reserve(&counted, limit, size)? {
        return Ok(false);
    }
    let outcome = write_whole(path, &name.temporary(parent(path)), content);
    if is_counted && outcome.is_err() {
        Ledger::give_back(&counted, size);
    }
    outcome?;
    Ok(true)
}

/// Whether a file is in a directory, after resolving both paths.
pub(super) fn is_in(path: &Path, directory: &Path) -> bool {
    let parent = parent(path);
    let same = |path: &Path| fs::canonicalize(path).ok();
    parent == directory || same(parent).is_some_and(|parent| Some(parent) == same(directory))
}

pub(super) fn parent(path: &Path) -> &Path {
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

/// Fails if the path is not a regular file: renaming would replace `/dev/null` by
/// a file.
pub(super) fn refuse_what_is_no_file(path: &Path) -> Result<()> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        bail!(
            "cannot write the profile {}: it is not a file",
            path.display()
        );
    }
    Ok(())
}

/// Writes a profile to a path that the program names.
pub(crate) fn dump(mut profile: Profile, path: &Path, format: OutputFormat) -> Result<()> {
    refuse_what_is_no_file(path)?;
    request_meta::describe(&mut profile.meta, RequestPhase::Running);
    let temporary = name::Name::temporary_in(parent(path))?;
    encode::encode(format, &profile)
        .and_then(|content| write_whole(path, &temporary, &content))
        .with_context(|| format!("cannot write the profile {}", path.display()))
}

/// Writes a file atomically. Without `fsync`, which can take many milliseconds
/// and helps only after a power failure; readers detect a torn file by checksum.
fn write_whole(path: &Path, temporary: &Path, content: &[u8]) -> io::Result<()> {
    let outcome = match write_nameless(path, content)? {
        Some(file) => match zend::give_name(&file, path) {
            // `linkat` cannot replace a file, `rename` can.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                zend::give_name(&file, temporary).and_then(|()| fs::rename(temporary, path))
            }
            Err(_) => write_and_rename(path, temporary, content),
            Ok(()) => Ok(()),
        },
        None => write_and_rename(path, temporary, content),
    };
    if outcome.is_err() {
        // Best effort: the first error is the one to tell.
        let _ = fs::remove_file(temporary);
    }
    outcome
}

/// Writes an unnamed file, which the kernel removes if the process is killed; none
/// where the file system does not support that.
fn write_nameless(path: &Path, content: &[u8]) -> io::Result<Option<File>> {
    let Ok(mut file) = zend::nameless_file(parent(path)) else {
        return Ok(None);
    };
    apply_permissions(&file)?;
    file.write_all(content)?;
    Ok(Some(file))
}

fn write_and_rename(path: &Path, temporary: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = create_private(temporary)?;
    file.write_all(content)?;
    drop(file);
    fs::rename(temporary, path)
}

/// Copies a file that cannot be renamed to that path.
pub(super) fn copy_privately(from: &Path, temporary: &Path, path: &Path) -> io::Result<()> {
    let copy = || {
        let mut file = create_private(temporary)?;
        io::copy(&mut File::open(from)?, &mut file)?;
        fs::rename(temporary, path)
    };
    let outcome = copy();
    if outcome.is_err() {
        // Best effort: the first error is the one to tell.
        let _ = fs::remove_file(temporary);
    }
    outcome
}

/// Creates a file with the permissions of `xhprof.file_permissions`.
pub(super) fn create_private(path: &Path) -> io::Result<File> {
    let file = File::options()
        .write(true)
        .create_new(true)
        .mode(PRIVATE)
        .open(path)?;
    apply_permissions(&file)?;
    Ok(file)
}

/// Sets the permissions regardless of the umask.
fn apply_permissions(file: &File) -> io::Result<()> {
    match settings::value(&settings::FILE_PERMISSIONS) {
        PRIVATE => Ok(()),
        mode => file.set_permissions(Permissions::from_mode(mode)),
    }
}
