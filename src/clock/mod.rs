//! Time: which clock is read, how fast it ticks, and how well we know that.
//!
//! The engines read ticks at every call; `session` asks once, at enable, which
//! clock to read and afterwards how long a tick was. The rate is measured once
//! for each CPU that needs it and kept for the life of the process.

mod affinity;
mod calibration;
mod counter;
mod cpu_time;

pub(crate) use affinity::{restore as unpin, restore_in_forked_children};
pub(crate) use calibration::Calibration;
pub(crate) use cpu_time::CpuTime;

use std::sync::Mutex;

use crate::settings::{ClockChoice, PinCpu};

/// What the engines read at entry and exit.
pub(crate) trait WallClock {
    /// Now, in ticks.
    fn ticks() -> u64;
}

/// The CPU's own cycle counter: `rdtsc`, or `cntvct_el0` on aarch64.
pub(crate) struct CycleCounter;

impl WallClock for CycleCounter {
    #[inline(always)]
    fn ticks() -> u64 {
        counter::read()
    }
}

/// `CLOCK_MONOTONIC`, in nanoseconds: where there is no usable counter.
pub(crate) struct Monotonic;

impl WallClock for Monotonic {
    #[inline(always)]
    fn ticks() -> u64 {
        calibration::clock_ns(libc::CLOCK_MONOTONIC)
    }
}

/// The clock of one profile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Clock {
    /// Where ticks come from.
    pub(crate) source: Source,
    /// How long they last.
    pub(crate) calibration: Calibration,
    /// Whether the thread is kept on one CPU while it profiles.
    pub(crate) is_pinned: bool,
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
/// Every call must be followed by [`unpin`] when the profile ends.
pub(crate) fn start(choice: ClockChoice, pin: PinCpu) -> Clock {
    let wants_counter = choice != ClockChoice::Monotonic && counter::EXISTS;
    let must_pin = match pin {
        PinCpu::Always => true,
        PinCpu::Never => false,
        PinCpu::Auto => wants_counter && !counter::is_invariant(),
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
                is_pinned,
            };
        }
    }
    Clock {
        source: Source::Monotonic,
        calibration: Calibration::NANOSECONDS,
        is_pinned,
    }
}

/// Measures now what [`start`] would measure in the first request: for servers
/// that fork their workers, so that no request pays for it.
pub(crate) fn warm_up() {
    if counter::EXISTS && counter::is_invariant() {
        let _ = calibrated(ANY_CPU);
    }
}

/// What has been measured so far, for `phpinfo()`: a CPU (none: all) and its rate.
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

/// Whether there is a counter, and whether it ticks alike on all CPUs and in
/// every power state.
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

/// The time of day in microseconds since 1970.
pub(crate) fn unix_time_us() -> u64 {
    calibration::clock_ns(libc::CLOCK_REALTIME) / 1_000
}
