//! Time: which clock is read, its tick rate, and the error of that rate.
//!
//! The engines read ticks at every call. `session` chooses the clock once, at
//! enable, and converts ticks to time at the end. The rate is measured once for
//! each CPU that needs it and kept for the life of the process.

mod affinity;
mod calibration;
mod counter;
mod cpu_time;
mod rseq;
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod rseq_area;
mod schedule;
mod timer;

pub(crate) use calibration::Calibration;
pub(crate) use cpu_time::CpuTime;
pub(crate) use schedule::Fired;
pub(crate) use timer::{Timer, end_kept_timer};

use std::sync::{Mutex, OnceLock};

use ::settings::ClockChoice;
use recorder::{TickRate, Ticks};

/// The clocks that the engines read at entry and exit.
pub(crate) trait Clocks {
    /// Wall time.
    fn wall() -> Ticks;
    /// Wall and CPU time, the wall clock read last.
    fn both_at_entry() -> (Ticks, Ticks);
    /// Wall and CPU time, the wall clock read first.
    fn both_at_exit() -> (Ticks, Ticks);
}

/// The CPU's own cycle counter for wall time (`rdtsc`, or `cntvct_el0` on
/// aarch64), and a system call for CPU time.
pub(crate) struct CycleCounter;

impl Clocks for CycleCounter {
    #[inline(always)]
    fn wall() -> Ticks {
        counter::read()
    }

    #[inline(always)]
    fn both_at_entry() -> (Ticks, Ticks) {
        let cpu = cpu_time::by_system_call();
        (counter::read(), cpu)
    }

    #[inline(always)]
    fn both_at_exit() -> (Ticks, Ticks) {
        (counter::read(), cpu_time::by_system_call())
    }
}

/// The cycle counter for both.
pub(crate) struct CycleCounterForBoth;

impl Clocks for CycleCounterForBoth {
    #[inline(always)]
    fn wall() -> Ticks {
        counter::read()
    }

    #[inline(always)]
    fn both_at_entry() -> (Ticks, Ticks) {
        cpu_time::by_counter()
    }

    #[inline(always)]
    fn both_at_exit() -> (Ticks, Ticks) {
        cpu_time::by_counter()
    }
}

/// `CLOCK_MONOTONIC`, whose ticks are nanoseconds, for systems without a usable counter.
pub(crate) struct Monotonic;

impl Clocks for Monotonic {
    #[inline(always)]
    fn wall() -> Ticks {
        Ticks(monotonic_ns())
    }

    #[inline(always)]
    fn both_at_entry() -> (Ticks, Ticks) {
        let cpu = cpu_time::by_system_call();
        (Self::wall(), cpu)
    }

    #[inline(always)]
    fn both_at_exit() -> (Ticks, Ticks) {
        (Self::wall(), cpu_time::by_system_call())
    }
}

/// The clock of one profile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Clock {
    /// Where ticks come from.
    pub(crate) source: Source,
    /// How long they last.
    pub(crate) calibration: Calibration,
    /// How CPU time is read, if it is.
    pub(crate) cpu: CpuTime,
    /// Whether the thread is kept on one CPU while it profiles.
    pub(crate) is_pinned: bool,
}

impl Clock {
    /// The tick rates of wall time and of CPU time.
    pub(crate) fn rates(&self) -> (TickRate, TickRate) {
        let wall = self.calibration.rate;
        (wall, self.cpu.rate(wall))
    }
}

/// Where wall ticks come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// [`CycleCounter`].
    Counter,
    /// [`Monotonic`].
    Monotonic,
}

/// The rates that have been measured: one for all CPUs where the counter is
/// invariant, else one for each CPU.
static MEASURED: Mutex<Vec<(usize, Calibration)>> = Mutex::new(Vec::new());

/// Stands for "every CPU" in [`MEASURED`].
const ANY_CPU: usize = usize::MAX;

/// Chooses the clock, pins the thread if the choice needs it, and measures the
/// counter if that has not been done yet (5 ms, once for a CPU).
///
/// Every call must be followed by [`stop`] when the profile ends.
pub(crate) fn start(choice: ClockChoice, wants_cpu: bool) -> Clock {
    let pin = match choice {
        ClockChoice::Auto | ClockChoice::Counter => Pin::IfNeeded,
        ClockChoice::Monotonic => Pin::Never,
        ClockChoice::Pinned => Pin::Always,
    };
    start_pinned(choice, pin, wants_cpu)
}

/// Whether the thread stays on one CPU.
#[derive(Clone, Copy)]
enum Pin {
    /// Where the counter is not invariant.
    IfNeeded,
    Always,
    Never,
}

fn start_pinned(choice: ClockChoice, pin: Pin, wants_cpu: bool) -> Clock {
    let wants_counter = choice != ClockChoice::Monotonic && counter::EXISTS;
    let must_pin = match pin {
        Pin::Always => true,
        Pin::Never => false,
        Pin::IfNeeded => wants_counter && !counter::is_invariant(),
    };
    let is_pinned = must_pin && affinity::pin();
    let is_usable = counter::is_invariant() || is_pinned || choice == ClockChoice::Counter;
    if wants_counter && is_usable {
        let cpu = if counter::is_invariant() {
            ANY_CPU
        } else {
            affinity::current_cpu()
        };
        if let Some(calibration) = calibrated(cpu) {
            return Clock {
                source: Source::Counter,
                calibration,
                cpu: if wants_cpu {
                    CpuTime::start(Some(calibration))
                } else {
                    CpuTime::SystemCall
                },
                is_pinned,
            };
        }
    }
    Clock {
        source: Source::Monotonic,
        calibration: Calibration::NANOSECONDS,
        cpu: CpuTime::SystemCall,
        is_pinned,
    }
}

