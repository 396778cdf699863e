//! Rust's allocator: the C library's, and a reserve for the moment when that has no more
//! memory (`ulimit -v`, a limit of a container without overcommitment).
//!
//! Rust ends the process if an allocation fails. A profiler must not end the program, so
//! the last allocations come from the reserve, and code that allocates in bulk asks
//! before ([`can_allocate`], or `try_reserve` in the recorder). From then on
//! [`is_exhausted`] says that no profile may grow.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

#[global_allocator]
static ALLOCATOR: WithReserve = WithReserve;

/// Enough for what the extension does off the hot path, once: naming some functions, and
/// a line in the log.
const SIZE: usize = 256 << 10;

/// Memory that the system gives only when it is touched.
#[repr(align(16))]
struct Reserve(UnsafeCell<[u8; SIZE]>);

// SAFETY: only `take` hands out addresses in it, each once.
unsafe impl Sync for Reserve {}

static RESERVE: Reserve = Reserve(UnsafeCell::new([0; SIZE]));
/// How many bytes of it are in use. They are never given back.
static TAKEN: AtomicUsize = AtomicUsize::new(0);
static IS_EXHAUSTED: AtomicBool = AtomicBool::new(false);

/// Whether the system had no memory once: what is recorded may not grow any more.
#[inline]
pub(crate) fn is_exhausted() -> bool {
    IS_EXHAUSTED.load(Ordering::Relaxed)
}

/// Whether so much memory can be allocated now, in whatever pieces.
pub(crate) fn can_allocate(bytes: usize) -> bool {
    // The reserve has less than that, so it does not answer.
    !is_exhausted() && (bytes <= SIZE || system_has(bytes))
}

/// Whether the system has so much memory in one piece, which must be more than [`SIZE`].
pub(super) fn system_has(bytes: usize) -> bool {
    let mut memory = Vec::<u8>::new();
    let has_it = memory.try_reserve_exact(bytes).is_ok();
    // Else the compiler may leave out an allocation that is never used.
    std::hint::black_box(&memory);
    has_it
}

struct WithReserve;

// SAFETY: all calls are passed on to the system's allocator, except those that it
// refuses and those for memory of the reserve, which is handed out once.
unsafe impl GlobalAlloc for WithReserve {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        let memory = unsafe { System.alloc(layout) };
        if memory.is_null() {
            take(layout)
        } else {
            memory
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise; the reserve is zero until it is handed out.
        let memory = unsafe { System.alloc_zeroed(layout) };
        if memory.is_null() {
            take(layout)
        } else {
            memory
        }
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if !is_reserve(memory) {
            // SAFETY: the caller's promise, and the system allocated it.
            unsafe { System.dealloc(memory, layout) };
        }
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !is_reserve(memory) {
            // SAFETY: as in `dealloc`.
            let grown = unsafe { System.realloc(memory, layout, size) };
            if !grown.is_null() {
                return grown;
            }
        }
        // SAFETY: the caller's size, with the alignment of a valid layout; old and new
        // memory are distinct, and as long as that.
        unsafe {
            let grown = take(Layout::from_size_align_unchecked(size, layout.align()));
            if !grown.is_null() {
                std::ptr::copy_nonoverlapping(memory, grown, layout.size().min(size));
                self.dealloc(memory, layout);
            }
            grown
        }
    }
}

/// Memory of the reserve; null if it has too little.
#[cold]
#[inline(never)]
fn take(layout: Layout) -> *mut u8 {
    let begin = RESERVE.0.get() as usize;
    let place = |taken: usize| {
        let at = (begin + taken).checked_next_multiple_of(layout.align())?;
        let end = at.checked_add(layout.size())?;
        (end <= begin + SIZE).then_some((at, end - begin))
    };
    // A request that is too large is the caller's to handle: `try_reserve`.
    let taken = TAKEN.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |taken| {
        place(taken).map(|(_, end)| end)
    });
    match taken.ok().and_then(place) {
        Some((at, _)) => {
            IS_EXHAUSTED.store(true, Ordering::Relaxed);
            at as *mut u8
        }
        None => std::ptr::null_mut(),
    }
}

fn is_reserve(memory: *mut u8) -> bool {
    let begin = RESERVE.0.get() as usize;
    (begin..begin + SIZE).contains(&(memory as usize))
}
