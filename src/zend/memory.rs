//! PHP's memory usage, read at every call of a profile with `memory`.
//!
//! The engine's functions return two adjacent fields of the heap's header. The
//! header is private; the offset is the same from PHP 7.0 to 8.5. When a profile
//! begins, [`find`] compares both fields with the functions' results. If they
//! differ, the functions are called instead.

use std::cell::Cell;

use ext_php_rs::ffi;

use super::bindings;
use super::per_thread::per_thread;

per_thread! {
    /// The heap's counters; null if they were not found.
    static COUNTERS: Cell<*const Counters> = Cell::new(std::ptr::null());
}

/// A part of `struct _zend_mm_heap`, in `zend_alloc.c`.
#[repr(C)]
struct Counters {
    size: usize,
    peak: usize,
}

/// Their offset: after a flag and the pointer to the heap's storage.
const OFFSET: usize = 16;

/// Finds the counters of this thread, when a profile with `memory` begins.
pub(crate) fn find() {
    // SAFETY: this thread's heap, whose header is larger than what is read, and
    // which lives until the thread's last request has ended.
    let counters = unsafe {
        bindings::zend_mm_get_heap()
            .cast::<u8>()
            .add(OFFSET)
            .cast::<Counters>()
    };
    // SAFETY: as above: the header is readable.
    let found = unsafe { ((*counters).size, (*counters).peak) };
    if found == by_call() {
        COUNTERS.get().set(counters);
    } else {
        forget();
    }
}

/// Forgets the counters: the profile has ended.
pub(crate) fn forget() {
    COUNTERS.get().set(std::ptr::null());
}

/// PHP's memory in use and its peak, in bytes, as `memory_get_usage()` and
/// `memory_get_peak_usage()` say.
#[inline(always)]
pub(crate) fn memory() -> (i64, i64) {
    let counters = COUNTERS.get().get();
    let (usage, peak) = if counters.is_null() {
        by_call()
    } else {
        // SAFETY: this thread's heap, see `find`; only this thread changes it.
        unsafe { ((*counters).size, (*counters).peak) }
    };
    #[expect(clippy::cast_possible_wrap, reason = "no process has 2^63 bytes")]
    (usage as i64, peak as i64)
}

/// Whether PHP can allocate `bytes` more within the memory limit. A conservative
/// estimate: the heap grows by whole chunks.
pub(crate) fn fits_memory_limit(bytes: usize) -> bool {
    /// `ZEND_MM_CHUNK_SIZE`.
    const CHUNK: usize = 2 << 20;
    /// Free memory in the heap's chunks is fragmented: only this fraction counts.
    const PIECES: usize = 64;

    // SAFETY: this thread's globals and counters.
    let (limit, taken, used) = unsafe {
        (
            (*ffi::ext_php_rs_process_globals()).memory_limit,
            bindings::zend_memory_usage(true),
            bindings::zend_memory_usage(false),
        )
    };
    let Ok(limit) = usize::try_from(limit) else {
        // No limit.
        return true;
    };
    let grown = taken.saturating_add(bytes.next_multiple_of(CHUNK));
    let free = taken.saturating_sub(used);
    grown.saturating_add(CHUNK) <= limit || bytes.saturating_mul(PIECES) <= free
}

#[cold]
fn by_call() -> (usize, usize) {
    // SAFETY: both only read counters of the thread's heap.
    unsafe {
        (
            bindings::zend_memory_usage(false),
            bindings::zend_memory_peak_usage(false),
        )
    }
}
