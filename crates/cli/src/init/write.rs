//! Makes files and folders: each whole or not at all, only in folders of the present user, and
//! through no symbolic link.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail};
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use crate::words::quoted;

/// The largest `.gitignore` that is read.
const LARGEST: u64 = 1 << 20;

/// One change of the file system.
#[derive(Debug)]
pub(super) struct Step {
    path: PathBuf,
    purpose: String,
    change: Change,
}

#[derive(Debug)]
enum Change {
    /// A file that is not there.
    File { text: String, mode: u32 },
    /// A folder that is not there, of a user and a group.
    Folder { owner: Option<(u32, u32)> },
    /// A line behind the text of a file.
    Line { line: &'static str, before: Vec<u8> },
}

impl Step {
    pub(super) fn file(path: PathBuf, purpose: String, text: String) -> Self {
        Self {
            path,
            purpose,
            change: Change::File { text, mode: 0o644 },
        }
    }

    /// A file that only its owner reads.
    pub(super) fn private_file(path: PathBuf, purpose: String, text: String) -> Self {
        Self {
            path,
            purpose,
            change: Change::File { text, mode: 0o600 },
        }
    }

    pub(super) fn folder(path: PathBuf, purpose: String, owner: Option<(u32, u32)>) -> Self {
        Self {
            path,
            purpose,
            change: Change::Folder { owner },
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn purpose(&self) -> &str {
        &self.purpose
    }

    /// What is written into the file.
    pub(super) fn text(&self) -> Option<String> {
        match &self.change {
            Change::File { text, .. } => Some(text.clone()),
            Change::Line { line, .. } => Some(format!("{line}\n")),
            Change::Folder { .. } => None,
        }
    }

    /// The command that takes it back.
    pub(super) fn way_back(&self) -> String {
        let path = quoted(self.path.as_os_str());
        match &self.change {
            Change::File { .. } => format!("rm {path}"),
            Change::Folder { .. } => format!("rm -r {path}"),
            Change::Line { line, .. } => {
                let pattern = line.replace('*', "\\*").replace('.', "\\.");
                format!("sed -i '/^{pattern}$/d' {path}")
            }
        }
    }

    fn perform(&self) -> Result<()> {
        let work = || -> Result<()> {
            let (folder, name) = Folder::of(&self.path)?;
            match &self.change {
                Change::File { text, mode } => folder.write_new(name, text.as_bytes(), *mode),
                Change::Folder { owner } => folder.make(name, *owner),
                Change::Line { line, before } => folder.append(name, before, line),
            }
        };
        work().with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// After a later step failed. What cannot be taken back is told by its name.
    fn undo(&self) -> Result<()> {
        let (folder, name) = Folder::of(&self.path)?;
        match &self.change {
            Change::File { .. } => folder.remove(name, AtFlags::empty()),
            Change::Folder { .. } => folder.remove(name, AtFlags::REMOVEDIR),
            Change::Line { before, .. } => folder.replace(name, before),
        }
    }
}

/// Takes all steps, or none.
pub(super) fn perform(steps: &[Step]) -> Result<()> {
    for (taken, step) in steps.iter().enumerate() {
        let Err(error) = step.perform() else { continue };
        let taken = steps.get(..taken).unwrap_or_default();
        let left: Vec<_> = taken
            .iter()
            .rev()
            .filter(|step| step.undo().is_err())
            .collect();
        let names: Vec<_> = left
            .iter()
            .map(|step| step.path.display().to_string())
            .collect();
        return Err(match names.is_empty() {
            true => error,
            false => error.context(format!("except {}", names.join(", "))),
        });
    }
    Ok(())
}

/// A line to add to a file of the user's, or to a new file; none if the file has it.
pub(super) fn line_of(path: &Path, line: &'static str, user: u32) -> Result<Option<Step>> {
    let shown = path.display();
    let folder = path.parent().unwrap_or(path);
    if owner_of(folder) != Some(user) {
        bail!("{} belongs to another user", folder.display());
    }
    let purpose = format!("the line {line}");
    let meta = match path.symlink_metadata() {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Some(Step::file(
                path.to_owned(),
                purpose,
                format!("{line}\n"),
            )));
        }
        Err(error) => return Err(error).with_context(|| format!("cannot read {shown}")),
    };
    if !meta.is_file() || meta.uid() != user || meta.nlink() != 1 || meta.len() > LARGEST {
        bail!("{shown} is not a plain file of yours: add the line {line} by hand");
    }
    let before = fs::read(path).with_context(|| format!("cannot read {shown}"))?;
    let mut lines = before.split(|&byte| byte == b'\n');
    if lines.any(|known| known.trim_ascii() == line.as_bytes()) {
        return Ok(None);
    }
    Ok(Some(Step {
        path: path.to_owned(),
        purpose,
        change: Change::Line { line, before },
    }))
}

/// The user whose folder it is.
pub(super) fn owner_of(folder: &Path) -> Option<u32> {
    let meta = fs::symlink_metadata(folder).ok()?;
    meta.is_dir().then(|| meta.uid())
}

/// An open folder of the present user. What happens to its path later does not matter.
struct Folder(OwnedFd);

impl Folder {
    /// The folder of a path, made if the user may, and the last name.
    fn of(path: &Path) -> Result<(Self, &OsStr)> {
        let name = path.file_name().context("it has no name")?;
        let mut folder = rustix::fs::open("/", flags(), Mode::empty())?;
        for part in path.parent().unwrap_or(path).components() {
            let Component::Normal(part) = part else {
                continue;
            };
            // A link here was made after the path was resolved.
            folder = match rustix::fs::openat(&folder, part, flags(), Mode::empty()) {
                Err(Errno::NOENT) => {
                    rustix::fs::mkdirat(&folder, part, Mode::RWXU)?;
                    rustix::fs::openat(&folder, part, flags(), Mode::empty())?
                }
                other => other.map_err(io::Error::from)?,
            };
        }
        let user = rustix::process::geteuid().as_raw();
        if rustix::fs::fstat(&folder)?.st_uid != user {
            bail!("its folder belongs to another user");
        }
        Ok((Self(folder), name))
    }

