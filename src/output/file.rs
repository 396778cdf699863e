//! Profile files: written atomically, and private.
//!
//! **Invariants:** a profile is written into an unnamed file (`O_TMPFILE`), which
//! is linked when it is complete. Where the file system does not support that, it
//! is written under a random temporary name with `O_EXCL`, and renamed. Both
//! replace a symbolic link and never follow one. No name leaves the directory:
//! see [`super::name`]. Writing calls nothing of PHP, see [`super::destination`].

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use profile::Profile;

use super::destination::{Destination, DirectoryLimits};
use super::encode;
use super::ledger::Ledger;
use super::name::Name;
use super::place::parent;
use super::request_meta::{RequestMeta, RequestPhase};
use crate::log_throttled::{Problem, log_throttled};
use crate::session::Recorded;
use crate::settings::{self, OutputFormat};
use crate::{naming, zend};

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
    zend::without_file_size_signal(|| try_write_file(recorded))
}

fn try_write_file(recorded: Recorded) -> Result<Written> {
    if matches!(recorded, Recorded::Events) {
        return Ok(Written::Nothing);
    }
    let ask = || Destination::automatic(RequestPhase::Ended);
    let (recorded, destination) = zend::ask_keeping(recorded, ask);
    let destination = destination?;
    let Some(profile) = recorded.into_profile() else {
        return Ok(Written::Nothing);
    };
    let path = write_named(profile, &destination)?;
    let Some(path) = path else {
        log_throttled(Problem::Full, &Ledger::drop_profile(&destination.directory));
        return Ok(Written::Full);
    };
    Ok(Written::To(path))
}

/// Writes a profile into its directory. None if it exceeds `xhprof.max_dir_size`.
pub(super) fn write_named(profile: Profile, to: &Destination) -> Result<Option<PathBuf>> {
    let path = to.directory.join(to.name.with_ending(to.format.ending()));
    let is_written = write_to(&path, to.format, profile, to)?;
    Ok(is_written.then_some(path))
}

/// Writes a profile to a path. False if that is in the output directory and exceeds
/// `xhprof.max_dir_size`.
pub(super) fn write_to(
    path: &Path,
    format: OutputFormat,
    mut profile: Profile,
    to: &Destination,
) -> Result<bool> {
    let problem = || format!("cannot write the profile {}", path.display());
    to.request.add_to(&mut profile.meta);
    let content = encode::encode(format, &profile).with_context(problem)?;
    naming::keep_names(profile.symbols);
    write_within_limit(path, &to.name, &to.limits, &content).with_context(problem)
}

fn write_within_limit(
    path: &Path,
    name: &Name,
    limits: &DirectoryLimits,
    content: &[u8],
) -> Result<bool> {
    let size = content.len() as u64;
    let counted = limits.counts(path);
    if let Some(directory) = counted
        && !Ledger::reserve(directory, limits.max_size, size)?
    {
        return Ok(false);
    }
    let temporary = name.temporary(parent(path));
    let outcome = write_whole(path, &temporary, content, limits.permissions);
    if let Some(directory) = counted
        && outcome.is_err()
    {
        Ledger::give_back(directory, size);
    }
    outcome?;
    Ok(true)
}

/// Fails if the path is not a regular file: renaming would replace `/dev/null` by
/// a file. A link into `/proc` is no file, whatever it leads to at the moment:
/// `/dev/stdout`, `/etc/mtab`.
pub(super) fn refuse_what_is_no_file(path: &Path) -> Result<()> {
    let is_other = fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
    if is_other || is_link_into_proc(path) {
        bail!(
            "cannot write the profile {}: it is not a file",
            path.display()
        );
    }
    Ok(())
}

fn is_link_into_proc(path: &Path) -> bool {
    // Not the target itself: the kernel would lead on to the open file.
    let directory = fs::read_link(path).and_then(|target| {
        let target = parent(path).join(target);
        fs::canonicalize(parent(&target))
    });
    directory.is_ok_and(|directory| directory.starts_with("/proc"))
}

/// Writes the profile that `take` returns to a path that the program names; false
/// if it returns none.
pub(crate) fn dump(
    path: &Path,
    format: OutputFormat,
    take: impl FnOnce() -> Option<Profile>,
) -> Result<bool> {
    let request = RequestMeta::ask(RequestPhase::Running);
    let permissions = settings::value(&settings::FILE_PERMISSIONS);
    let Some(mut profile) = take() else {
        return Ok(false);
    };
    refuse_what_is_no_file(path)?;
    request.add_to(&mut profile.meta);
    let temporary = Name::temporary_in(parent(path))?;
    let write = |content: Vec<u8>| {
        zend::without_file_size_signal(|| write_whole(path, &temporary, &content, permissions))
    };
    encode::encode(format, &profile)
        .and_then(write)
        .with_context(|| format!("cannot write the profile {}", path.display()))?;
    Ok(true)
}

/// Writes a file atomically. Without `fsync`, which can take many milliseconds
/// and helps only after a power failure; readers detect a torn file by checksum.
fn write_whole(path: &Path, temporary: &Path, content: &[u8], permissions: u32) -> io::Result<()> {
    let outcome = match write_nameless(path, content, permissions)? {
        Some(file) => match zend::give_name(&file, path) {
            // `linkat` cannot replace a file, `rename` can.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                zend::give_name(&file, temporary).and_then(|()| fs::rename(temporary, path))
            }
            Err(_) => write_and_rename(path, temporary, content, permissions),
            Ok(()) => Ok(()),
        },
        None => write_and_rename(path, temporary, content, permissions),
    };
    if outcome.is_err() {
        // Best effort: the first error is the one to tell.
        let _ = fs::remove_file(temporary);
    }
    outcome
}

/// Writes an unnamed file, which the kernel removes if the process is killed; none
/// where the file system does not support that.
fn write_nameless(path: &Path, content: &[u8], permissions: u32) -> io::Result<Option<File>> {
    let Ok(mut file) = zend::nameless_file(parent(path)) else {
        return Ok(None);
    };
    apply_permissions(&file, permissions)?;
    file.write_all(content)?;
    Ok(Some(file))
}

fn write_and_rename(
    path: &Path,
    temporary: &Path,
    content: &[u8],
    permissions: u32,
) -> io::Result<()> {
    let mut file = create_private(temporary, permissions)?;
    file.write_all(content)?;
    drop(file);
    fs::rename(temporary, path)
}

/// Copies a file that cannot be renamed to that path.
pub(super) fn copy_privately(
    from: &Path,
    temporary: &Path,
    path: &Path,
    permissions: u32,
) -> io::Result<()> {
    let copy = || {
        let mut file = create_private(temporary, permissions)?;
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
pub(super) fn create_private(path: &Path, permissions: u32) -> io::Result<File> {
    let file = File::options()
        .write(true)
        .create_new(true)
        .mode(PRIVATE)
        .open(path)?;
    apply_permissions(&file, permissions)?;
    Ok(file)
}

/// Sets the permissions regardless of the umask.
fn apply_permissions(file: &File, permissions: u32) -> io::Result<()> {
    match permissions {
        PRIVATE => Ok(()),
        mode => file.set_permissions(Permissions::from_mode(mode)),
    }
}
