//! Keeping the thread on one CPU, and giving back exactly the freedom it had.
//!
//! Pinning uses `core_affinity`, which can set a mask but not restore one; so
//! the kernel's own mask is saved beside it. A mask is inherited: whoever forks
//! while pinned would keep its children on one CPU for good, so the mask is
//! restored in every forked child, too.

use std::cell::Cell;

#[cfg(target_os = "linux")]
thread_local! {
    /// The mask before [`pin`]; none while not pinned.
    static SAVED: Cell<Option<libc::cpu_set_t>> = const { Cell::new(None) };
}

#[cfg(not(target_os = "linux"))]
thread_local! {
    static SAVED: Cell<Option<()>> = const { Cell::new(None) };
}

/// Keeps this thread on the CPU it runs on; false if the system does not let us.
#[cfg(target_os = "linux")]
pub(crate) fn pin() -> bool {
    if SAVED.get().is_some() {
        return true;
    }
    let Some(mask) = mask() else { return false };
    let cpu = core_affinity::CoreId { id: current_cpu() };
    if !core_affinity::set_for_current(cpu) {
        return false;
    }
    SAVED.set(Some(mask));
    true
}

/// macOS takes affinity as a hint only, which is of no use to a clock.
#[cfg(not(target_os = "linux"))]
pub(crate) fn pin() -> bool {
    false
}

/// Gives the thread back the CPUs it had before [`pin`]; harmless if not pinned.
pub(crate) fn restore() {
    let Some(mask) = SAVED.take() else { return };
    #[cfg(target_os = "linux")]
    // SAFETY: `mask` is a whole `cpu_set_t`, and 0 names the calling thread.
    unsafe {
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const mask);
    }
    #[cfg(not(target_os = "linux"))]
    let () = mask;
}

/// The number of the CPU we run on, or 0 where nobody can say.
pub(crate) fn current_cpu() -> usize {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: no argument, no effect.
        usize::try_from(unsafe { libc::sched_getcpu() }).unwrap_or(0)
    }
    #[cfg(not(target_os = "linux"))]
    0
}

#[cfg(target_os = "linux")]
fn mask() -> Option<libc::cpu_set_t> {
    // SAFETY: an all-zero set is a valid, empty set.
    let mut mask: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: `mask` is writable and its size is given.
    let failed = unsafe { libc::sched_getaffinity(0, size_of_val(&mask), &raw mut mask) } != 0;
    (!failed).then_some(mask)
}
