//! Files that are there whole or not at all.
//!
//! A profile may show what a program did, so nobody else may read it; and a
//! name in a directory others can write to may lead anywhere, so no link is
//! followed.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};

/// Makes sure, before a long run, that [`save`] has a place to write to.
pub(crate) fn check(path: &Path) -> Result<()> {
    let directory = directory(path);
    if path.file_name().is_none() || path == "-" {
        bail!("cannot write {}: not the name of a file", path.display());
    }
    if !directory.is_dir() {
        bail!(
            "cannot write {}: {} is no directory",
            path.display(),
            directory.display()
        );
    }
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => {
            bail!("cannot write {}: it is a symbolic link", path.display())
        }
        Ok(found) if !found.is_file() => {
            bail!("cannot write {}: it is no regular file", path.display())
        }
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error).with_context(|| format!("cannot write {}", path.display())),
    }
}

/// Writes `bytes` to `path`, readable by its owner alone, replacing what was
/// there.
pub(crate) fn save(path: &Path, bytes: &[u8]) -> Result<()> {
    check(path)?;
    let write = || -> io::Result<()> {
        // Made with mode 0600 and O_EXCL; removed if anything fails.
        let prefix = ".xhprof-";
        let mut file = tempfile::Builder::new()
            .prefix(prefix)
            .tempfile_in(directory(path))?;
        file.write_all(bytes)?;
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
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

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
    fn devices_and_missing_directories_are_refused() {
        for path in ["/dev/null", "/", "/nonexistent/file", "-"] {
            assert!(save(Path::new(path), b"new").is_err(), "{path}");
        }
    }
}
