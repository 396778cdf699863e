//! A file whose content can be replaced while the disk is full.
//!
//! A spare file of the same size is beside it. New content is written over the spare
//! one, then both exchange their names: that takes neither a block nor an inode. File
//! systems that write each block to a new place (btrfs, ZFS) may refuse it all the same.
//!
//! **Invariant:** the file has the old content or the new one, whole, followed by spaces.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, OFlags, RenameFlags, renameat_with};

use crate::files;

/// Files have a multiple of this size.
const STEP: usize = 16 << 10;

/// How much more than their content files have, at least: it may grow on a full disk.
const ROOM: usize = 8 << 10;

/// A file whose content can be replaced while the disk is full.
#[derive(Debug)]
pub(crate) struct ReplacedFile {
    path: PathBuf,
    spare: PathBuf,
}

impl ReplacedFile {
    /// The file of this path, which may not be there yet.
    pub(crate) fn new(path: PathBuf) -> Self {
        let spare = path.with_extension("spare");
        Self { path, spare }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces the content, and waits until it is on the disk.
    ///
    /// # Errors
    ///
    /// Those of the file system; the file has its old content then.
    pub(crate) fn replace(&self, content: &[u8]) -> io::Result<()> {
        let size = self.write_spare(content)?;
        match renameat_with(CWD, &self.spare, CWD, &self.path, RenameFlags::EXCHANGE) {
            Ok(()) => {}
            // The first content; or a file system that cannot exchange names.
            Err(_) => fs::rename(&self.spare, &self.path)?,
        }
        files::sync(self.path.parent().unwrap_or(&self.path))?;
        self.prepare_spare(size);
        Ok(())
    }

    /// Writes the content over the spare file. Returns the size that both should have.
    fn write_spare(&self, content: &[u8]) -> io::Result<usize> {
        let (mut file, size) = match self.open_spare() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                (files::create(&self.spare)?, 0)
            }
            opened => opened?,
        };
        let wanted = (content.len() + ROOM).next_multiple_of(STEP);
        let written = if content.len() <= size { size } else { wanted };
        file.write_all(content)?;
        file.write_all(&vec![b' '; written - content.len()])?;
        file.sync_data()?;
        Ok(wanted.max(written))
    }

    /// Gives the spare file its size, while the disk may have the space.
    fn prepare_spare(&self, size: usize) {
        let prepare = || -> io::Result<()> {
            let (file, is) = match self.open_spare() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    (files::create(&self.spare)?, 0)
                }
                opened => opened?,
            };
            if is < size {
                let mut file = file;
                // Spaces, not a hole: a hole would need blocks when it is written.
                file.write_all(&vec![b' '; size])?;
                file.sync_data()?;
            }
            Ok(())
        };
        if let Err(error) = prepare() {
            tracing::debug!(file = %self.spare.display(), %error, "not prepared");
        }
    }

    /// The spare file, at its begin, and its size.
    fn open_spare(&self) -> io::Result<(File, usize)> {
        let mut options = File::options();
        let no_follow = OFlags::NOFOLLOW.bits().cast_signed();
        options.write(true).custom_flags(no_follow);
        let file = options.open(&self.spare)?;
        let size = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
        Ok((file, size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::os::unix::fs::{MetadataExt, symlink};

    fn content(file: &ReplacedFile) -> String {
        let text = fs::read_to_string(file.path()).unwrap();
        text.trim_end_matches(' ').to_owned()
    }

    /// The inodes of a folder, and its blocks.
    fn space(folder: &Path) -> (BTreeSet<u64>, u64) {
        let entries = fs::read_dir(folder).unwrap();
        let files = entries.map(|entry| entry.unwrap().metadata().unwrap());
        files.fold((BTreeSet::new(), 0), |(mut inodes, blocks), file| {
            inodes.insert(file.ino());
            (inodes, blocks + file.blocks())
        })
    }

    #[test]
    fn a_replacement_takes_no_block_and_no_inode() {
        let folder = tempfile::tempdir().unwrap();
        let file = ReplacedFile::new(folder.path().join("a.json"));
        file.replace(b"first").unwrap();
        assert_eq!(content(&file), "first");
        let before = space(folder.path());
        assert_eq!(before.0.len(), 2);
        for number in 0..10 {
            let text = number.to_string().repeat(700 * (number + 1));
            file.replace(text.as_bytes()).unwrap();
            assert_eq!(content(&file), text);
            assert_eq!(space(folder.path()), before, "{number}");
        }
    }

    #[test]
    fn a_longer_content_makes_both_files_longer() {
        let folder = tempfile::tempdir().unwrap();
        let file = ReplacedFile::new(folder.path().join("a.json"));
        file.replace(b"short").unwrap();
        let long = "x".repeat(3 * STEP);
        file.replace(long.as_bytes()).unwrap();
        assert_eq!(content(&file), long);
        let before = space(folder.path());
        file.replace(long.as_bytes()).unwrap();
        file.replace(b"short").unwrap();
        assert_eq!(content(&file), "short");
        assert_eq!(space(folder.path()), before);
    }

    #[test]
    fn a_failure_leaves_the_old_content_and_links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let file = ReplacedFile::new(folder.path().join("a.json"));
        file.replace(b"first").unwrap();
        let victim = folder.path().join("victim");
        fs::write(&victim, "victim").unwrap();
        fs::remove_file(&file.spare).unwrap();
        symlink(&victim, &file.spare).unwrap();
        assert!(file.replace(b"second").is_err());
        assert_eq!(content(&file), "first");
        assert_eq!(fs::read_to_string(&victim).unwrap(), "victim");
    }
}
