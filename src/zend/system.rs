//! What the operating system has and Rust's library does not.

use std::ffi::{CStr, CString, c_int};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

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

/// A file in that directory that has no name, and is gone with its last
/// descriptor unless it gets one. For us alone.
pub(crate) fn nameless_file(directory: &Path) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    return File::options()
        .write(true)
        .mode(0o600)
        .custom_flags(libc::O_TMPFILE)
        .open(directory);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = directory;
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Whether the kernel takes no descriptor alone for the file to be named: before
/// Linux 6.10 that needs a capability.
static NEEDS_PATH: AtomicBool = AtomicBool::new(false);

/// Gives a [`nameless_file`] a name that does not exist yet.
pub(crate) fn give_name(file: &File, path: &Path) -> io::Result<()> {
    let to = CString::new(path.as_os_str().as_bytes())?;
    #[cfg(target_os = "linux")]
    if !NEEDS_PATH.load(Ordering::Relaxed) {
        match link(file.as_raw_fd(), c"", &to, libc::AT_EMPTY_PATH) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {}
            outcome => return outcome,
        }
    }
    let from = CString::new(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
    link(libc::AT_FDCWD, &from, &to, libc::AT_SYMLINK_FOLLOW)?;
    NEEDS_PATH.store(true, Ordering::Relaxed);
    Ok(())
}

fn link(directory: RawFd, from: &CStr, to: &CStr, flags: c_int) -> io::Result<()> {
    // SAFETY: two strings with their ends, and no buffer that is written to.
    let outcome =
        unsafe { libc::linkat(directory, from.as_ptr(), libc::AT_FDCWD, to.as_ptr(), flags) };
    if outcome == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
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

/// Puts a value into memory that the processes forked from this one share, for
/// the life of the process; none if the system gives no such memory.
pub(crate) fn shared_with_forks<T: Sync>(value: T) -> Option<&'static T> {
    // SAFETY: a new mapping, placed by the kernel.
    let memory = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            size_of::<T>(),
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if memory == libc::MAP_FAILED {
        return None;
    }
    let place: *mut T = memory.cast();
    // SAFETY: a mapping is aligned to a page, as large as asked for, and never
    // unmapped. `T` is `Sync`, so processes may use it at the same time as
    // threads may.
    unsafe {
        place.write(value);
        Some(&*place)
    }
}