    fn write_new(&self, name: &OsStr, bytes: &[u8], mode: u32) -> Result<()> {
        let temporary = self.temporary(bytes, mode)?;
        // Fails if the name is there, which a rename does not.
        let linked = rustix::fs::linkat(&self.0, &*temporary, &self.0, name, AtFlags::empty());
        let removed = self.remove(OsStr::new(&temporary), AtFlags::empty());
        linked.map_err(io::Error::from)?;
        removed
    }

    fn make(&self, name: &OsStr, owner: Option<(u32, u32)>) -> Result<()> {
        rustix::fs::mkdirat(&self.0, name, Mode::RWXU)?;
        let Some((user, group)) = owner else {
            return Ok(());
        };
        let readable = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = rustix::fs::openat(&self.0, name, readable, Mode::empty())?;
        std::os::unix::fs::fchown(&folder, Some(user), Some(group))?;
        Ok(rustix::fs::fchmod(&folder, Mode::from_raw_mode(0o2750))?)
    }

    fn append(&self, name: &OsStr, before: &[u8], line: &str) -> Result<()> {
        let read = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.0, name, read, Mode::empty())?;
        let mut now = Vec::new();
        File::from(file).take(LARGEST + 1).read_to_end(&mut now)?;
        if now != before {
            bail!("it was changed just now");
        }
        let end: &[u8] = if before.is_empty() || before.ends_with(b"\n") {
            b""
        } else {
            b"\n"
        };
        self.replace(name, &[before, end, line.as_bytes(), b"\n"].concat())
    }

    /// Replaces a file at once; its permissions stay.
    fn replace(&self, name: &OsStr, bytes: &[u8]) -> Result<()> {
        let old = rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let temporary = self.temporary(bytes, old.st_mode & 0o777)?;
        Ok(rustix::fs::renameat(&self.0, &*temporary, &self.0, name)?)
    }

    /// A whole file under another name.
    fn temporary(&self, bytes: &[u8], mode: u32) -> Result<String> {
        let name = format!(".xhprof-init-{}", std::process::id());
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.0, &*name, flags, Mode::from_raw_mode(0o600))?;
        let mut file = File::from(file);
        let written = file
            .write_all(bytes)
            .and_then(|()| Ok(rustix::fs::fchmod(&file, Mode::from_raw_mode(mode))?))
            .and_then(|()| file.sync_all());
        if written.is_err() {
            self.remove(OsStr::new(&name), AtFlags::empty())?;
        }
        written?;
        Ok(name)
    }

    fn remove(&self, name: &OsStr, flags: AtFlags) -> Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, flags)?)
    }
}

fn flags() -> OFlags {
    // With PATH, a folder that the user may enter but not list is enough.
    OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn file(path: &Path) -> Step {
        Step::file(path.to_owned(), String::new(), "new\n".to_owned())
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().flatten();
        let mut names: Vec<_> = entries
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_is_replaced_and_no_link_is_followed() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        fs::write(root.join("there"), "old").unwrap();
        fs::create_dir(root.join("real")).unwrap();
        symlink(root.join("real"), root.join("link")).unwrap();
        symlink(root.join("nowhere"), root.join("dangling")).unwrap();
        for path in ["there", "link/x", "dangling"] {
            assert!(file(&root.join(path)).perform().is_err(), "{path}");
        }
        assert_eq!(fs::read(root.join("there")).unwrap(), b"old");
        assert_eq!(names(&root), ["dangling", "link", "real", "there"]);
        assert!(names(&root.join("real")).is_empty());
    }

    #[test]
    fn a_step_that_fails_takes_back_those_before() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let ignored = root.join(".gitignore");
        fs::write(&ignored, "vendor").unwrap();
        fs::set_permissions(&ignored, fs::Permissions::from_mode(0o640)).unwrap();
        let user = rustix::process::geteuid().as_raw();
        let line = line_of(&ignored, "*.xhp", user).unwrap().unwrap();
        let steps = [
            file(&root.join("a")),
            Step::folder(root.join("b"), String::new(), None),
            line,
            file(&ignored),
        ];
        assert!(perform(&steps).is_err());
        assert_eq!(fs::read(&ignored).unwrap(), b"vendor");
        assert_eq!(names(&root), [".gitignore"]);
        perform(&steps[..3]).unwrap();
        assert_eq!(fs::read(&ignored).unwrap(), b"vendor\n*.xhp\n");
        let mode = fs::metadata(&ignored).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        assert_eq!(names(&root), [".gitignore", "a", "b"]);
        assert!(line_of(&ignored, "*.xhp", user).unwrap().is_none());
    }

    #[test]
    fn only_plain_files_of_the_user_get_a_line() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let user = rustix::process::geteuid().as_raw();
        let (target, link) = (root.join("target"), root.join(".gitignore"));
        fs::write(&target, "").unwrap();
        symlink(&target, &link).unwrap();
        assert!(line_of(&link, "*.xhp", user).is_err());
        assert!(line_of(&target, "*.xhp", user + 1).is_err());
        fs::hard_link(&target, root.join("second")).unwrap();
        assert!(line_of(&target, "*.xhp", user).is_err());
    }
}
