//! Restartable sequences, used as a detector that works when the kernel switches
//! this thread out.
//!
//! The C library (glibc ≥ 2.35) registers an area with the kernel for each
//! thread. A pointer in it names the critical section that the thread is in.
//! Whenever the kernel preempts, migrates or signals the thread *outside* that
//! section, it clears the pointer. We leave it pointing at a section that
//! nobody ever runs: a cleared pointer then means that the thread was away.
//! See rseq(2) and the kernel's kernel/rseq.c.
//!
//! Where there is no such area, a [`perf_page`](super::perf_page) works.
//!
//! The pointer must not outlive the library that the section is in, so it is
//! cleared at disable.

use recorder::TickRate;

/// What tells that the thread was switched out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SwitchDetector {
    /// The pointer of restartable sequences.
    Rseq,
    /// The sequence number of a [`perf_page`](super::perf_page).
    PerfPage,
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod detector {
    use std::cell::Cell;
    use std::sync::OnceLock;
    use std::time::Duration;

    use recorder::CpuClock;

    use super::{SwitchDetector, TickRate};
    use crate::clock::cpu_time::kernel_ns;
    use crate::clock::{counter, perf_page};
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
        /// The thread's `rseq_cs`, or the sequence number of its perf page; null
        /// while not watching.
        pointer: Cell<*mut u64>,
        /// What is there as long as the thread is not switched out: the address
        /// of our section, or the number that was found; else [`NEVER`].
        expected: Cell<u64>,
        /// The same, also while readings must not use the counter alone.
        armed: Cell<u64>,
        detector: Cell<SwitchDetector>,
        cpu: CpuClock,
        rate: Cell<Option<TickRate>>,
        /// CPU time of the parents, in a forked child, in nanoseconds.
        before_fork_ns: Cell<u64>,
        /// CPU time when the process began to fork.
        at_fork_ns: Cell<u64>,
    }

    /// No address of a section, and no number that a page has had.
    const NEVER: u64 = u64::MAX;

    per_thread! {
        static WATCH: Watch = Watch {
            pointer: Cell::new(std::ptr::null_mut()),
            expected: Cell::new(0),
            armed: Cell::new(0),
            detector: Cell::new(SwitchDetector::Rseq),
            cpu: CpuClock::new(),
            rate: Cell::new(None),
            before_fork_ns: Cell::new(0),
            at_fork_ns: Cell::new(0),
        };
    }

    /// Begins to watch, with the first detector that works on this system; none if
    /// none does.
    pub(crate) fn start(rate: TickRate) -> Option<SwitchDetector> {
        let watch = WATCH.get();
        if watch.rate.replace(Some(rate)) != Some(rate) {
            watch.cpu.forget();
        }
        let detector = [SwitchDetector::Rseq, SwitchDetector::PerfPage]
            .into_iter()
            .find(|&detector| begin(detector))?;
        resynchronise();
        Some(detector)
    }

    fn begin(detector: SwitchDetector) -> bool {
        static WORKS: [OnceLock<bool>; 2] = [const { OnceLock::new() }; 2];
        let watch = WATCH.get();
        let (pointer, works) = match detector {
            SwitchDetector::Rseq => (thread_pointer(), &WORKS[0]),
            SwitchDetector::PerfPage => (perf_page::open(), &WORKS[1]),
        };
        let Some(pointer) = pointer else { return false };
        watch.detector.set(detector);
        watch.pointer.set(pointer);
        // Tried once for a process: sleeping is being switched out.
        let works = *works.get_or_init(|| {
            arm(watch);
            std::thread::sleep(Duration::from_micros(100));
            is_switched(watch)
        });
        if !works {
            stop();
        }
        works
    }

    /// From here on a switch can be told.
    fn arm(watch: &Watch) {
        let pointer = watch.pointer.get();
        match watch.detector.get() {
            SwitchDetector::Rseq => {
                watch.armed.set(section() as u64);
                set(pointer, section() as u64);
            }
            SwitchDetector::PerfPage => watch.armed.set(read(pointer)),
        }
    }

    /// Whether the thread was switched out since [`arm`].
    fn is_switched(watch: &Watch) -> bool {
        read(watch.pointer.get()) != watch.armed.get()
    }

    /// Ends watching; harmless if nobody is.
    pub(crate) fn stop() {
        let watch = WATCH.get();
        let pointer = watch.pointer.replace(std::ptr::null_mut());
        if pointer.is_null() {
            return;
        }
        match watch.detector.get() {
            SwitchDetector::Rseq => set(pointer, 0),
            SwitchDetector::PerfPage => perf_page::close(),
        }
    }

    /// The thread's CPU time in ticks, when the counter says `counter`; none if
    /// that is not known without [`ticks_after_a_switch`].
    #[inline(always)]
    pub(crate) fn cpu_ticks(counter: u64) -> Option<u64> {
        let watch = WATCH.get();
        // Only while watching, which is while a profile reads CPU time.
        let still_set = read(watch.pointer.get()) == watch.expected.get();
        still_set.then(|| watch.cpu.read(counter))
    }

    /// Wall and CPU ticks of this instant, after asking the kernel if it must
    /// be asked.
    ///
    /// Under a tracer (`strace`) every system call switches out, so that what
    /// the kernel says is never the latest: after some tries it is good enough.
    pub(crate) fn ticks_after_a_switch() -> (u64, u64) {
        let watch = WATCH.get();
        for _ in 0..4 {
            if is_switched(watch) {
                resynchronise();
            }
            let now = counter::read();
            // What the counter says after a switch is no CPU time.
            if is_switched(watch) {
                continue;
            }
            let (cpu, has_caught_up) = watch.cpu.catch_up(now);
            if has_caught_up {
                watch.expected.set(watch.armed.get());
            }
            return (now, cpu);
        }
        let now = counter::read();
        (now, watch.cpu.catch_up(now).0)
    }

    /// Asks the kernel for the CPU time, and sets the pointer again.
    #[cold]
    #[inline(never)]
    fn resynchronise() {
        let watch = WATCH.get();
        let Some(rate) = watch.rate.get() else { return };
        // The next reading has to see whether the clock may go on from here.
        watch.expected.set(NEVER);
        // A switch right now leaves a pointer that the next reading finds
        // cleared; a few tries are plenty, and each is right by itself.
        for _ in 0..4 {
            arm(watch);
            let used = kernel_ns().wrapping_add(watch.before_fork_ns.get());
            let used = rate.ticks_in_nanoseconds(used);
            watch.cpu.resynchronise(counter::read(), used);
            if !is_switched(watch) {
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
        if pointer.is_null() {
            return;
        }
        match watch.detector.get() {
            SwitchDetector::Rseq => set(pointer, 0),
            // The page was the parent's, and is not there any more.
            SwitchDetector::PerfPage => {
                watch.pointer.set(perf_page::reopen());
                watch.expected.set(NEVER);
                watch.armed.set(NEVER);
            }
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
        let offset = area()?;
        let thread: *mut u8;
        // SAFETY: the x86-64 ABI keeps the thread pointer at fs:0.
        unsafe {
            std::arch::asm!("mov {}, fs:0", out(reg) thread, options(nostack, readonly, preserves_flags));
        }
        Some(thread.wrapping_offset(offset + RSEQ_CS).cast())
    }

    /// Where the C library's area is, from the thread pointer; none if it did not
    /// register one. Looked up once.
    fn area() -> Option<isize> {
        static OFFSET: OnceLock<Option<isize>> = OnceLock::new();
        *OFFSET.get_or_init(|| {
            // SAFETY: looks two symbols up by name; both are data of the C library
            // (sys/rseq.h): a ptrdiff_t and an unsigned int, set before any
            // program runs.
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
mod detector {
    use super::{SwitchDetector, TickRate};

    pub(crate) fn start(_rate: TickRate) -> Option<SwitchDetector> {
        None
    }

    pub(crate) fn stop() {}

    pub(crate) fn cpu_ticks(counter: u64) -> Option<u64> {
        Some(counter)
    }

    pub(crate) fn ticks_after_a_switch() -> (u64, u64) {
        (0, 0)
    }

    pub(crate) fn before_fork() {}

    pub(crate) fn after_fork_in_child() {}

    pub(crate) fn before_fork_ns() -> u64 {
        0
    }
}

pub(crate) use detector::*;
