//! The program under test, which `PROGRAM` names. The tests of `crates/server` have it, too.

use std::path::Path;
use std::process::{Command, Stdio};

/// The program, without the settings of the user who runs the tests.
pub(crate) fn program() -> Command {
    program_at(Path::new(crate::PROGRAM))
}

/// The same of a copy.
pub(crate) fn program_at(path: &Path) -> Command {
    let mut command = Command::new(path);
    for name in [
        "XHPROF_STORE",
        "XHPROF_TOKEN",
        "XHPROF_WEBHOOK",
        "XHPROF_CLICKHOUSE_PASSWORD",
    ] {
        command.env_remove(name);
    }
    command.stdin(Stdio::null());
    command
}
