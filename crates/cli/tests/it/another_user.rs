//! The program as another user, where the tests run as root. The tests of
//! `crates/server` have it, too.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::program::program_at;

/// The user `nobody`, and its group.
pub(crate) const USER: u32 = 65_534;

pub(crate) fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// The program as [`USER`]. A copy of it in `folder` is run: other users may not enter the
/// home of root, and the checkout may be there.
pub(crate) fn program_of_another_user(folder: &Path) -> Command {
    let copy = folder.join("xhprof-of-another-user");
    // By another process: a file that this one has open for writing cannot be executed,
    // and a child that another test starts just then has it open, too.
    let mut cp = Command::new("cp");
    cp.arg(crate::PROGRAM).arg(&copy);
    assert!(cp.status().unwrap().success());
    let mut command = program_at(&copy);
    command.uid(USER).gid(USER);
    command
}
