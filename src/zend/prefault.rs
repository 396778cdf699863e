//! Prefaults memory that a large array will need.
//!
//! Each first write to a page of PHP's heap causes a page fault, which takes
//! longer than all our writes to the page. `MADV_POPULATE_WRITE` populates a whole
//! range at little more than half the cost. The code that fills a large array
//! reports each allocation to this module.
//!
//! At most the expected size is populated. Before Linux 5.14, which introduced
//! `MADV_POPULATE_WRITE`, nothing happens.

use super::array::Array;

/// The memory that is expected to be allocated.
pub(crate) struct Prefault {
    /// Expected bytes that have not been populated.
    expected: usize,
    /// The end of the piece that was handled last.
    seen: usize,
}

/// How much is populated at once. The pages that the kernel has cleared should
/// still be in the processor's cache when they are written. A fraction of
/// `ZEND_MM_CHUNK_SIZE`, 2 MiB, the alignment of the heap's chunks: so a piece
/// lies in one chunk.
const PIECE: usize = 256 << 10;
/// A shorter range is not worth a system call.
const MIN_LENGTH: usize = 64 << 10;

impl Prefault {
    /// Expects `bytes` in PHP's heap; nothing if another extension replaced the
    /// allocator.
    pub(crate) fn for_bytes(bytes: usize) -> Self {
        // SAFETY: reads a field of this thread's heap.
        let is_known = unsafe { super::bindings::is_zend_mm() };
        Self {
            expected: if is_known { bytes } else { 0 },
            seen: 0,
        }
    }

    /// Reports an array that was allocated, and is not empty.
    #[inline]
    pub(crate) fn array_made(&mut self, array: &Array) {
        let place = array.storage() as usize;
        let end = (place | (PIECE - 1)) + 1;
        if end != self.seen && self.expected > MIN_LENGTH {
            self.seen = end;
            self.populate(place, end);
        }
    }

    /// Reports the storage of an array, of which `bytes` will be used. The array
    /// is not empty.
    #[cfg(target_os = "linux")]
    pub(crate) fn storage_made(&mut self, array: &Array, bytes: usize) {
        if self.expected > 0 && bytes > MIN_LENGTH {
            let start = array.storage() as usize;
            self.populate(start, start.saturating_add(bytes));
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn storage_made(&mut self, _array: &Array, _bytes: usize) {}

    /// Populates the pages from `start` to `end`, unless they are resident.
    #[cfg(target_os = "linux")]
    #[cold]
    fn populate(&mut self, start: usize, end: usize) {
        let page = super::page_size();
        let start = start.next_multiple_of(page);
        let end = end.min(start.saturating_add(self.expected).next_multiple_of(page));
        let length = end.saturating_sub(start);
        self.expected = self.expected.saturating_sub(length);
        if length > MIN_LENGTH && !is_resident_page((end - 1) & !(page - 1), page) {
            // SAFETY: pages of the heap's chunk that holds `start`, which the
            // heap does not unmap during the call; their contents are kept.
            unsafe {
                libc::madvise(start as *mut _, length, libc::MADV_POPULATE_WRITE);
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn populate(&mut self, _start: usize, _end: usize) {}
}

/// Whether a page is resident: then most likely those before it are, too.
#[cfg(target_os = "linux")]
fn is_resident_page(address: usize, page: usize) -> bool {
    let mut is_resident = 0_u8;
    // SAFETY: one byte for one page, which is mapped.
    let answer = unsafe { libc::mincore(address as *mut _, page, &raw mut is_resident) };
    answer == 0 && is_resident & 1 != 0
}
