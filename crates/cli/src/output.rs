//! Writes files completely or not at all.
//!
//! A profile may reveal private data of the program, so only its owner may read
//! the file. In a directory that other users can write to, a name may be a
//! symbolic link to anywhere, so links are not followed.

use std::fs::{self, Permissions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use rustix::fs::{Access, access};

use crate::terminal::{Safe, say};
use crate::{input, units};

/// Checks that `path` can be written, before a long run.
pub(crate) fn check(path: &Path) -> Result<()> {
    let directory = directory(path);
    if path.is_dir() && !path.is_symlink() {
        bail!(
            "cannot write {}: it is a directory; name a file in it, as in {}",
            path.display(),
            path.join("run.xhp").display()
        );
    }
    if path.file_name().is_none() || path == "-" {
        bail!("cannot write {}: it is not a file name", path.display());
    }
    if !directory.is_dir() {
        bail!(
            "cannot write {}: {} is not a directory",
            path.display(),
            directory.display()
        );
    }
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => {
            bail!("cannot write {}: it is a symbolic link", path.display())
        }
        Ok(found) if !found.is_file() => {
            bail!("cannot write {}: it is not a regular file", path.display())
        }
        Ok(_) => {}
        // The folder says more.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied
            ) => {}
        Err(error) => {
            return Err(error).with_context(|| format!("cannot write {}", path.display()));
        }
    }
    access(directory, Access::WRITE_OK | Access::EXEC_OK).with_context(|| {
        format!(
            "cannot write {}: no file can be made in {}",
            path.display(),
            directory.display()
        )
    })
}

/// Checks that `path`, if it is not `-`, can be written and is none of
/// `inputs`.
pub(crate) fn check_apart<'p>(
    path: &Path,
    inputs: impl IntoIterator<Item = &'p PathBuf>,
) -> Result<()> {
    if input::is_standard(path) {
        return Ok(());
    }
    check(path)?;
    let identity = |path: &Path| {
        let file = fs::metadata(path).ok()?;
        Some((file.dev(), file.ino()))
    };
    let Some(ours) = identity(path) else {
        return Ok(());
    };
    let mut inputs = inputs.into_iter().filter(|path| !input::is_standard(path));
    if inputs.any(|input| identity(input) == Some(ours)) {
        bail!("cannot write {}: it is the input", path.display());
    }
    Ok(())
}

/// Writes the output of `act`: to standard output if `path` is `-`, else to a
/// new file, which replaces an existing one when it is complete.
pub(crate) fn write(path: &Path, act: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    if !input::is_standard(path) {
        return save_with(path, PRIVATE, act);
    }
    let stdout = io::stdout().lock();
    let outcome = if stdout.is_terminal() {
        let mut out = Safe::new(BufWriter::new(stdout));
        act(&mut out).and_then(|()| Ok(out.finish()?))
    } else {
        let mut out = BufWriter::new(stdout);
        act(&mut out).and_then(|()| Ok(out.flush()?))
    };
    outcome.context("cannot write to standard output")
}

/// Whether the reader of a pipe has closed it.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let mut causes = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// The outcome of printing, without the error that the reader has gone, such as `head`.
pub(crate) fn even_if_not_read(printed: Result<()>) -> Result<()> {
    match printed {
        Err(error) if is_broken_pipe(&error) => Ok(()),
        outcome => outcome,
    }
}

/// A file and its size, for messages: `run.svg (12.3 kB)`.
pub(crate) fn with_size(path: &Path) -> String {
    let size = path.metadata().map_or(0, |file| file.len());
    format!("{} ({})", path.display(), size_of(size))
}

/// The size of files, for messages.
pub(crate) fn size_of(bytes: u64) -> String {
    let size = units::size(i64::try_from(bytes).unwrap_or(i64::MAX));
    size.trim_end().to_owned()
}

/// Tells the user which file was written; nothing of standard output.
pub(crate) fn say_written(path: &Path) {
    if !input::is_standard(path) {
        say(&format!("wrote {}", with_size(path)));
    }
}

