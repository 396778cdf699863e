//! Users of this machine: the names of files' owners, and their permissions in
//! directories.
//!
//! Only mode bits are checked. Access control lists and namespaces can differ,
//! so the result is advice.

use std::fs::{self, Metadata};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// The name of the user with this ID; the ID itself if there is none.
pub(crate) fn name(user: u32) -> String {
    let known = uzers::get_user_by_uid(user);
    known.map_or_else(
        || user.to_string(),
        |user| user.name().to_string_lossy().into_owned(),
    )
}

/// A user with all of the user's groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    user: u32,
    groups: Vec<u32>,
}

impl Identity {
    /// The user's ID.
    pub(crate) fn user(&self) -> u32 {
        self.user
    }

    /// The user with this name or ID, in `group` if that is given.
    pub(crate) fn of(user: &str, group: Option<&str>) -> Option<Self> {
        let by_number = || uzers::get_user_by_uid(user.parse().ok()?);
        let user = uzers::get_user_by_name(user).or_else(by_number)?;
        let primary = match group {
            None => user.primary_group_id(),
            Some(group) => match uzers::get_group_by_name(group) {
                Some(group) => group.gid(),
                None => group.parse().ok()?,
            },
        };
        let groups = uzers::get_user_groups(user.name(), primary).unwrap_or_default();
        let groups = groups.iter().map(uzers::Group::gid).chain([primary]);
        Some(Self {
            user: user.uid(),
            groups: groups.collect(),
        })
    }

    /// Whether the user can create files in `directory`; if not, the directory
    /// that prevents it.
    pub(crate) fn may_write<'p>(&self, directory: &'p Path) -> Result<(), &'p Path> {
        const ENTER: u32 = 1;
        const WRITE: u32 = 2;
        let mut above = directory.ancestors().skip(1);
        let may =
            |path: &Path, wanted| fs::metadata(path).is_ok_and(|meta| self.may(&meta, wanted));
        if !may(directory, ENTER | WRITE) {
            return Err(directory);
        }
        match above.find(|path| !path.as_os_str().is_empty() && !may(path, ENTER)) {
            Some(path) => Err(path),
            None => Ok(()),
        }
    }

    fn may(&self, file: &Metadata, wanted: u32) -> bool {
        let mode = file.permissions().mode();
        let bits = if file.uid() == self.user {
            mode >> 6
        } else if self.groups.contains(&file.gid()) {
            mode >> 3
        } else {
            mode
        };
        self.user == 0 || bits & wanted == wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_decide_who_may_write() {
        let directory = tempfile::tempdir().unwrap();
        let inner = directory.path().join("inner");
        fs::create_dir(&inner).unwrap();
        let owner = fs::metadata(&inner).unwrap();
        let mode = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        let stranger = |group| Identity {
            user: owner.uid() + 4711,
            groups: vec![group],
        };
        mode(directory.path(), 0o755);
        mode(&inner, 0o770);
        let other = stranger(owner.gid() + 4711);
        assert_eq!(other.may_write(&inner), Err(&*inner));
        assert_eq!(stranger(owner.gid()).may_write(&inner), Ok(()));
        mode(&inner, 0o777);
        assert_eq!(other.may_write(&inner), Ok(()));
        mode(directory.path(), 0o700);
        assert_eq!(other.may_write(&inner), Err(directory.path()));
        let root = Identity {
            user: 0,
            groups: Vec::new(),
        };
        assert_eq!(root.may_write(&inner), Ok(()));
    }

    #[test]
    fn users_are_known_by_name_and_number() {
        assert_eq!(name(0), "root");
        assert_eq!(name(3_999_999_999), "3999999999");
        let root = Identity::of("root", None);
        assert_eq!(root, Identity::of("0", None));
        assert_eq!(root.unwrap().user, 0);
        assert_eq!(Identity::of("no such user", None), None);
    }
}
