//! Prints the profile's path to standard error, if the user asked for a profile
//! on the command line.
//!
//! **Invariant:** nothing is written to a file that the program opened. A
//! program may close standard error and open a file, which gets its number.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::decision::Reason;
use crate::{inputs, settings};

thread_local! {
    /// Device and inode of standard error when the program began.
    static STANDARD_ERROR: std::cell::Cell<Option<(u64, u64)>> = const { std::cell::Cell::new(None) };
}

/// How many ancestors of the process are looked at.
const MAX_ANCESTORS: usize = 32;

/// Saves the identity of standard error when the program begins.
pub(super) fn note_standard_error() {
    STANDARD_ERROR.set(standard_error());
}

/// Prints where the profile is. Prints nothing if the program replaced standard
/// error, or if an ancestor process is profiled for the same reason: that one
/// prints its own path.
pub(super) fn written(reason: Reason, path: &Path) {
    let before = STANDARD_ERROR.get();
    if before.is_none() || before != standard_error() || inherited_the_request(reason) {
        return;
    }
    let path = path.to_string_lossy();
    let path: String = path
        .chars()
        .map(|letter| if letter.is_control() { '?' } else { letter })
        .collect();
    // A closed pipe is ignored.
    let _ = writeln!(io::stderr(), "xhprof: profile written to {path}");
}

/// Device and inode behind descriptor 2.
fn standard_error() -> Option<(u64, u64)> {
    let about = fs::metadata("/proc/self/fd/2").or_else(|_| fs::metadata("/dev/fd/2"));
    about.ok().map(|about| (about.dev(), about.ino()))
}

/// Whether this process is profiled only because it inherited the environment of
/// a profiled PHP. Programs read what their children write to standard error,
/// and some take any output there for a failure.
fn inherited_the_request(reason: Reason) -> bool {
    let name = match reason {
        Reason::Environment => "XHPROF".into(),
        _ => settings::value(&settings::TRIGGER),
    };
    let Some(value) = inputs::process_variable(&name) else {
        return false;
    };
    let variable = [name.as_bytes(), b"=", &value].concat();
    let own = fs::read_link("/proc/self/exe").ok();
    let mut ancestor = parent_of("self");
    for _ in 0..MAX_ANCESTORS {
        let Some(process) = ancestor.filter(|&process| process > 1) else {
            return false;
        };
        let is_php = own.is_some() && fs::read_link(format!("/proc/{process}/exe")).ok() == own;
        if is_php {
            let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
            if environment
                .split(|&byte| byte == 0)
                .any(|entry| entry == variable)
            {
                return true;
            }
        }
        ancestor = parent_of(&process.to_string());
    }
    false
}

fn parent_of(process: &str) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
    parent.trim().parse().ok()
}