/// The output file without `-o`: the input's name with another ending, in the
/// working directory. A file that the user has not named is not replaced.
pub(crate) fn default_path(input: &Path, ending: &str) -> Result<PathBuf> {
    let Some(name) = input.file_name().filter(|_| !input::is_standard(input)) else {
        bail!(
            "{} has no name to derive one from: give -o OUT",
            input::title(input)
        );
    };
    let mut stem = PathBuf::from(name);
    let is_packed = |ending: &str| matches!(ending, "gz" | "zst");
    if stem
        .extension()
        .and_then(|ending| ending.to_str())
        .is_some_and(is_packed)
    {
        stem.set_extension("");
    }
    let path = stem.with_extension(ending);
    if path.exists() {
        bail!("{0} is there already: -o {0} replaces it", path.display());
    }
    Ok(path)
}

/// Writes `bytes` to `path`, readable by every user: for files without private
/// data.
pub(crate) fn save_public(path: &Path, bytes: &[u8]) -> Result<()> {
    save_with(path, PUBLIC, |out| Ok(out.write_all(bytes)?))
}

const PRIVATE: u32 = 0o600;
const PUBLIC: u32 = 0o644;

fn save_with(path: &Path, mode: u32, act: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    check(path)?;
    let write = || -> Result<()> {
        // Created with that mode and O_EXCL; removed if an error occurs.
        let prefix = ".xhprof-";
        let file = tempfile::Builder::new()
            .prefix(prefix)
            .permissions(Permissions::from_mode(mode))
            .tempfile_in(directory(path))?;
        // Not `file` itself: its errors have the temporary name.
        let mut out = BufWriter::new(file.as_file());
        act(&mut out)?;
        out.flush()?;
        drop(out);
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn save(path: &Path, bytes: &[u8]) -> Result<()> {
        save_with(path, PRIVATE, |out| Ok(out.write_all(bytes)?))
    }

    #[test]
    fn a_file_is_private_and_replaces_the_one_before() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.xhprof");
        fs::write(&path, "old").unwrap();
        save(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn links_are_not_followed() {
        let directory = tempfile::tempdir().unwrap();
        let (target, link) = (
            directory.path().join("target"),
            directory.path().join("link"),
        );
        fs::write(&target, "precious").unwrap();
        symlink(&target, &link).unwrap();
        assert!(
            save(&link, b"new")
                .unwrap_err()
                .to_string()
                .ends_with("it is a symbolic link")
        );
        assert_eq!(fs::read(&target).unwrap(), b"precious");
    }

    #[test]
    fn what_is_not_complete_is_not_there() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.svg");
        fs::write(&path, "old").unwrap();
        let outcome = save_with(&path, PRIVATE, |out| {
            out.write_all(&[b'x'; 100_000])?;
            bail!("no more")
        });
        assert!(format!("{:#}", outcome.unwrap_err()).ends_with("run.svg: no more"));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn without_a_name_the_output_has_the_inputs_name_with_another_ending() {
        let of = |input: &str| default_path(Path::new(input), "svg");
        assert_eq!(of("some/run.xhp").unwrap(), Path::new("run.svg"));
        assert_eq!(
            of("run.index.xhprof.gz").unwrap(),
            Path::new("run.index.svg")
        );
        assert_eq!(of("profiles/").unwrap(), Path::new("profiles.svg"));
        assert!(of("-").unwrap_err().to_string().contains("give -o OUT"));
        // Tests run in the folder of the crate.
        let there = default_path(Path::new("Cargo.lock"), "toml").unwrap_err();
        assert!(there.to_string().ends_with("-o Cargo.toml replaces it"));
    }

    #[test]
    fn an_input_is_never_written_whatever_it_is_called() {
        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (directory.path().join("a"), directory.path().join("b"));
        fs::write(&file, "profile").unwrap();
        fs::hard_link(&file, &link).unwrap();
        let stdin = PathBuf::from("-");
        assert!(check_apart(&link, [&stdin, &file]).is_err());
        assert!(check_apart(&link, [&stdin]).is_ok());
        assert!(check_apart(&stdin, [&stdin]).is_ok());
    }

    #[test]
    fn devices_and_missing_directories_are_refused() {
        for path in ["/dev/null", "/", "/nonexistent/file", "-"] {
            assert!(save(Path::new(path), b"new").is_err(), "{path}");
        }
    }
}
