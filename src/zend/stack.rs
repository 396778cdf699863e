//! The C stack: the current address, and the limit.

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
            std::arch::asm!("mov {}, rsp", out(reg) address, options(pure, nomem, nostack, preserves_flags));
        }
        address
    }
    #[cfg(target_arch = "aarch64")]
    {
        let address: usize;
        // SAFETY: copies a register.
        unsafe {
            std::arch::asm!("mov {}, sp", out(reg) address, options(pure, nomem, nostack, preserves_flags));
        }
        address
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        let marker = 0_u8;
        std::ptr::from_ref(std::hint::black_box(&marker)) as usize
    }
}

/// How much C stack is reserved for the program itself, for regular expressions,
/// sorting and destructors: a quarter, from 128 KiB to 2 MiB.
fn reserve(size: usize) -> usize {
    (size / 4).clamp(128 << 10, 2 << 20).min(size / 2)
}

/// The lowest address from which a profiled call may still go deeper.
pub(crate) fn limit_of(bounds: &Range<usize>) -> usize {
    bounds.start + reserve(bounds.len())
}

/// The same where PHP throws below `usable`. A part of the reserve is below that
/// (`zend.reserved_stack_size`), so this one is smaller: on a usual stack the other limit
/// is the one that counts.
pub(crate) fn limit_for_php(usable: &Range<usize>) -> usize {
    let size = usable.len();
    usable.start + (size / 5).max(128 << 10).min(size / 2)
}

/// The same for a stack of `size` bytes that begins near `top`.
pub(crate) fn limit_below(top: usize, size: usize) -> usize {
    top.saturating_sub(size - reserve(size))
}

/// The part of the current C stack that PHP uses before it throws an `Error`
/// (`zend.max_allowed_stack_size`, `fiber.stack_size`); none if there is no such limit.
pub(crate) fn usable_for_php() -> Option<Range<usize>> {
    #[cfg(stack_limit)]
    {
        // SAFETY: this thread's globals; PHP sets both fields when a request begins, and
        // when it switches to another fiber (`zend_call_stack.h`).
        let (limit, base) = unsafe {
            let globals = &*ext_php_rs::ffi::ext_php_rs_executor_globals();
            (globals.stack_limit as usize, globals.stack_base as usize)
        };
        (limit != 0 && limit < base).then_some(limit..base)
    }
    #[cfg(not(stack_limit))]
    None
}

/// The bounds of this thread's stack; none if the system does not tell.
pub(crate) fn thread_bounds() -> Option<Range<usize>> {
    thread_local! {
        // Cached: the C library reads /proc/self/maps.
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
    // SAFETY: the calls write to their arguments, for the calling thread, and the
    // attributes are destroyed after use.
    let failed = unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) != 0 {
            return None;
        }
        let failed =
            libc::pthread_attr_getstack(&raw const attributes, &raw mut lowest, &raw mut size);
        libc::pthread_attr_destroy(&raw mut attributes);
        failed
    };
    let top = (lowest as usize).saturating_add(size);
    let size = size.max(main_limit().unwrap_or(0));
    (failed == 0 && size > 0).then(|| top.saturating_sub(size)..top)
}

/// How large the stack of the main thread may become, for C libraries other than glibc: musl
/// tells what is mapped of it by now (`pthread_getattr_np.c`). None in other threads.
#[cfg(target_os = "linux")]
fn main_limit() -> Option<usize> {
    /// The usual limit, in place of none at all.
    const USUAL: libc::rlim_t = 8 << 20;
    // SAFETY: the name ends with a zero, and the other call has no argument.
    let (glibc, thread) = unsafe {
        let glibc = libc::dlsym(libc::RTLD_DEFAULT, c"gnu_get_libc_version".as_ptr());
        (glibc, libc::syscall(libc::SYS_gettid))
    };
    if !glibc.is_null() || thread != libc::c_long::from(std::process::id().cast_signed()) {
        return None;
    }
    // SAFETY: all-zero bytes are a valid value, and the call writes to it.
    let limit = unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        (libc::getrlimit(libc::RLIMIT_STACK, &raw mut limit) == 0).then_some(limit.rlim_cur)?
    };
    usize::try_from(if limit == libc::RLIM_INFINITY {
        USUAL
    } else {
        limit
    })
    .ok()
}

#[cfg(not(target_os = "linux"))]
fn ask_bounds() -> Option<Range<usize>> {
    // Without a way to ask, assume half of the usual stack of a main thread.
    let top = address();
    Some(top.saturating_sub(4 << 20)..top.saturating_add(1 << 20))
}
