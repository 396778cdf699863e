//! Files: there whole or not at all, and readable by nobody else.
//!
//! **Invariants:** a profile is written under a temporary name that nobody can
//! have made before, and then renamed, which replaces a link and never follows
//! one. No name leaves the directory: see [`name`](super::name).

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use anyhow::{Context, Result};
use profile::Profile;

use super::ledger::Ledger;
use super::{encode, name, place, whence};
use crate::session::Recorded;
use crate::settings::{self, OutputFormat};
use crate::trouble::{self, Trouble};

/// Writes a profile into the output directory, if there is room.
pub(crate) fn write_file(recorded: Recorded) -> Result<()> {
    let (Recorded::Trace(mut profile) | Recorded::Samples(mut profile)) = recorded else {
        return Ok(());
    };
    whence::describe(&mut profile.meta);
    let format = place::format();
    let name = name::Name::now()?;
    let directory = place::directory();
    let path = directory.join(name.with_ending(encode::ending(format)));
    let problem = || format!("cannot write the profile {}", path.display());
    let content = encode::encode(format, &profile).with_context(problem)?;
    let size = content.len() as u64;
    let limit = settings::max_dir_size();
    if limit > 0 && Ledger::room(&directory, limit).with_context(problem)? < size {
        trouble::tell(Trouble::Full, &Ledger::drop_profile(&directory));
        return Ok(());
    }
    write_whole(&path, &name.temporary(&directory), &content).with_context(problem)?;
    if limit > 0 {
        Ledger::add(&directory, size);
    }
    Ok(())
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

/// Not synchronized: that can take many milliseconds of a request, and guards
/// against a power failure only, after which a checksum tells what is torn.
fn write_whole(path: &Path, temporary: &Path, content: &[u8]) -> io::Result<()> {
    let outcome = create_private(temporary).and_then(|mut file| {
        file.write_all(content)?;
        drop(file);
        fs::rename(temporary, path)
    });
    if outcome.is_err() {
        // Best effort: the first error is the one to tell.
        let _ = fs::remove_file(temporary);
    }
    outcome
}

/// Makes a file that is for us alone, or for whom `xhprof.output_mode` says.
pub(super) fn create_private(path: &Path) -> io::Result<File> {
    const PRIVATE: u32 = 0o600;
    let file = File::options()
        .write(true)
        .create_new(true)
        .mode(PRIVATE)
        .open(path)?;
    let mode = settings::output_mode();
    if mode != PRIVATE {
        // Whatever the process's umask says.
        file.set_permissions(Permissions::from_mode(mode))?;
    }
    Ok(file)
}
