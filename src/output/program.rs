//! The file of a profile that the program began: `xhprof_write()`.
//!
//! It is written like an automatic one, with the same directory, name, format,
//! permissions and limits; or to the path that the program gives.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result, bail};
use profile::Profile;
use profile::native::Limits;
use profile::native::events::EventsReader;

use super::events::FileOutcome;
use super::file::{parent, refuse_what_is_no_file, write_named, write_within_limit};
use super::ledger::Ledger;
use super::name::Name;
use super::request_meta::{self, RequestPhase};
use super::{encode, place};
use crate::session::Recorded;
use crate::settings::OutputFormat;

/// Where to write a profile.
#[derive(Debug)]
pub(crate) enum Target {
    /// Into a directory, under a name made from the settings.
    Directory(PathBuf),
    /// To a path, in a format.
    File(PathBuf, OutputFormat),
}

impl Target {
    /// The target for the argument of `xhprof_write()`.
    pub(crate) fn of(path: Option<&[u8]>) -> Self {
        let Some(path) = path else {
            return Self::Directory(place::directory());
        };
        let is_directory = path.ends_with(b"/");
        let path = PathBuf::from(OsStr::from_bytes(path));
        if is_directory || path.is_dir() {
            return Self::Directory(path);
        }
        let ending = path.extension().and_then(OsStr::to_str);
        let format = ending.and_then(OutputFormat::of_ending);
        Self::File(path, format.unwrap_or_else(place::format))
    }

    /// Sets the final path of the file of call events, which exists already. The
    /// caller must do so before the profile ends.
    pub(crate) fn set_destination(&self, file_outcome: &FileOutcome) -> Result<()> {
        let path = match self {
            Self::Directory(directory) if *directory == place::directory() => return Ok(()),
            Self::Directory(directory) => directory.join(Name::of_program()?.with_ending("xhp")),
            Self::File(path, OutputFormat::Native) => path.clone(),
            Self::File(path, _) => bail!(
                "cannot write the profile {}: call events are written as .xhp only",
                path.display()
            ),
        };
        refuse_what_is_no_file(&path)?;
        file_outcome.destination.replace(Some(path));
        Ok(())
    }

    /// Writes the profile, and returns its path.
    pub(crate) fn write(&self, recorded: Recorded) -> Result<PathBuf> {
        let Some(mut profile) = recorded.into_profile() else {
            bail!("the call events are lost");
        };
        request_meta::describe(&mut profile.meta, RequestPhase::Running);
        let name = Name::of_program()?;
        let (path, directory) = match self {
            Self::Directory(directory) => (
                write_named(&profile, &name, place::format(), directory)?,
                &**directory,
            ),
            Self::File(path, format) => {
                let written = write_file(&profile, &name, path, *format)?;
                (written, parent(path))
            }
        };
        path.ok_or_else(|| Error::msg(Ledger::drop_profile(directory)))
    }
}

fn write_file(
    profile: &Profile,
    name: &Name,
    path: &Path,
    format: OutputFormat,
) -> Result<Option<PathBuf>> {
    refuse_what_is_no_file(path)?;
    let problem = || format!("cannot write the profile {}", path.display());
    let content = encode::encode(format, profile).with_context(problem)?;
    let is_written = write_within_limit(path, name, &content).with_context(problem)?;
    Ok(is_written.then(|| path.to_path_buf()))
}

/// Reads a file of call events into a call tree, and removes the file.
pub(crate) fn read_events(path: &Path) -> Result<Profile> {
    let problem = || format!("cannot read the call events in {}", path.display());
    let limits = Limits::default();
    let file = File::open(path).with_context(problem)?;
    let events = EventsReader::new(file, &limits).with_context(problem)?;
    let profile = events.into_tree(&limits).with_context(problem);
    fs::remove_file(path).with_context(|| format!("cannot remove {}", path.display()))?;
    profile
}
