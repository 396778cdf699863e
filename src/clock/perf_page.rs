//! Detects context switches of this thread by a perf event's mmap page.
//!
//! `perf_event_open` gives a page for an event that counts this thread's time.
//! The kernel updates the page when it switches the thread in, and changes its
//! sequence number (`lock` in `struct perf_event_mmap_page`). The times in the
//! page are not used: virtual machines do not say how to read them. Needs
//! `kernel.perf_event_paranoid` of 2 or less, and no seccomp filter against it.

use std::cell::Cell;

use crate::zend::{self, per_thread::per_thread};

/// `PERF_TYPE_SOFTWARE` and `PERF_COUNT_SW_TASK_CLOCK`.
const SOFTWARE: u32 = 1;
const TASK_CLOCK: u64 = 1;
/// `PERF_FLAG_FD_CLOEXEC`.
const CLOSE_ON_EXEC: libc::c_ulong = 1 << 3;
/// `exclude_kernel` and `exclude_hv`: needed where `perf_event_paranoid` is 2.
const EXCLUDE: u64 = 1 << 5 | 1 << 6;
/// The offset of the sequence number. The `index` after it is zero for a
/// software event.
const LOCK: usize = 8;

/// The first version of `struct perf_event_attr`, which every kernel accepts.
#[repr(C)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    rest: [u64; 3],
    flags: u64,
    end: [u64; 2],
}

per_thread! {
    /// The page of this thread; null while there is none.
    static PAGE: Cell<*mut u8> = Cell::new(std::ptr::null_mut());
}

/// Replaces the sequence number if the kernel refuses a page.
static NEVER_CHANGES: u64 = 0;

/// Maps a page and returns the address of its sequence number; none if the kernel
/// refuses. [`close`] unmaps it.
pub(super) fn open() -> Option<*mut u64> {
    let attributes = Attributes {
        kind: SOFTWARE,
        size: 64,
        config: TASK_CLOCK,
        rest: [0; 3],
        flags: EXCLUDE,
        end: [0; 2],
    };
    let (this_thread, any_cpu, no_group) = (0, -1, -1);
    // SAFETY: the attributes are as long as they say, and only read.
    let file = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &raw const attributes,
            this_thread,
            any_cpu,
            no_group,
            CLOSE_ON_EXEC,
        )
    };
    let file = i32::try_from(file).ok().filter(|&file| file >= 0)?;
    let protection = libc::PROT_READ;
    // SAFETY: maps one page at an address that the kernel chooses; the mapping
    // keeps the event alive when the file is closed.
    let page = unsafe {
        let page = libc::mmap(
            std::ptr::null_mut(),
            zend::page_size(),
            protection,
            libc::MAP_SHARED,
            file,
            0,
        );
        libc::close(file);
        page
    };
    if page == libc::MAP_FAILED {
        return None;
    }
    PAGE.get().set(page.cast());
    Some(page.wrapping_byte_add(LOCK).cast())
}

/// Unmaps the page; does nothing if there is none.
pub(super) fn close() {
    let page = PAGE.get().replace(std::ptr::null_mut());
    if !page.is_null() {
        // SAFETY: `open` mapped the page, and this thread, its only reader, no
        // longer reads it.
        unsafe { libc::munmap(page.cast(), zend::page_size()) };
    }
}

/// Maps a new page in a forked child, which does not inherit its parent's. If the
/// kernel refuses, switches are not detected until the profile ends.
pub(super) fn reopen() -> *mut u64 {
    PAGE.get().set(std::ptr::null_mut());
    open().unwrap_or_else(|| (&raw const NEVER_CHANGES).cast_mut())
}
