//! Functions of the operating system that Rust's library lacks.

use std::ffi::{CStr, CString, c_int};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Eight random bytes of the kernel; none if that fails.
pub(crate) fn random() -> Option<u64> {
    let mut bytes = [0_u8; 8];
    // SAFETY: the buffer is ours and as long as that.
    let outcome = unsafe { libc::getentropy(bytes.as_mut_ptr().cast(), bytes.len()) };
    (outcome == 0).then_some(u64::from_ne_bytes(bytes))
}

/// Ends the process after writing `message` to standard error.
pub(crate) fn die(message: &str) -> ! {
    eprintln!("{message}");
    std::process::abort()
}

/// Locks the file until it is closed; false if another process holds the lock.
/// Never waits.
pub(crate) fn try_lock(file: &File) -> bool {
    // SAFETY: the descriptor is open for as long as `file` is borrowed.
    unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) == 0 }
}

/// Releases the lock of [`try_lock`].
pub(crate) fn unlock(file: &File) {
    // SAFETY: as in `try_lock`.
    unsafe {
        libc::flock(file.as_raw_fd(), libc::LOCK_UN);
    }
}

/// Creates an unnamed file in a directory (`O_TMPFILE`), with mode 0600. The
/// kernel removes it with its last descriptor, unless [`give_name`] links it.
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

/// Whether `linkat` needs the path in /proc: before Linux 6.10, `AT_EMPTY_PATH`
/// requires a capability.
static NEEDS_PATH: AtomicBool = AtomicBool::new(false);

/// Links a [`nameless_file`] to a path that does not exist yet.
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
    // SAFETY: two NUL-terminated strings, which are only read.
    let outcome =
        unsafe { libc::linkat(directory, from.as_ptr(), libc::AT_FDCWD, to.as_ptr(), flags) };
    if outcome == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Calls `write`, in which a file may reach the limit of `ulimit -f`: then writing fails
/// by `EFBIG`, and the signal that would end the process (SIGXFSZ) is taken away.
pub(crate) fn without_file_size_signal<R>(write: impl FnOnce() -> R) -> R {
    // SAFETY: local sets of signals, and this thread's mask, which is restored. The
    // kernel sends the signal to the thread that writes.
    unsafe {
        let mut signal: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        let mut pending: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut signal);
        libc::sigaddset(&raw mut signal, libc::SIGXFSZ);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const signal, &raw mut before);
        libc::sigpending(&raw mut pending);
        let was_pending = libc::sigismember(&raw const pending, libc::SIGXFSZ) == 1;
        let result = write();
        libc::sigpending(&raw mut pending);
        if !was_pending && libc::sigismember(&raw const pending, libc::SIGXFSZ) == 1 {
            let mut taken = 0;
            libc::sigwait(&raw const signal, &raw mut taken);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
        result
    }
}

/// The effective user, who owns created files.
pub(crate) fn user() -> u32 {
    // SAFETY: always succeeds.
    unsafe { libc::geteuid() }
}

/// Moves a value into memory that is shared with forked processes, for the life of
/// the process; none if the system refuses.
pub(crate) fn shared_with_forks<T: Sync>(value: T) -> Option<&'static T> {
    // SAFETY: a new mapping at an address that the kernel chooses.
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
