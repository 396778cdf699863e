//! Opens a file of a spool folder.

use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens a regular file for reading. A symbolic link is an error, and so is a
/// pipe, whose writer the caller would wait for.
///
/// # Errors
///
/// Those of the file system.
pub fn open(path: &Path) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let mut options = File::options();
    options.read(true).custom_flags(flags.bits().cast_signed());
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn neither_links_nor_folders_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "x").unwrap();
        let link = folder.path().join("b");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(open(&path).is_ok());
        assert!(open(&link).is_err());
        assert!(open(folder.path()).is_err());
    }
}
