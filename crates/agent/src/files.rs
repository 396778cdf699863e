//! Files of the queue: only their owner may read them, and they are written
//! completely or not at all.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Creates a folder that only its owner may use.
///
/// # Errors
///
/// Something else has its name, such as a symbolic link; or another user owns it.
pub(crate) fn own_folder(path: &Path) -> io::Result<()> {
    match fs::DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => return sync(path.parent().unwrap_or(path)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    let found = path.symlink_metadata()?;
    if !found.is_dir() {
        return Err(io::Error::other("it is no folder"));
    }
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::other("another user owns it"));
    }
    if found.mode() & 0o022 != 0 {
        return Err(io::Error::other(
            "other users may write into it; chmod 700 changes that",
        ));
    }
    Ok(())
}

/// Creates a file that only its owner may read. What has its name is replaced,
/// and never followed.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    if let Err(error) = fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    File::options()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

/// Waits until the names in a folder are on the disk.
pub(crate) fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Removes a file that may be gone.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn links_are_replaced_and_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let victim = folder.path().join("victim");
        fs::write(&victim, "old").unwrap();
        let path = folder.path().join("file.json");
        symlink(&victim, &path).unwrap();
        create(&path).unwrap();
        assert_eq!(fs::read(&victim).unwrap(), b"old");
        let file = path.symlink_metadata().unwrap();
        assert!(file.is_file());
        assert_eq!(file.mode() & 0o7777, 0o600);
    }

    #[test]
    fn a_folder_of_ours_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own");
        own_folder(&own).unwrap();
        own_folder(&own).unwrap();
        assert_eq!(own.metadata().unwrap().mode() & 0o777, 0o700);
        fs::set_permissions(&own, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(own_folder(&own).is_err());
        let link = folder.path().join("link");
        symlink(folder.path(), &link).unwrap();
        assert!(own_folder(&link).is_err());
    }
}
