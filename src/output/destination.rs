//! Where a profile is written, and what its file says of the request.
//!
//! **Invariant:** everything that PHP is asked for is asked here, before the
//! profile's state is used and while no profile would be lost: PHP may bail out.
//! Writing calls nothing of PHP.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::name::Name;
use super::place;
use super::request_meta::{RequestMeta, RequestPhase};
use crate::settings::{self, OutputFormat};

/// The place, the name and the metadata of one profile's file.
#[derive(Debug)]
pub(crate) struct Destination {
    pub(super) request: RequestMeta,
    pub(super) name: Name,
    pub(super) directory: PathBuf,
    pub(super) format: OutputFormat,
    pub(super) limits: DirectoryLimits,
}

/// The settings that hold for every file in the output directory.
#[derive(Debug, Clone)]
pub(super) struct DirectoryLimits {
    /// The output directory, whose files are counted.
    counted: PathBuf,
    /// `xhprof.max_dir_size`; zero: no limit.
    pub(super) max_size: u64,
    /// `xhprof.file_permissions`.
    pub(super) permissions: u32,
}

impl DirectoryLimits {
    /// The current settings. Asks PHP.
    pub(super) fn ask() -> Self {
        Self {
            counted: place::directory(),
            max_size: settings::value(&settings::MAX_DIR_SIZE),
            permissions: settings::value(&settings::FILE_PERMISSIONS),
        }
    }

    /// The output directory, if a file at `path` counts for its limit.
    pub(super) fn counts(&self, path: &Path) -> Option<&Path> {
        let is_counted = self.max_size > 0 && place::is_in(path, &self.counted);
        is_counted.then_some(&*self.counted)
    }
}

impl Destination {
    /// That of the automatic profile.
    ///
    /// # Errors
    ///
    /// If the system has no random numbers for a run id.
    pub(super) fn automatic(phase: RequestPhase) -> Result<Self> {
        Ok(Self {
            request: RequestMeta::ask(phase),
            name: Name::automatic()?,
            directory: place::automatic_directory(),
            format: place::automatic_format(),
            limits: DirectoryLimits::ask(),
        })
    }

    /// That of a profile that the program began and ends now.
    ///
    /// # Errors
    ///
    /// As [`automatic`](Self::automatic).
    pub(super) fn of_program() -> Result<Self> {
        Ok(Self {
            request: RequestMeta::ask(RequestPhase::Running),
            name: Name::of_program()?,
            directory: place::directory(),
            format: place::format(),
            limits: DirectoryLimits::ask(),
        })
    }

    /// The same destination at the end of the profile: the program may have set its
    /// route or title since. The file keeps its run id.
    pub(super) fn renew(&mut self, phase: RequestPhase) {
        self.request = RequestMeta::ask(phase);
        self.name.renew();
        self.limits = DirectoryLimits::ask();
    }
}
