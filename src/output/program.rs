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

use super::destination::Destination;
use super::events::FileOutcome;
use super::file::{refuse_what_is_no_file, write_named, write_to};
use super::ledger::Ledger;
use super::name::Name;
use super::place;
use crate::session::Recorded;
use crate::settings::OutputFormat;
use crate::zend;

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
        file_outcome.final_path.replace(Some(path));
        Ok(())
    }

    /// Writes the profile, and returns its path.
    pub(crate) fn write(self, recorded: Recorded) -> Result<PathBuf> {
        zend::without_file_size_signal(|| self.try_write(recorded))
    }

    fn try_write(self, recorded: Recorded) -> Result<PathBuf> {
        if matches!(recorded, Recorded::Events) {
            bail!("the call events are lost");
        }
        let (recorded, destination) = zend::ask_keeping(recorded, Destination::of_program);
        let mut destination = destination?;
        let Some(profile) = recorded.into_profile() else {
            bail!("the call events are lost");
        };
        let path = match self {
            Self::Directory(directory) => {
                destination.directory = directory;
                write_named(profile, &destination)?
            }
            Self::File(path, format) => {
                refuse_what_is_no_file(&path)?;
                destination.directory = place::parent(&path).to_path_buf();
                write_to(&path, format, profile, &destination)?.then_some(path)
            }
        };
        path.ok_or_else(|| Error::msg(Ledger::drop_profile(&destination.directory)))
    }
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
