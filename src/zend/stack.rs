//! The C stack: where we are on it, and how much is left.

use std::cell::OnceCell;
use std::ops::Range;

/// The address of the caller's frame on the C stack. Deeper calls have lower
/// addresses on every system PHP runs on.
#[inline(always)]
pub(crate) fn address() -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        let address: usize;
        // SAFETY: copies a register.
        unsafe {
            std::arch::asm!("mov {}, rsp", out(reg) address, options(nomem, nostack, preserves_flags));
        }
        address
    }
    #[cfg(target_arch = "aarch64")]
    {
        let address: usize;
        // SAFETY: copies a register.
        unsafe {
            std::arch::asm!("mov {}, sp", out(reg) address, options(nomem, nostack, preserves_flags));
        }
        address
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        let marker = 0_u8;
        std::ptr::from_ref(std::hint::black_box(&marker)) as usize
    }
}

/// How much C stack is kept free for what the program itself does at depth:
/// regular expressions, sorting, destructors. A quarter, within reason.
fn reserve(size: usize) -> usize {
    (size / 4).clamp(128 << 10, 2 << 20).min(size / 2)
}

/// The lowest address from which a profiled call may still go deeper.
pub(crate) fn limit_of(bounds: &Range<usize>) -> usize {
    bounds.start + reserve(bounds.len())
}

/// The same for a stack of `size` bytes that begins near `top`.
pub(crate) fn limit_below(top: usize, size: usize) -> usize {
    top.saturating_sub(size - reserve(size))
}

/// This thread's own stack; none if the system does not say.
pub(crate) fn thread_bounds() -> Option<Range<usize>> {
    thread_local! {
        // Asking costs the C library a look through /proc/self/maps.
        static BOUNDS: OnceCell<Option<Range<usize>>> = const { OnceCell::new() };
    }
    BOUNDS.with(|bounds| bounds.get_or_init(ask_bounds).clone())
}

#[cfg(target_os = "linux")]
fn ask_bounds() -> Option<Range<usize>> {
    // SAFETY: all-zero bytes are a valid value to be filled in.
    let mut attributes: libc::pthread_attr_t = unsafe { std::mem::zeroed() };
    let mut lowest = std::ptr::null_mut();
    let mut size = 0;
    // SAFETY: the calls fill in what they are given, for the calling thread,
    // and the attributes are destroyed after use.
    let failed = unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) != 0 {
            return None;
        }
        let failed =
            libc::pthread_attr_getstack(&raw const attributes, &raw mut lowest, &raw mut size);
        libc::pthread_attr_destroy(&raw mut attributes);
        failed
    };
    let lowest = lowest as usize;
    (failed == 0 && size > 0).then(|| lowest..lowest.saturating_add(size))
}

#[cfg(not(target_os = "linux"))]
fn ask_bounds() -> Option<Range<usize>> {
    // Where nobody says, take half of what the systems give the main thread.
    let top = address();
    Some(top.saturating_sub(4 << 20)..top.saturating_add(1 << 20))
}
