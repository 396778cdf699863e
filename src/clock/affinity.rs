//! Pins the thread to one CPU, and restores its affinity mask afterwards.
//!
//! `core_affinity` can set a mask but not restore one, so this module saves the
//! kernel's mask. A forked child inherits the mask: it would stay on one CPU for
//! good, so the mask is restored in every forked child, too.

use std::cell::Cell;

#[cfg(target_os = "linux")]
thread_local! {
    /// The affinity mask before [`pin`]; none while the thread is not pinned.
    static SAVED: Cell<Option<libc::cpu_set_t>> = const { Cell::new(None) };
}

#[cfg(not(target_os = "linux"))]
thread_local! {
    static SAVED: Cell<Option<()>> = const { Cell::new(None) };
}

/// Pins this thread to its current CPU; false if the system refuses.
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

/// macOS treats affinity as a hint, which does not help a per-CPU clock.
#[cfg(not(target_os = "linux"))]
pub(crate) fn pin() -> bool {
    false
}

/// Restores the mask from before [`pin`]; does nothing if the thread is not pinned.
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

/// The number of the current CPU, or 0 if the system does not tell.
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
