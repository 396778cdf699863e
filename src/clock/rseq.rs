//! Restartable sequences, used as a bell that rings when the kernel switches
//! this thread out.
//!
//! The C library (glibc ≥ 2.35) registers an area with the kernel for each
//! thread. A pointer in it names the critical section that the thread is in.
//! Whenever the kernel preempts, migrates or signals the thread *outside* that
//! section, it clears the pointer. We leave it pointing at a section that
//! nobody ever runs: a cleared pointer then means that the thread was away.
//! See rseq(2) and the kernel's kernel/rseq.c.
//!
//! The pointer must not outlive the library that the section is in, so it is
//! cleared at disable.

use recorder::TickRate;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod bell {
    use std::cell::Cell;
    use std::sync::OnceLock;
    use std::time::Duration;

    use super::TickRate;
    use crate::clock::counter;
    use crate::clock::cpu_time::kernel_ns;
    use crate::zend::per_thread::per_thread;

    // A section of one instruction that is never run. The kernel wants the
    // signature that the C library registered in front of the abort address.
    std::arch::global_asm!(
        ".pushsection .text.xhprof_rseq, \"ax\"",
        ".globl xhprof_rseq_start, xhprof_rseq_end, xhprof_rseq_abort",
        ".hidden xhprof_rseq_start, xhprof_rseq_end, xhprof_rseq_abort",
        "xhprof_rseq_start: ud2",
        "xhprof_rseq_end:",
        ".long 0x53053053",
        "xhprof_rseq_abort: ud2",
        ".popsection",
    );

    unsafe extern "C" {
        static xhprof_rseq_start: u8;
        static xhprof_rseq_end: u8;
        static xhprof_rseq_abort: u8;
    }

    /// `struct rseq_cs` of linux/rseq.h.
    #[repr(C, align(32))]
    struct Section {
        version: u32,
        flags: u32,
        start: u64,
        length: u64,
        abort: u64,
    }

    /// The one section; its addresses are known when the library is loaded.
    fn section() -> *const Section {
        static SECTION: OnceLock<Section> = OnceLock::new();
        SECTION.get_or_init(|| {
            let start = (&raw const xhprof_rseq_start) as u64;
            Section {
                version: 0,
                flags: 0,
                start,
                length: (&raw const xhprof_rseq_end) as u64 - start,
                abort: (&raw const xhprof_rseq_abort) as u64,
            }
        })
    }

    /// What one thread knows of its switches.
    pub(super) struct Watch {
        /// The thread's `rseq_cs`; null while not watching.
        pointer: Cell<*mut u64>,
        section: Cell<u64>,
        /// The counter minus the thread's CPU time, in ticks, at the last switch.
        switched_out: Cell<u64>,
        rate: Cell<Option<TickRate>>,
        /// CPU time of the parents, in a forked child, in nanoseconds.
        before_fork_ns: Cell<u64>,
        /// CPU time when the process began to fork.
        at_fork_ns: Cell<u64>,
    }

    per_thread! {
        static WATCH: Watch = Watch {
            pointer: Cell::new(std::ptr::null_mut()),
            section: Cell::new(0),
            switched_out: Cell::new(0),
            rate: Cell::new(None),
            before_fork_ns: Cell::new(0),
            at_fork_ns: Cell::new(0),
        };
    }

    /// Begins to watch; false if the bell does not ring on this system.
    pub(crate) fn start(rate: TickRate) -> bool {
        static RINGS: OnceLock<bool> = OnceLock::new();
        let Some(pointer) = thread_pointer() else {
            return false;
        };
        let watch = WATCH.get();
        watch.rate.set(Some(rate));
        watch.section.set(section() as u64);
        watch.pointer.set(pointer);
        // Tried once for a process: sleeping is being switched out.
        let rings = *RINGS.get_or_init(|| {
            set(pointer, section() as u64);
            std::thread::sleep(Duration::from_micros(100));
            read(pointer) == 0
        });
        if !rings {
            stop();
            return false;
        }
        resynchronise();
        true
    }

    /// Ends watching; harmless if nobody is.
    pub(crate) fn stop() {
        let pointer = WATCH.get().pointer.replace(std::ptr::null_mut());
        if !pointer.is_null() {
            set(pointer, 0);
        }
    }

    /// How far the counter runs ahead of the thread's CPU time, in ticks; none
    /// if the thread was switched out since that was known.
    #[inline(always)]
    pub(crate) fn ticks_switched_out() -> Option<u64> {
        let watch = WATCH.get();
        // Only while watching, which is while a profile reads CPU time.
        let still_set = read(watch.pointer.get()) == watch.section.get();
        still_set.then(|| watch.switched_out.get())
    }

    /// Asks the kernel for the CPU time, and sets the pointer again.
    #[cold]
    #[inline(never)]
    pub(crate) fn resynchronise() {
        let watch = WATCH.get();
        let pointer = watch.pointer.get();
        let Some(rate) = watch.rate.get() else { return };
        // A switch right now leaves a pointer that the next reading finds
        // cleared; a few tries are plenty, and each is right by itself.
        for _ in 0..4 {
            set(pointer, watch.section.get());
            let used = kernel_ns().wrapping_add(watch.before_fork_ns.get());
            watch
                .switched_out
                .set(counter::read().wrapping_sub(rate.ticks_in_nanoseconds(used)));
            if read(pointer) == watch.section.get() {
                return;
            }
        }
    }

    /// In the parent, about to fork: the child's kernel clock starts at zero.
    pub(crate) fn before_fork() {
        let watch = WATCH.get();
        watch
            .at_fork_ns
            .set(kernel_ns().wrapping_add(watch.before_fork_ns.get()));
    }

    /// In the forked child: goes on counting where the parent was.
    pub(crate) fn after_fork_in_child() {
        let watch = WATCH.get();
        watch.before_fork_ns.set(watch.at_fork_ns.get());
        let pointer = watch.pointer.get();
        if !pointer.is_null() {
            set(pointer, 0);
        }
    }

    /// CPU time that this process's parents had used when it was forked.
    #[inline(always)]
    pub(crate) fn before_fork_ns() -> u64 {
        WATCH.get().before_fork_ns.get()
    }

    /// Where the kernel finds this thread's section; none if the C library did
    /// not register an area.
    fn thread_pointer() -> Option<*mut u64> {
        /// Offset of `rseq_cs` in `struct rseq`.
        const RSEQ_CS: isize = 8;
        // SAFETY: looks two symbols up by name; both are data of the C library
        // (sys/rseq.h): a ptrdiff_t and an unsigned int.
        let (offset, size) = unsafe {
            let offset = libc::dlsym(libc::RTLD_DEFAULT, c"__rseq_offset".as_ptr());
            let size = libc::dlsym(libc::RTLD_DEFAULT, c"__rseq_size".as_ptr());
            (
                offset.cast::<isize>().as_ref()?,
                size.cast::<u32>().as_ref()?,
            )
        };
        if *size == 0 {
            return None;
        }
        let thread: *mut u8;
        // SAFETY: the x86-64 ABI keeps the thread pointer at fs:0.
        unsafe {
            std::arch::asm!("mov {}, fs:0", out(reg) thread, options(nostack, readonly, preserves_flags));
        }
        Some(thread.wrapping_offset(offset + RSEQ_CS).cast())
    }

    fn set(pointer: *mut u64, section: u64) {
        // SAFETY: the thread's own area, which lives as long as the thread;
        // volatile, because the kernel changes it behind our back.
        unsafe { pointer.write_volatile(section) };
    }

    #[inline(always)]
    fn read(pointer: *const u64) -> u64 {
        // SAFETY: as in `set`.
        unsafe { pointer.read_volatile() }
    }
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
mod bell {
    use super::TickRate;

    pub(crate) fn start(_rate: TickRate) -> bool {
        false
    }

    pub(crate) fn stop() {}

    pub(crate) fn ticks_switched_out() -> Option<u64> {
        Some(0)
    }

    pub(crate) fn resynchronise() {}

    pub(crate) fn before_fork() {}

    pub(crate) fn after_fork_in_child() {}

    pub(crate) fn before_fork_ns() -> u64 {
        0
    }
}

pub(crate) use bell::*;
