//! A page of the kernel's that tells whether it has switched this thread out.
//!
//! `perf_event_open` gives a page for an event that counts this thread's time.
//! Whenever the thread is switched in, the kernel writes to it, and changes its
//! sequence number (`lock` in `struct perf_event_mmap_page`). The times in the
//! page are of no use here: virtual machines do not say how to read them. Needs
//! `kernel.perf_event_paranoid` of 2 or less, and no filter of system calls.

use std::cell::Cell;

use crate::zend::{self, per_thread::per_thread};

/// `PERF_TYPE_SOFTWARE` and `PERF_COUNT_SW_TASK_CLOCK`.
const SOFTWARE: u32 = 1;
const TASK_CLOCK: u64 = 1;
/// `PERF_FLAG_FD_CLOEXEC`.
const CLOSE_ON_EXEC: libc::c_ulong = 1 << 3;
/// `exclude_kernel` and `exclude_hv`: whoever asks for less is allowed more.
const EXCLUDE: u64 = 1 << 5 | 1 << 6;
/// Where the sequence number is, and behind it the number of the counter: zero
/// for one that is in software.
const LOCK: usize = 8;

/// The first version of `struct perf_event_attr`, which every kernel takes.
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

/// Stands for the sequence number where there is none to be had.
static NEVER_CHANGES: u64 = 0;

/// Asks for a page, and says where its sequence number is; none if the system
/// does not give one. Ends with [`close`].
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
    // SAFETY: maps one page wherever there is room; the page keeps the event
    // alive when the file is closed.
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

/// Gives the page back; harmless if there is none.
pub(super) fn close() {
    let page = PAGE.get().replace(std::ptr::null_mut());
    if !page.is_null() {
        // SAFETY: what `open` mapped, and nobody reads any more.
        unsafe { libc::munmap(page.cast(), zend::page_size()) };
    }
}

/// In a forked child, which does not inherit the page: asks for one of its own.
/// Should it be refused now, switches go unnoticed until the profile ends.
pub(super) fn reopen() -> *mut u64 {
    PAGE.get().set(std::ptr::null_mut());
    open().unwrap_or_else(|| (&raw const NEVER_CHANGES).cast_mut())
}
