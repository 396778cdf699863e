//! Memory for much that is about to be allocated, asked for in larger pieces.
//!
//! The kernel gives PHP's heap its memory page by page, each at the first touch:
//! an interruption that takes longer than all that we then do in the page. Told
//! that a range will be written to, it gives all of it at little more than half
//! the cost. Whoever fills a large array shows what was allocated for it.
//!
//! No more is asked for than is expected to be used; and where the kernel does
//! not know of this (before Linux 5.14) nothing happens.

use super::array::Array;

/// What will be allocated before long.
pub(crate) struct Prefault {
    /// Bytes that have not been asked for.
    expected: usize,
    /// The end of the piece that was looked at last.
    seen: usize,
}

/// How much is asked for at once: what the kernel has cleared shall still be in
/// the processor's cache when it is written to. A part of `ZEND_MM_CHUNK_SIZE`,
/// 2 MiB, at which chunks of the heap are aligned: so a piece is in one of them.
const PIECE: usize = 256 << 10;
/// What is not worth asking for.
const MIN_LENGTH: usize = 64 << 10;

impl Prefault {
    /// Prefault for `bytes` in PHP's heap; none if the heap is somebody else's.
    pub(crate) fn for_bytes(bytes: usize) -> Self {
        // SAFETY: reads a field of this thread's heap.
        let is_known = unsafe { super::bindings::is_zend_mm() };
        Self {
            expected: if is_known { bytes } else { 0 },
            seen: 0,
        }
    }

    /// An array was made, which is not empty.
    #[inline]
    pub(crate) fn array_made(&mut self, array: &Array) {
        let place = array.storage() as usize;
        let end = (place | (PIECE - 1)) + 1;
        if end != self.seen && self.expected > MIN_LENGTH {
            self.seen = end;
            self.populate(place, end);
        }
    }

    /// The storage of an array of so many bytes, all of which will be used soon:
    /// something is in it already.
    #[cfg(target_os = "linux")]
    pub(crate) fn storage_made(&mut self, array: &Array, bytes: usize) {
        if self.expected > 0 && bytes > MIN_LENGTH {
            let start = array.storage() as usize;
            self.populate(start, start.saturating_add(bytes));
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn storage_made(&mut self, _array: &Array, _bytes: usize) {}

    /// A piece that ends at `end`, and is in use up to `start` or so.
    #[cfg(target_os = "linux")]
    #[cold]
    fn populate(&mut self, start: usize, end: usize) {
        let page = super::page_size();
        let start = start.next_multiple_of(page);
        let end = end.min(start.saturating_add(self.expected).next_multiple_of(page));
        let length = end.saturating_sub(start);
        self.expected = self.expected.saturating_sub(length);
        if length > MIN_LENGTH && !is_resident_page((end - 1) & !(page - 1), page) {
            // SAFETY: pages of the heap's chunk that `start` was in, which the
            // heap does not give back meanwhile; their contents stay.
            unsafe {
                libc::madvise(start as *mut _, length, libc::MADV_POPULATE_WRITE);
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn populate(&mut self, _start: usize, _end: usize) {}
}

/// Whether the kernel has given that page before: then most likely those before
/// it, too.
#[cfg(target_os = "linux")]
fn is_resident_page(address: usize, page: usize) -> bool {
    let mut is_resident = 0_u8;
    // SAFETY: one byte for one page, which is mapped.
    let answer = unsafe { libc::mincore(address as *mut _, page, &raw mut is_resident) };
    answer == 0 && is_resident & 1 != 0
}
