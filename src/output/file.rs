//! Files: there whole or not at all, and readable by nobody else.
//!
//! **Invariants:** a profile is written under a temporary name that nobody can
//! have made before, and then renamed, which replaces a link and never follows
//! one. No name leaves the directory: see [`name`](super::name).

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use profile::Profile;

use super::{encode, name, whence};
use crate::session::Recorded;
use crate::settings::{self, OutputFormat};
use crate::zend;

/// Writes a profile into the output directory.
pub(crate) fn write_file(recorded: Recorded) -> Result<()> {
    let (Recorded::Trace(mut profile) | Recorded::Samples(mut profile)) = recorded else {
        return Ok(());
    };
    whence::describe(&mut profile.meta);
    let format = settings::output_format();
    let name = name::Name::now()?;
    let directory = directory();
    let path = directory.join(name.with_ending(encode::ending(format)));
    encode::encode(format, &profile)
        .and_then(|content| write_whole(&path, &name.temporary(&directory), &content))
        .with_context(|| format!("cannot write the profile {}", path.display()))
}

/// Writes a profile to a path that the program names.
pub(crate) fn dump(mut profile: Profile, path: &Path, format: OutputFormat) -> Result<()> {
    whence::describe(&mut profile.meta);
    let name = name::Name::now()?;
    let directory = path.parent().filter(|it| !it.as_os_str().is_empty());
    let temporary = name.temporary(directory.unwrap_or(Path::new(".")));
    encode::encode(format, &profile)
        .and_then(|content| write_whole(path, &temporary, &content))
        .with_context(|| format!("cannot write the profile {}", path.display()))
}

pub(super) fn directory() -> PathBuf {
    let setting = settings::output_dir();
    let bytes = if setting.is_empty() {
        zend::temporary_directory()
    } else {
        setting
    };
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

fn write_whole(path: &Path, temporary: &Path, content: &[u8]) -> io::Result<()> {
    let outcome = create_private(temporary).and_then(|mut file| {
        file.write_all(content)?;
        file.sync_data()?;
        fs::rename(temporary, path)
    });
    if outcome.is_err() {
        // Best effort: the first error is the one to tell.
        let _ = fs::remove_file(temporary);
    }
    outcome
}

pub(super) fn create_private(path: &Path) -> io::Result<File> {
    File::options()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}
