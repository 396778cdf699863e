//! The thread's rseq area: the C library's, or one that we register.
//!
//! The kernel writes to a registered area until it is unregistered or the thread
//! ends. **Invariant:** ours is part of this library's memory, so it is registered
//! only from [`find`] to [`release`], while a profile runs. The kernel permits one
//! area for each thread.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64};

use crate::zend::per_thread::per_thread;

/// The signature that glibc registers, `RSEQ_SIG`.
pub(super) const SIGNATURE: u32 = if cfg!(target_arch = "x86_64") {
    0x5305_3053
} else {
    0xd428_bc00
};

/// `struct rseq` of linux/rseq.h in its first version, which every kernel accepts.
#[repr(C, align(32))]
struct Area {
    cpu_id_start: AtomicU32,
    cpu_id: AtomicU32,
    rseq_cs: AtomicU64,
    flags: AtomicU32,
    rest: [AtomicU32; 3],
}

/// `cpu_id` of an area that is not registered, `RSEQ_CPU_ID_UNINITIALIZED`.
const NOT_REGISTERED: u32 = u32::MAX;
/// `RSEQ_FLAG_UNREGISTER`.
const UNREGISTER: libc::c_int = 1;

per_thread! {
    static OURS: Area = Area {
        cpu_id_start: AtomicU32::new(0),
        cpu_id: AtomicU32::new(NOT_REGISTERED),
        rseq_cs: AtomicU64::new(0),
        flags: AtomicU32::new(0),
        rest: [const { AtomicU32::new(0) }; 3],
    };
}

per_thread! {
    static IS_REGISTERED: Cell<bool> = Cell::new(false);
}

/// The `rseq_cs` of this thread; none if the kernel refuses. [`release`] ends its use.
pub(super) fn find() -> Option<&'static AtomicU64> {
    if let Some(pointer) = of_c_library() {
        return Some(pointer);
    }
    if !IS_REGISTERED.get().get() {
        IS_REGISTERED.get().set(call(0));
    }
    IS_REGISTERED.get().get().then(|| &OURS.get().rseq_cs)
}

/// Unregisters our area; does nothing if there is none. In a forked child, which
/// inherits the registration, too.
pub(super) fn release() {
    if IS_REGISTERED.get().replace(false) {
        call(UNREGISTER);
    }
}

/// Calls rseq(2) with our area: whether that succeeded.
fn call(flags: libc::c_int) -> bool {
    let area: *const Area = OURS.get();
    // SAFETY: the area has the size and alignment of `struct rseq`, and lives until
    // the thread ends. All its fields are atomic, since the kernel changes them.
    let result =
        unsafe { libc::syscall(libc::SYS_rseq, area, size_of::<Area>(), flags, SIGNATURE) };
    result == 0
}

/// The `rseq_cs` of the area that the C library registered for this thread, if it
/// did.
fn of_c_library() -> Option<&'static AtomicU64> {
    let offset = offset_in_c_library()? + std::mem::offset_of!(Area, rseq_cs).cast_signed();
    // SAFETY: the C library's area at that offset is aligned, and lives as long as
    // the thread; the reference is never sent to another thread.
    Some(unsafe { AtomicU64::from_ptr(thread_pointer().wrapping_offset(offset).cast()) })
}

fn thread_pointer() -> *mut u8 {
    let thread: *mut u8;
    // SAFETY: the x86-64 ABI keeps the thread pointer at fs:0.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!("mov {}, fs:0", out(reg) thread, options(nostack, readonly, preserves_flags));
    }
    // SAFETY: the ABI of aarch64 keeps it in this register.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!("mrs {}, tpidr_el0", out(reg) thread, options(nostack, nomem, preserves_flags));
    }
    thread
}

/// The offset of the C library's area from the thread pointer; none if it did not
/// register one. Looked up once.
fn offset_in_c_library() -> Option<isize> {
    static OFFSET: OnceLock<Option<isize>> = OnceLock::new();
    *OFFSET.get_or_init(|| {
        // SAFETY: looks two symbols up by name; both are data of the C library
        // (sys/rseq.h): a ptrdiff_t and an unsigned int, set before any program runs.
        let (offset, size) = unsafe {
            let offset = libc::dlsym(libc::RTLD_DEFAULT, c"__rseq_offset".as_ptr());
            let size = libc::dlsym(libc::RTLD_DEFAULT, c"__rseq_size".as_ptr());
            (
                offset.cast::<isize>().as_ref()?,
                size.cast::<u32>().as_ref()?,
            )
        };
        (*size != 0).then_some(*offset)
    })
}
