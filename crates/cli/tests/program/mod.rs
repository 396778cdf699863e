//! The program under test.

use std::process::{Command, Stdio};

/// The program, without the settings of the user who runs the tests.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xhprof"));
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
