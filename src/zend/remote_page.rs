//! The memory through which `xhprof attach --trace` asks this process for profiles. Its layout is in
//! `policy::requests::remote`.
//!
//! **Invariant:** the other side may write anything at any time: each byte is an atomic, each
//! number is checked by who uses it, and the kernel keeps the size (`F_SEAL_SHRINK`).

use std::fs::File;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering};

use policy::requests::remote;

use super::system;

/// The page of this process.
pub(crate) struct RemotePage {
    start: NonNull<u8>,
    file: File,
}

/// The page, once there is one; it stays for the life of the process.
static PAGE: AtomicPtr<RemotePage> = AtomicPtr::new(ptr::null_mut());
/// Whether it was tried to make one.
static IS_TRIED: AtomicBool = AtomicBool::new(false);

/// The page, which is made at the first call; none where the system has none.
pub(crate) fn of_this_process() -> Option<&'static RemotePage> {
    if !IS_TRIED.load(Ordering::Relaxed) {
        // A thread that comes second finds none at its first request.
        if !IS_TRIED.swap(true, Ordering::Relaxed) {
            let page = RemotePage::new().map(Box::new);
            PAGE.store(
                page.map_or(ptr::null_mut(), Box::into_raw),
                Ordering::Release,
            );
        }
    }
    // SAFETY: null, or a box that is never freed.
    unsafe { PAGE.load(Ordering::Acquire).as_ref() }
}

/// In the child of a fork: the page is the parent's. Stores two numbers, and nothing else.
pub(crate) fn forget() {
    PAGE.store(ptr::null_mut(), Ordering::Relaxed);
    IS_TRIED.store(false, Ordering::Relaxed);
}

impl RemotePage {
    #[cfg(target_os = "linux")]
    fn new() -> Option<Self> {
        use std::ffi::CString;
        use std::os::fd::{AsRawFd, FromRawFd};

        let name = CString::new(remote::NAME).ok()?;
        let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
        // By number: glibc has the function since 2.27.
        // SAFETY: a text that ends with a NUL, and is only read.
        let descriptor = unsafe { libc::syscall(libc::SYS_memfd_create, name.as_ptr(), flags) };
        let descriptor = i32::try_from(descriptor)
            .ok()
            .filter(|&number| number >= 0)?;
        // SAFETY: a new descriptor, which only this file owns.
        let file = unsafe { File::from_raw_fd(descriptor) };
        system::without_file_size_signal(|| file.set_len(remote::SIZE as u64)).ok()?;
        let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
        // SAFETY: plain system calls on a descriptor that is open; a new mapping at an address
        // that the kernel chooses.
        let memory = unsafe {
            if libc::fchmod(file.as_raw_fd(), 0o600) != 0
                || libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) != 0
            {
                return None;
            }
            libc::mmap(
                ptr::null_mut(),
                remote::SIZE,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if memory == libc::MAP_FAILED {
            return None;
        }
        let start = NonNull::new(memory.cast())?;
        let page = Self { start, file };
        page.number(remote::PROCESS)
            .store(std::process::id(), Ordering::Relaxed);
        page.write(0, &remote::MAGIC);
        Some(page)
    }

    #[cfg(not(target_os = "linux"))]
    fn new() -> Option<Self> {
        None
    }

    /// The number at an offset of `policy::requests::remote`.
    pub(crate) fn number(&self, offset: usize) -> &AtomicU32 {
        assert!(offset.is_multiple_of(4) && offset + 4 <= remote::SIZE);
        // SAFETY: inside of the mapping, which is aligned to a page and never unmapped.
        unsafe { AtomicU32::from_ptr(self.start.as_ptr().add(offset).cast()) }
    }

    /// The time at an offset of `policy::requests::remote`.
    pub(crate) fn time(&self, offset: usize) -> &AtomicU64 {
        assert!(offset.is_multiple_of(8) && offset + 8 <= remote::SIZE);
        // SAFETY: as in `number`.
        unsafe { AtomicU64::from_ptr(self.start.as_ptr().add(offset).cast()) }
    }

    /// Writes bytes at an offset.
    pub(crate) fn write(&self, offset: usize, bytes: &[u8]) {
        assert!(offset + bytes.len() <= remote::SIZE);
        for (at, &byte) in (offset..).zip(bytes) {
            // SAFETY: as in `number`.
            let place = unsafe { AtomicU8::from_ptr(self.start.as_ptr().add(at)) };
            place.store(byte, Ordering::Relaxed);
        }
    }

    /// Whether another process holds the lock of the page, and so waits for results.
    pub(crate) fn is_held(&self) -> bool {
        if !system::try_lock(&self.file) {
            return true;
        }
        system::unlock(&self.file);
        false
    }
}
