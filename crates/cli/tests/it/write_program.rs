//! Programs that tests write.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes a program. Another process does it: a file that this one has open for writing
/// cannot be executed, and a child that another test starts just then has it open, too.
pub(crate) fn write_program(path: &Path, content: &[u8]) {
    let mut shell = Command::new("sh");
    shell.args(["-c", "cat > \"$1\" && chmod 755 \"$1\"", "sh"]);
    let mut shell = shell.arg(path).stdin(Stdio::piped()).spawn().unwrap();
    shell.stdin.take().unwrap().write_all(content).unwrap();
    assert!(shell.wait().unwrap().success());
}