/// Restarts a clock that an earlier [`start`] returned, regardless of the current
/// settings. Returns false if that is no longer possible; then the caller must
/// not read the clock.
pub(crate) fn start_again(clock: Clock, wants_cpu: bool) -> bool {
    let (choice, pin) = match (clock.source, clock.is_pinned) {
        (Source::Counter, true) => (ClockChoice::Counter, Pin::Always),
        (Source::Counter, false) => (ClockChoice::Counter, Pin::Never),
        (Source::Monotonic, true) => (ClockChoice::Monotonic, Pin::Always),
        (Source::Monotonic, false) => (ClockChoice::Monotonic, Pin::Never),
    };
    start_pinned(choice, pin, wants_cpu) == clock
}

/// Ends the use of a clock, see [`start`].
pub(crate) fn stop() {
    cpu_time::stop();
    affinity::restore();
}

/// Registers fork handlers, once for the process: a forked child is unpinned,
/// its CPU time continues from its parent's, and `then` is called in it.
///
/// # Safety
///
/// `then` must neither allocate nor take a lock, which another thread of the parent
/// may have held, nor call PHP.
pub(crate) unsafe fn follow_forks(then: fn()) {
    static THEN: OnceLock<fn()> = OnceLock::new();
    extern "C" fn prepare() {
        rseq::before_fork();
    }
    extern "C" fn in_child() {
        rseq::after_fork_in_child();
        affinity::restore();
        if let Some(then) = THEN.get() {
            then();
        }
    }
    THEN.get_or_init(|| then);
    // SAFETY: plain functions that set this thread's own data and make system calls;
    // they allocate nothing and take no lock; `then` neither, which the caller
    // promises. glibc unregisters them when it unloads this library; musl unloads none.
    unsafe {
        at_fork(prepare, in_child);
    }
}

/// `pthread_atfork` of the C library that is there: one file serves glibc and musl. In glibc
/// it is a static part of each library and calls `__register_atfork` (`pthread_atfork.c`),
/// which musl does not have.
#[cfg(target_os = "linux")]
unsafe fn at_fork(prepare: extern "C" fn(), in_child: extern "C" fn()) {
    type Handler = Option<extern "C" fn()>;
    type Register = unsafe extern "C" fn(Handler, Handler, Handler, *const u8) -> libc::c_int;
    unsafe extern "C" {
        /// What glibc knows this library by.
        static __dso_handle: u8;
    }
    // SAFETY: the types of both in the sources of glibc and musl. That of musl takes three
    // arguments, and by the calling conventions of Linux does not see the fourth.
    unsafe {
        let mut found = libc::dlsym(libc::RTLD_DEFAULT, c"__register_atfork".as_ptr());
        if found.is_null() {
            found = libc::dlsym(libc::RTLD_DEFAULT, c"pthread_atfork".as_ptr());
        }
        if !found.is_null() {
            let register = std::mem::transmute::<*mut libc::c_void, Register>(found);
            register(Some(prepare), None, Some(in_child), &raw const __dso_handle);
        }
    }
}

#[cfg(not(target_os = "linux"))]
unsafe fn at_fork(prepare: extern "C" fn(), in_child: extern "C" fn()) {
    // SAFETY: what the caller promises.
    unsafe {
        libc::pthread_atfork(Some(prepare), None, Some(in_child));
    }
}

/// How CPU time would be read here, for `phpinfo()`.
pub(crate) fn cpu_time_in_use(choice: ClockChoice) -> CpuTime {
    let clock = start_pinned(choice, Pin::Never, true);
    stop();
    clock.cpu
}

/// Measures now what [`start`] would measure in the first request. Servers that
/// fork their workers call this at MINIT.
pub(crate) fn warm_up() {
    if counter::EXISTS && counter::is_invariant() {
        let _ = calibrated(ANY_CPU);
    }
}

/// The rates measured so far, for `phpinfo()`: a CPU (none: all) and its rate.
pub(crate) fn measured() -> Vec<(Option<usize>, Calibration)> {
    let Ok(measured) = MEASURED.lock() else {
        return Vec::new();
    };
    let cpu = |cpu: usize| (cpu != ANY_CPU).then_some(cpu);
    measured
        .iter()
        .map(|&(number, rate)| (cpu(number), rate))
        .collect()
}

/// Whether there is a counter, and whether it is invariant: it ticks at one rate
/// on all CPUs and in every power state.
pub(crate) fn counter_state() -> (bool, bool) {
    (counter::EXISTS, counter::is_invariant())
}

/// The counter's name in the manuals.
pub(crate) const COUNTER_NAME: &str = counter::NAME;

fn calibrated(cpu: usize) -> Option<Calibration> {
    let mut measured = MEASURED.lock().ok()?;
    if let Some((_, calibration)) = measured.iter().find(|(known, _)| *known == cpu) {
        return Some(*calibration);
    }
    let calibration = Calibration::measure(counter::read)?;
    measured.push((cpu, calibration));
    Some(calibration)
}

/// `CLOCK_MONOTONIC`, in nanoseconds.
#[inline]
pub(crate) fn monotonic_ns() -> u64 {
    calibration::clock_ns(libc::CLOCK_MONOTONIC)
}

/// The CPU time of this thread, in nanoseconds.
pub(crate) fn cpu_ns() -> u64 {
    cpu_time::by_system_call_ns()
}

/// The time of day in microseconds since 1970.
pub(crate) fn unix_time_us() -> u64 {
    calibration::clock_ns(libc::CLOCK_REALTIME) / 1_000
}
