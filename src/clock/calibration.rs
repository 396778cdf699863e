//! Measures the frequency of the cycle counter against the kernel's clock.
//!
//! Both clocks are read twice, with 5 ms of sleep in between. Each reading of
//! the kernel's clock stands between two readings of the counter. Of twenty such
//! brackets the narrowest is used, so an interrupt in one of them does no harm.
//! The width of the two brackets bounds the error, which `phpinfo()` shows.

use std::time::Duration;

use recorder::TickRate;

/// A measured rate and the bound of its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Calibration {
    /// Ticks per second.
    pub(crate) rate: TickRate,
    /// The largest error that the brackets allow, in parts per million.
    pub(crate) error_ppm: f64,
}

/// The time that XHProf sleeps, too.
const SLEEP: Duration = Duration::from_millis(5);
const BRACKETS: usize = 20;

impl Calibration {
    /// A clock that ticks in nanoseconds by definition.
    pub(crate) const NANOSECONDS: Self = Self {
        rate: TickRate::NANOSECONDS,
        error_ppm: 0.0,
    };

    /// Measures `counter`; none if it does not advance.
    pub(crate) fn measure(counter: fn() -> u64) -> Option<Self> {
        let first = Bracket::narrowest(counter);
        std::thread::sleep(SLEEP);
        let second = Bracket::narrowest(counter);
        let ticks = second.ticks.checked_sub(first.ticks)?;
        let ns = second.ns.checked_sub(first.ns).filter(|&ns| ns > 0)?;
        let hertz = u128::from(ticks) * 1_000_000_000 / u128::from(ns);
        let rate = u64::try_from(hertz).ok().filter(|&hertz| hertz > 0)?;
        // The kernel's reading lies anywhere in its bracket: half a width at each end.
        #[expect(clippy::cast_precision_loss, reason = "an error of parts per million")]
        let error_ppm = (first.width + second.width) as f64 / 2.0 / ticks as f64 * 1e6;
        Some(Self {
            rate: TickRate::new(rate),
            error_ppm,
        })
    }
}

/// One reading of both clocks, and the time that it took.
struct Bracket {
    ticks: u64,
    ns: u64,
    width: u64,
}

impl Bracket {
    fn narrowest(counter: fn() -> u64) -> Self {
        let mut best = Self::take(counter);
        for _ in 1..BRACKETS {
            let next = Self::take(counter);
            if next.width < best.width {
                best = next;
            }
        }
        best
    }

    fn take(counter: fn() -> u64) -> Self {
        let before = counter();
        // CLOCK_MONOTONIC_RAW is not slewed by NTP.
        let ns = clock_ns(RAW);
        let width = counter().saturating_sub(before);
        Self {
            ticks: before + width / 2,
            ns,
            width,
        }
    }
}

#[cfg(target_os = "linux")]
const RAW: libc::clockid_t = libc::CLOCK_MONOTONIC_RAW;
#[cfg(not(target_os = "linux"))]
const RAW: libc::clockid_t = libc::CLOCK_MONOTONIC;

/// A kernel clock in nanoseconds; zero if the kernel does not have it.
#[inline]
pub(crate) fn clock_ns(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is ours and writable for the length of the call.
    let failed = unsafe { libc::clock_gettime(clock, &raw mut time) } != 0;
    if failed {
        return 0;
    }
    #[expect(
        clippy::cast_sign_loss,
        reason = "clocks that count from boot or from 1970"
    )]
    let ns = time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64;
    ns
}

/// `CLOCK_THREAD_CPUTIME_ID`, in nanoseconds.
#[inline(always)]
pub(super) fn thread_cpu_ns() -> u64 {
    clock_ns(libc::CLOCK_THREAD_CPUTIME_ID)
}
