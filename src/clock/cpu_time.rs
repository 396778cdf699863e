//! CPU time of this thread, without a system call per call.
//!
//! A thread's CPU time advances with the cycle counter until the kernel switches
//! the thread out. So the counter is read, and the kernel is asked only after a
//! switch, which [`rseq`] detects. Where that does not work, every
//! reading is a system call (550 ns and more).

use recorder::{TickRate, Ticks};

use super::calibration::thread_cpu_ns;
use super::{Calibration, counter, rseq};

/// How CPU time is read in a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CpuTime {
    /// From the cycle counter; `rseq` detects context switches.
    Counter,
    /// By `clock_gettime`.
    SystemCall,
}

impl CpuTime {
    /// Chooses a way that works on this system, and arms switch detection if the
    /// counter is used. [`stop`] ends it.
    ///
    /// `counter` is the counter's calibration, if wall time is read from it.
    pub(super) fn start(counter: Option<Calibration>) -> Self {
        match counter {
            Some(calibration) if rseq::start(calibration.rate) => Self::Counter,
            _ => Self::SystemCall,
        }
    }

    /// For `phpinfo()`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Counter => "cycle counter, checked by rseq",
            Self::SystemCall => "clock_gettime(CLOCK_THREAD_CPUTIME_ID)",
        }
    }

    /// The tick rate of this clock, given the rate of the counter.
    pub(crate) fn rate(self, counter: TickRate) -> TickRate {
        match self {
            Self::Counter => counter,
            Self::SystemCall => TickRate::NANOSECONDS,
        }
    }
}

/// Ends switch detection, see [`CpuTime::start`].
pub(super) fn stop() {
    rseq::stop();
}

/// CPU time by system call, in nanoseconds.
#[inline(always)]
pub(super) fn by_system_call_ns() -> u64 {
    thread_cpu_ns().wrapping_add(rseq::before_fork_ns())
}

/// The same as ticks of [`TickRate::NANOSECONDS`].
#[inline(always)]
pub(super) fn by_system_call() -> Ticks {
    Ticks(by_system_call_ns())
}

/// Wall and CPU ticks of one instant, both from the counter.
#[inline(always)]
pub(super) fn by_counter() -> (Ticks, Ticks) {
    let now = counter::read();
    match rseq::cpu_ticks(now) {
        Some(cpu) => (now, cpu),
        None => after_a_switch(),
    }
}

/// The slow path of [`by_counter`]: the thread was switched out since the last
/// reading, or shortly before it.
#[cold]
#[inline(never)]
fn after_a_switch() -> (Ticks, Ticks) {
    rseq::ticks_after_a_switch()
}
