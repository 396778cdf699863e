//! Memory that goes back to the system after a burst.
//!
//! glibc keeps freed memory: it has an arena for each few threads, and after the first large
//! buffer it takes all but the largest from them. A server that once took two hundred uploads
//! would stay as large. glibc reads how it is to behave when a program starts, so the program
//! starts itself again with that in its environment.

use std::env;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Few arenas; buffers above 256 KiB are mapped for themselves, and are gone when freed.
const SETTINGS: [(&str, &str); 3] = [
    ("MALLOC_ARENA_MAX", "2"),
    ("MALLOC_MMAP_THRESHOLD_", "262144"),
    ("MALLOC_TRIM_THRESHOLD_", "262144"),
];

/// Makes glibc give memory back. Call it first: the process begins again, with the same
/// arguments and the same id. Who has set one of these variables decides.
pub fn give_memory_back() {
    if SETTINGS.iter().any(|(name, _)| env::var_os(name).is_some()) {
        return;
    }
    let Ok(program) = env::current_exe() else {
        return;
    };
    let mut arguments = env::args_os();
    let mut command = Command::new(program);
    if let Some(name) = arguments.next() {
        command.arg0(name);
    }
    // It returns only if the program cannot be started again: then it keeps memory.
    let _ = command.args(arguments).envs(SETTINGS).exec();
}
