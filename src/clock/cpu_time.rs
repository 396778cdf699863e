//! CPU time of this thread, without a system call per call.
//!
//! A thread's CPU time advances with the cycle counter until the kernel switches
//! the thread out. So the counter is read, and the kernel is asked only after a
//! switch, which [`rseq`] detects. Where that does not work, every
//! reading is a system call (550 ns and more).

use recorder::TickRate;

use super::calibration::thread_cpu_ns;
use super::rseq::{self, SwitchDetector};
use super::{Calibration, counter};

/// How CPU time is read in a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CpuTime {
    /// From the cycle counter, with this detector of context switches.
    Counter(SwitchDetector),
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
            Some(calibration) => {
                rseq::start(calibration.rate).map_or(Self::SystemCall, Self::Counter)
            }
            None => Self::SystemCall,
        }
    }

    /// For `phpinfo()`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Counter(SwitchDetector::Rseq) => "cycle counter, checked by rseq",
            Self::Counter(SwitchDetector::PerfPage) => "cycle counter, checked by a perf page",
            Self::SystemCall => "clock_gettime(CLOCK_THREAD_CPUTIME_ID)",
        }
    }

    /// The tick rate of this clock, given the rate of the counter.
    pub(crate) fn rate(self, counter: TickRate) -> TickRate {
        match self {
            Self::Counter(_) => counter,
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
pub(super) fn by_system_call() -> u64 {
    thread_cpu_ns().wrapping_add(rseq::before_fork_ns())
}

/// Wall and CPU ticks of one instant, both from the counter.
#[inline(always)]
pub(super) fn by_counter() -> (u64, u64) {
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
fn after_a_switch() -> (u64, u64) {
    rseq::ticks_after_a_switch()
}
