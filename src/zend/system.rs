//! What the operating system has and Rust's library does not.

use std::fs::File;
use std::os::fd::AsRawFd;

/// Eight bytes of the kernel's randomness; none if it gives none.
pub(crate) fn random() -> Option<u64> {
    let mut bytes = [0_u8; 8];
    // SAFETY: the buffer is ours and as long as that.
    let outcome = unsafe { libc::getentropy(bytes.as_mut_ptr().cast(), bytes.len()) };
    (outcome == 0).then_some(u64::from_ne_bytes(bytes))
}

/// Takes the file's lock, which goes with the file; false if somebody has it.
/// Never waits.
pub(crate) fn try_lock(file: &File) -> bool {
    // SAFETY: the descriptor is open for as long as `file` is borrowed.
    unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) == 0 }
}

/// The user on whose account files are made.
pub(crate) fn user() -> u32 {
    // SAFETY: always succeeds.
    unsafe { libc::geteuid() }
}

/// How large a page of memory is.
pub(crate) fn page_size() -> usize {
    // SAFETY: always succeeds.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}
