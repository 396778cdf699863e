//! CPU time of this thread, without a system call per call.
//!
//! A thread's CPU time runs with the cycle counter until the kernel switches
//! the thread out. So: read the counter, and ask the kernel only after a
//! switch. Whether there was one, [`rseq`](super::rseq) tells. Where that does
//! not work, every reading is a system call (550 ns and more).

use recorder::TickRate;

use super::calibration::clock_ns;
use super::rseq::{self, SwitchDetector};
use super::{Calibration, counter};

/// How CPU time is read in a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CpuTime {
    /// From the cycle counter, while that bell tells of switches.
    Counter(SwitchDetector),
    /// By `clock_gettime`.
    SystemCall,
}

impl CpuTime {
    /// Chooses a way that works here, and begins to watch for switches if it
    /// has to. Ends with [`stop`].
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

    /// How long a tick of this clock is, given the rate of the counter.
    pub(crate) fn rate(self, counter: TickRate) -> TickRate {
        match self {
            Self::Counter(_) => counter,
            Self::SystemCall => TickRate::NANOSECONDS,
        }
    }
}

/// Ends what [`CpuTime::start`] began.
pub(super) fn stop() {
    rseq::stop();
}

/// CPU time by system call, in nanoseconds.
#[inline(always)]
pub(super) fn by_system_call() -> u64 {
    kernel_ns().wrapping_add(rseq::before_fork_ns())
}

/// What the kernel says, in nanoseconds.
#[inline(always)]
pub(super) fn kernel_ns() -> u64 {
    clock_ns(libc::CLOCK_THREAD_CPUTIME_ID)
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

/// The same, where the thread was switched out since the last reading, or not
/// long before it.
#[cold]
#[inline(never)]
fn after_a_switch() -> (u64, u64) {
    rseq::ticks_after_a_switch()
}
