//! The files that a server may read: those below the named directories, and named files.
//!
//! **Invariant:** a path is resolved before it is compared, and opened so that its last part is
//! no link: what is outside is not read, whatever a link or `..` says.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use profile::Profile;
use rustix::fs::OFlags;

use crate::directory::{Found, in_directory};
use crate::input;

/// The directories and files, resolved.
#[derive(Debug)]
pub(super) struct Files {
    named: Vec<PathBuf>,
    /// The directory of the profiles that `run_command` recorded.
    recorded: Option<PathBuf>,
}

impl Files {
    /// Those that the command line names; else the working directory.
    pub(super) fn new(paths: &[PathBuf], recorded: Option<&Path>) -> Result<Self> {
        let here = [PathBuf::from(".")];
        let paths = if paths.is_empty() { &here } else { paths };
        let resolved = |path: &PathBuf| {
            let found = path.canonicalize();
            found.with_context(|| format!("cannot read {}", path.display()))
        };
        Ok(Self {
            named: paths.iter().map(resolved).collect::<Result<_>>()?,
            recorded: recorded.map(Path::canonicalize).transpose()?,
        })
    }

    fn all(&self) -> impl Iterator<Item = &PathBuf> {
        self.recorded.iter().chain(&self.named)
    }

    /// Where the profiles are, for messages.
    pub(super) fn places(&self) -> String {
        let places = self.named.iter().map(|path| path.display().to_string());
        places.collect::<Vec<_>>().join(", ")
    }

    /// The files of the directories, without those below, and the named files.
    pub(super) fn list(&self) -> Result<Vec<Found>> {
        let mut files = Vec::new();
        for place in self.all() {
            if place.is_dir() {
                files.extend(in_directory(place)?);
            } else {
                files.push(place.clone());
            }
        }
        let resolved = files
            .into_iter()
            .filter_map(|path| path.canonicalize().ok());
        let mut files: Vec<PathBuf> = resolved.filter(|path| self.is_inside(path)).collect();
        files.sort_unstable();
        files.dedup();
        let found = |path| Found {
            path,
            is_found: true,
        };
        Ok(files.into_iter().map(found).collect())
    }

    fn is_inside(&self, path: &Path) -> bool {
        self.all().any(|place| path.starts_with(place))
    }

    /// What a file is called: its path below the only directory, else its whole path.
    pub(super) fn name(&self, path: &Path) -> String {
        let short = match self
            .recorded
            .as_deref()
            .and_then(|of| path.strip_prefix(of).ok())
        {
            Some(recorded) => Some(recorded),
            None => match self.named.as_slice() {
                [only] => path.strip_prefix(only).ok(),
                _ => None,
            },
        };
        let short = short.filter(|short| !short.as_os_str().is_empty());
        short.unwrap_or(path).display().to_string()
    }

    /// Reads the profile of that name.
    pub(super) fn profile(&self, name: &str) -> Result<Profile> {
        let file = self.open(name)?;
        input::parsed(file).with_context(|| format!("{name} cannot be read as a profile"))
    }

    fn open(&self, name: &str) -> Result<File> {
        let candidates = self.all().map(|place| {
            if place.is_dir() || Path::new(name).is_absolute() {
                place.join(name)
            } else if place.file_name() == Some(name.as_ref()) {
                place.clone()
            } else {
                PathBuf::new()
            }
        });
        let mut resolved = candidates.filter_map(|path| path.canonicalize().ok());
        let Some(path) = resolved.find(|path| self.is_inside(path) && path.is_file()) else {
            bail!(
                "there is no file {name} in {}, and this server reads no other place; list_runs has \
                 the names of the profiles",
                self.places()
            );
        };
        // It may have been replaced by a link, or by a pipe, which would block.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let mut options = OpenOptions::new();
        let options = options.read(true).custom_flags(flags.bits().cast_signed());
        let file = options.open(&path);
        let file = file.with_context(|| format!("cannot read {name}"))?;
        if !file.metadata()?.is_file() {
            bail!("{name} is no file any more; ask list_runs again");
        }
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_what_is_below_the_folder_is_opened() {
        let outside = tempfile::tempdir().unwrap();
        let folder = outside.path().join("profiles");
        fs::create_dir_all(folder.join("below")).unwrap();
        for name in [
            "profiles/a.xhp",
            "profiles/below/b.xhp",
            "secret",
            "profiles-2",
        ] {
            fs::write(outside.path().join(name), "x").unwrap();
        }
        let secret = outside.path().join("secret");
        symlink(&secret, folder.join("link.xhp")).unwrap();
        symlink(outside.path(), folder.join("up")).unwrap();
        symlink("a.xhp", folder.join("inside.xhp")).unwrap();
        let files = Files::new(std::slice::from_ref(&folder), None).unwrap();
        for name in ["a.xhp", "below/b.xhp", "inside.xhp", "below/../a.xhp"] {
            assert!(files.open(name).is_ok(), "{name}");
        }
        let whole = folder.canonicalize().unwrap().join("a.xhp");
        assert!(files.open(whole.to_str().unwrap()).is_ok());
        let secret = secret.to_str().unwrap();
        for name in [
            "link.xhp",
            "up/secret",
            "../secret",
            "../profiles-2",
            secret,
            "below",
            "",
            "/",
            "..",
            "\0",
        ] {
            let error = files.open(name).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("there is no file {name} in ")),
                "{error}"
            );
        }
        let names = files.list().unwrap();
        let names: Vec<String> = names.iter().map(|file| files.name(&file.path)).collect();
        assert_eq!(names, ["a.xhp"]);
    }

    #[test]
    fn a_named_file_is_the_only_one_of_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["a.xhp", "b.xhp"].map(|name| folder.path().join(name));
        for path in &paths {
            fs::write(path, "x").unwrap();
        }
        let files = Files::new(&paths[..1], None).unwrap();
        assert!(files.open("a.xhp").is_ok() && files.open(paths[0].to_str().unwrap()).is_ok());
        assert!(files.open("b.xhp").is_err() && files.open(paths[1].to_str().unwrap()).is_err());
    }
}
