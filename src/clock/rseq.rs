//! Detects context switches of this thread by restartable sequences.
//!
//! A thread may register one rseq area with the kernel. Its field `rseq_cs` points
//! to the descriptor of the critical section that the thread is in. When the kernel
//! preempts, migrates or signals the thread *outside* that section, it clears the
//! pointer. We point it to a section that is never executed: a cleared pointer means
//! that the thread was switched out. See rseq(2) and the kernel's kernel/rseq.c.
//!
//! glibc since 2.35 registers an area for each thread. Where it has not (older glibc,
//! musl), `rseq_area` registers one of ours while a profile runs.
//!
//! **Invariant:** the pointer must not outlive this library, which holds the
//! section, so it is cleared at disable.

#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod detector {
    use std::cell::Cell;
    use std::ptr;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use recorder::{CpuClock, TickRate, Ticks};

    use crate::clock::calibration::thread_cpu_ns;
    use crate::clock::counter;
    use crate::clock::rseq_area::{self as area, SIGNATURE};
    use crate::zend::per_thread::per_thread;

    // A section of one instruction that is never executed. The kernel requires
    // the signature of the registration before the abort address.
    std::arch::global_asm!(
        ".pushsection .text.xhprof_rseq, \"ax\"",
        ".globl xhprof_rseq_start, xhprof_rseq_end, xhprof_rseq_abort",
        ".hidden xhprof_rseq_start, xhprof_rseq_end, xhprof_rseq_abort",
        ".balign 4",
        "xhprof_rseq_start: .long {undefined}",
        "xhprof_rseq_end:",
        ".long {signature}",
        "xhprof_rseq_abort: .long {undefined}",
        ".popsection",
        undefined = const UNDEFINED,
        signature = const SIGNATURE,
    );

    /// The bytes of an undefined instruction: two `ud2`, or `udf #0`.
    const UNDEFINED: u32 = if cfg!(target_arch = "x86_64") {
        0x0b0f_0b0f
    } else {
        0
    };

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

    /// The address of the section's descriptor; its own addresses are known after
    /// relocation.
    fn section() -> u64 {
        static SECTION: OnceLock<Section> = OnceLock::new();
        let section = SECTION.get_or_init(|| {
            let start = (&raw const xhprof_rseq_start) as u64;
            Section {
                version: 0,
                flags: 0,
                start,
                length: (&raw const xhprof_rseq_end) as u64 - start,
                abort: (&raw const xhprof_rseq_abort) as u64,
            }
        });
        ptr::from_ref(section) as u64
    }

    /// The state of switch detection in one thread.
    struct Watch {
        /// The thread's `rseq_cs`, or [`OFF`] while detection is off.
        pointer: Cell<&'static AtomicU64>,
        /// The value of `pointer` as long as the thread is not switched out: the
        /// address of our section. [`NEVER`] if readings must not use the counter
        /// alone.
        expected: Cell<u64>,
        cpu: CpuClock,
        rate: Cell<Option<TickRate>>,
        /// In a forked child: the CPU time of its parents, in nanoseconds.
        before_fork_ns: Cell<u64>,
        /// CPU time at the last fork.
        at_fork_ns: Cell<u64>,
    }

    /// A value that is no section's address.
    const NEVER: u64 = u64::MAX;
    /// Stands for `rseq_cs` while detection is off: no section is ever set.
    static OFF: AtomicU64 = AtomicU64::new(0);

    per_thread! {
        static WATCH: Watch = Watch {
            pointer: Cell::new(&OFF),
            expected: Cell::new(NEVER),
            cpu: CpuClock::new(),
            rate: Cell::new(None),
            before_fork_ns: Cell::new(0),
            at_fork_ns: Cell::new(0),
        };
    }

    impl Watch {
        fn is_on(&self) -> bool {
            !ptr::eq(self.pointer.get(), &raw const OFF)
        }

        /// Arms switch detection, if it is on.
        fn arm(&self) {
            if self.is_on() {
                self.pointer.get().store(section(), Ordering::Relaxed);
            }
        }

        /// Whether the thread was switched out since [`arm`](Self::arm).
        fn is_switched(&self) -> bool {
            self.pointer.get().load(Ordering::Relaxed) != section()
        }

        /// Asks the kernel for the CPU time, and arms detection again.
        #[cold]
        #[inline(never)]
        fn resynchronise(&self) {
            let Some(rate) = self.rate.get() else { return };
            // The next reading must check whether the clock may advance from here.
            self.expected.set(NEVER);
            // A switch in this loop clears the pointer, and the next reading comes
            // here again. So a few tries suffice, and each alone is correct.
            for _ in 0..4 {
                self.arm();
                let used = thread_cpu_ns().wrapping_add(self.before_fork_ns.get());
                let used = rate.ticks_in_nanoseconds(used);
                self.cpu.resynchronise(counter::read(), used);
                if !self.is_switched() {
                    return;
                }
            }
        }
    }

    /// Starts detection; false if it does not work on this system.
    pub(crate) fn start(rate: TickRate) -> bool {
        static WORKS: OnceLock<bool> = OnceLock::new();
        let watch = WATCH.get();
        if watch.rate.replace(Some(rate)) != Some(rate) {
            watch.cpu.forget();
        }
        let Some(pointer) = area::find() else {
            return false;
        };
        watch.pointer.set(pointer);
        // Tried once for a process: a sleep is a context switch.
        let works = *WORKS.get_or_init(|| {
            watch.arm();
            std::thread::sleep(Duration::from_micros(100));
            watch.is_switched()
        });
        if works {
            watch.resynchronise();
        } else {
            stop();
        }
        works
    }

    /// Ends detection; does nothing if it is off.
    pub(crate) fn stop() {
        let watch = WATCH.get();
        if watch.is_on() {
            watch.pointer.replace(&OFF).store(0, Ordering::Relaxed);
            watch.expected.set(NEVER);
            area::release();
        }
    }

    /// The thread's CPU time at the counter's value `counter`; none if the caller
    /// must use [`ticks_after_a_switch`].
    #[inline(always)]
    pub(crate) fn cpu_ticks(counter: Ticks) -> Option<Ticks> {
        let watch = WATCH.get();
        let section = watch.pointer.get().load(Ordering::Relaxed);
        (section == watch.expected.get()).then(|| watch.cpu.read(counter))
    }

    /// Wall and CPU ticks now, after asking the kernel if the thread was switched
    /// out.
    ///
    /// Under a tracer (`strace`) every system call is a context switch, so this
    /// gives up after some tries and uses the last value.
    pub(crate) fn ticks_after_a_switch() -> (Ticks, Ticks) {
        let watch = WATCH.get();
        for _ in 0..4 {
            if watch.is_switched() {
                watch.resynchronise();
            }
            let now = counter::read();
            // After a switch the counter includes time off the CPU.
            if watch.is_switched() {
                continue;
            }
            let (cpu, has_caught_up) = watch.cpu.catch_up(now);
            if has_caught_up {
                watch.expected.set(section());
            }
            return (now, cpu);
        }
        let now = counter::read();
        (now, watch.cpu.catch_up(now).0)
    }

    /// Called in the parent before a fork: the child's kernel clock starts at zero.
    pub(crate) fn before_fork() {
        let watch = WATCH.get();
        watch
            .at_fork_ns
            .set(thread_cpu_ns().wrapping_add(watch.before_fork_ns.get()));
    }

    /// Called in the forked child, which inherits the area: its CPU time continues
    /// from its parent's.
    pub(crate) fn after_fork_in_child() {
        let watch = WATCH.get();
        watch.before_fork_ns.set(watch.at_fork_ns.get());
        // As after a switch.
        watch.pointer.get().store(0, Ordering::Relaxed);
    }

    /// CPU time that this process's parents had used when it was forked.
    #[inline(always)]
    pub(crate) fn before_fork_ns() -> u64 {
        WATCH.get().before_fork_ns.get()
    }
}

#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
mod detector {
    use std::cell::Cell;

    use recorder::{TickRate, Ticks};

    use crate::clock::calibration::thread_cpu_ns;

    thread_local! {
        static BEFORE_FORK_NS: Cell<u64> = const { Cell::new(0) };
        static AT_FORK_NS: Cell<u64> = const { Cell::new(0) };
    }

    pub(crate) fn start(_rate: TickRate) -> bool {
        false
    }

    pub(crate) fn stop() {}

    pub(crate) fn cpu_ticks(counter: Ticks) -> Option<Ticks> {
        Some(counter)
    }

    pub(crate) fn ticks_after_a_switch() -> (Ticks, Ticks) {
        (Ticks::ZERO, Ticks::ZERO)
    }

    pub(crate) fn before_fork() {
        AT_FORK_NS.set(thread_cpu_ns().wrapping_add(BEFORE_FORK_NS.get()));
    }

    pub(crate) fn after_fork_in_child() {
        BEFORE_FORK_NS.set(AT_FORK_NS.get());
    }

    pub(crate) fn before_fork_ns() -> u64 {
        BEFORE_FORK_NS.get()
    }
}

pub(crate) use detector::*;
