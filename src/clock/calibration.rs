//! How fast the cycle counter ticks, measured against the kernel's clock.
//!
//! Two readings of both clocks, 5 ms of sleep apart. Each reading of the
//! kernel's clock stands between two of the counter's, and of twenty such
//! brackets the narrowest counts: an interrupt in the middle cannot spoil it.
//! The width of the two brackets bounds the error, and we say it in `phpinfo()`.

use std::time::Duration;

use recorder::TickRate;

/// A measured rate and how wrong it can be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Calibration {
    /// Ticks a second.
    pub(crate) rate: TickRate,
    /// The largest error that the brackets allow, in parts per million.
    pub(crate) error_ppm: f64,
}

/// What XHProf has always slept.
const SLEEP: Duration = Duration::from_millis(5);
const BRACKETS: usize = 20;

impl Calibration {
    /// A clock that ticks in nanoseconds by definition.
    pub(crate) const NANOSECONDS: Self = Self {
        rate: TickRate::NANOSECONDS,
        error_ppm: 0.0,
    };

    /// Measures `counter`; none if it does not move.
    pub(crate) fn measure(counter: fn() -> u64) -> Option<Self> {
        let first = Bracket::narrowest(counter);
        std::thread::sleep(SLEEP);
        let second = Bracket::narrowest(counter);
        let ticks = second.ticks.checked_sub(first.ticks)?;
        let ns = second.ns.checked_sub(first.ns).filter(|&ns| ns > 0)?;
        let hertz = u128::from(ticks) * 1_000_000_000 / u128::from(ns);
        let rate = u64::try_from(hertz).ok().filter(|&hertz| hertz > 0)?;
        // Half a bracket at each end: the kernel's reading lies somewhere in it.
        #[expect(clippy::cast_precision_loss, reason = "an error of parts per million")]
        let error_ppm = (first.width + second.width) as f64 / 2.0 / ticks as f64 * 1e6;
        Some(Self {
            rate: TickRate::new(rate),
            error_ppm,
        })
    }
}

/// One reading of both clocks, as close together as it could be had.
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
        // RAW: not slewed by NTP, so five milliseconds of it are five milliseconds.
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
