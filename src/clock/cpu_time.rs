//! CPU time of this thread.

use recorder::TickRate;

use super::calibration::clock_ns;

/// The clock behind `XHPROF_FLAGS_CPU`.
pub(crate) struct CpuTime;

impl CpuTime {
    /// What the ticks of [`read`](Self::read) are.
    pub(crate) const RATE: TickRate = TickRate::NANOSECONDS;
    /// For `phpinfo()`.
    pub(crate) const NAME: &str = "clock_gettime(CLOCK_THREAD_CPUTIME_ID)";

    /// CPU time that this thread has used, in ticks.
    #[inline(always)]
    pub(crate) fn read() -> u64 {
        clock_ns(libc::CLOCK_THREAD_CPUTIME_ID)
    }
}
