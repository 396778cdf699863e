//! Detects context switches of this thread by restartable sequences.
//!
//! The C library (glibc ≥ 2.35) registers an rseq area with the kernel for each
//! thread. Its field `rseq_cs` points to the descriptor of the critical section
//! that the thread is in. When the kernel preempts, migrates or signals the
//! thread *outside* that section, it clears the pointer. We point it to a section
//! that is never executed: a cleared pointer means that the thread was switched
//! out. See rseq(2) and the kernel's kernel/rseq.c.
//!
//! Where no area is registered, a [`perf_page`](super::perf_page) is used.
//!
//! **Invariant:** the pointer must not outlive this library, which holds the
//! section, so it is cleared at disable.

use recorder::TickRate;

/// How context switches are detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SwitchDetector {
    /// By `rseq_cs`.
    Rseq,
    /// By the sequence number of a [`perf_page`](super::perf_page).
    PerfPage,
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod detector {
    use std::cell::Cell;
    use std::sync::OnceLock;
    use std::time::Duration;

    use recorder::CpuClock;

    use super::{SwitchDetector, TickRate};
    use crate::clock::calibration::thread_cpu_ns;
    use crate::clock::{counter, perf_page};
    use crate::zend::per_thread::per_thread;

    // A section of one instruction that is never executed. The kernel requires
    // the signature that the C library registered before the abort address.
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

    /// The section's descriptor; its addresses are known after relocation.
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

    /// The state of switch detection in one thread.
    pub(super) struct Watch {
        /// Points to the thread's `rseq_cs`, or to the sequence number of its perf
        /// page; null while detection is off.
        pointer: Cell<*mut u64>,
        /// The value at `pointer` as long as the thread is not switched out: the
        /// address of our section, or the sequence number. [`NEVER`] if readings
        /// must not use the counter alone.
        expected: Cell<u64>,
        /// The value that [`arm`] found or stored at `pointer`.
        armed: Cell<u64>,
        detector: Cell<SwitchDetector>,
        cpu: CpuClock,
        rate: Cell<Option<TickRate>>,
        /// In a forked child: the CPU time of its parents, in nanoseconds.
        before_fork_ns: Cell<u64>,
        /// CPU time at the last fork.
        at_fork_ns: Cell<u64>,
    }

    /// A value that is neither a section's address nor a sequence number.
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

    /// Starts detection with the first detector that works on this system; none if
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
        // Tried once for a process: a sleep is a context switch.
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

    /// Arms switch detection.
    fn arm(watch: &Watch) {
        let pointer = watch.pointer.get();
        match watch.detector.get() {
            SwitchDetector::Rseq => {
                watch.armed.set(section() as u64);
                // SAFETY: the thread's own area, see `begin`.
                unsafe { set(pointer, section() as u64) };
            }
            // SAFETY: the thread's own page, see `begin`.
            SwitchDetector::PerfPage => watch.armed.set(unsafe { read(pointer) }),
        }
    }

    /// Whether the thread was switched out since [`arm`].
    fn is_switched(watch: &Watch) -> bool {
        // SAFETY: called only while detection is on, when the pointer is set.
        unsafe { read(watch.pointer.get()) != watch.armed.get() }
    }

    /// Ends detection; does nothing if it is off.
    pub(crate) fn stop() {
        let watch = WATCH.get();
        let pointer = watch.pointer.replace(std::ptr::null_mut());
        if pointer.is_null() {
            return;
        }
        match watch.detector.get() {
            // SAFETY: the thread's own area, see `begin`.
            SwitchDetector::Rseq => unsafe { set(pointer, 0) },
            SwitchDetector::PerfPage => perf_page::close(),
        }
    }

    /// The thread's CPU time in ticks at the counter's value `counter`; none if
    /// the caller must use [`ticks_after_a_switch`].
    #[inline(always)]
    pub(crate) fn cpu_ticks(counter: u64) -> Option<u64> {
        let watch = WATCH.get();
        // SAFETY: called only while detection is on: while a profile reads CPU time.
        let still_set = unsafe { read(watch.pointer.get()) == watch.expected.get() };
        still_set.then(|| watch.cpu.read(counter))
    }

    /// Wall and CPU ticks now, after asking the kernel if the thread was switched
    /// out.
    ///
    /// Under a tracer (`strace`) every system call is a context switch, so this
    /// gives up after some tries and uses the last value.
    pub(crate) fn ticks_after_a_switch() -> (u64, u64) {
        let watch = WATCH.get();
        for _ in 0..4 {
            if is_switched(watch) {
                resynchronise();
            }
            let now = counter::read();
            // After a switch the counter includes time off the CPU.
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

    /// Asks the kernel for the CPU time, and arms detection again.
    #[cold]
    #[inline(never)]
    fn resynchronise() {
        let watch = WATCH.get();
        let Some(rate) = watch.rate.get() else { return };
        // The next reading must check whether the clock may advance from here.
        watch.expected.set(NEVER);
        // A switch in this loop clears the pointer, and the next reading comes
        // here again. So a few tries suffice, and each alone is correct.
        for _ in 0..4 {
            arm(watch);
            let used = thread_cpu_ns().wrapping_add(watch.before_fork_ns.get());
            let used = rate.ticks_in_nanoseconds(used);
            watch.cpu.resynchronise(counter::read(), used);
            if !is_switched(watch) {
                return;
            }
        }
    }

    /// Called in the parent before a fork: the child's kernel clock starts at zero.
    pub(crate) fn before_fork() {
        let watch = WATCH.get();
        watch
            .at_fork_ns
            .set(thread_cpu_ns().wrapping_add(watch.before_fork_ns.get()));
    }

    /// Called in the forked child: its CPU time continues from its parent's.
    pub(crate) fn after_fork_in_child() {
        let watch = WATCH.get();
        watch.before_fork_ns.set(watch.at_fork_ns.get());
        let pointer = watch.pointer.get();
        if pointer.is_null() {
            return;
        }
        match watch.detector.get() {
            // SAFETY: the thread's own area, see `begin`.
            SwitchDetector::Rseq => unsafe { set(pointer, 0) },
            // The child does not inherit the parent's page.
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

    /// The address of this thread's `rseq_cs`; none if the C library did not
    /// register an area.
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

    /// The offset of the C library's rseq area from the thread pointer; none if it
    /// did not register one. Looked up once.
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

    /// # Safety
    ///
    /// `pointer` must be that of [`thread_pointer`].
    unsafe fn set(pointer: *mut u64, section: u64) {
        // SAFETY: the area lives as long as the thread; volatile, because the kernel changes it asynchronously.
        unsafe { pointer.write_volatile(section) };
    }

    /// # Safety
    ///
    /// `pointer` must be that of [`thread_pointer`] or of an open perf page.
    #[inline(always)]
    unsafe fn read(pointer: *const u64) -> u64 {
        // SAFETY: the caller's pointer; volatile as in `set`.
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
