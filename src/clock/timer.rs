//! The timer of the sampling mode: a thread that fires now and then.
//!
//! It is no POSIX timer, because signals change what programs do. Tried on PHP
//! 8.2 with a handler that does nothing, set with `SA_RESTART`, at 100 Hz:
//! `sleep(1)`, `usleep()` and `time_nanosleep()` came back after 10 ms,
//! `stream_select()` failed with a warning, and a read with a timeout of 0.5 s
//! waited for as long as signals came (6.6 s). The thread sends nothing and
//! receives nothing: it blocks all signals, so that none that is meant for PHP
//! ends there.
//!
//! **Invariants:** there is a thread only between [`Timer::start`] and
//! [`Timer::stop`]; it owns no lock while it sleeps; a forked child has none,
//! and calls [`Timer::forget`].

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{Builder, JoinHandle, park_timeout, sleep};
use std::time::Duration;

use recorder::SlotGrid;

use super::calibration::clock_ns;

/// Which time passes between two samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SampledClock {
    /// The time of day.
    Wall,
    /// The CPU time of the thread that starts the timer.
    Cpu,
}

/// One firing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fired {
    /// `CLOCK_MONOTONIC`, in nanoseconds.
    pub(crate) at: u64,
    /// The time since the last firing, on the clock that was asked for.
    pub(crate) elapsed: u64,
}

/// A timer that runs.
pub(crate) struct Timer {
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

/// What the thread and its owner share.
struct Shared {
    is_stopping: AtomicBool,
    /// The interval is not shorter than this, whatever was asked for.
    least_ns: AtomicU64,
}

/// No stack of the thread's needs more; the C library's own data is in it, too.
const STACK_SIZE: usize = 128 * 1024;

/// In CPU mode, how often at most the clock of a program that waits is read.
const MIN_CPU_SLEEP_NS: u64 = 50_000;

/// To sleep costs the kernel somewhat less than to wait for a call, which is
/// not worth it where that would come much too late.
const SHORT_SLEEP: Duration = Duration::from_micros(500);

impl Timer {
    /// Calls `fire` in a thread of its own, each time that `interval_ns` have
    /// passed on `clock`, more or less: the interval varies by a quarter, so
    /// that it falls into step with nothing. With `slots`, at the beginning of
    /// each of them, on the wall clock; those that began before [`stop`](Self::stop)
    /// and were not fired for get one firing then.
    pub(crate) fn start(
        clock: SampledClock,
        interval_ns: u64,
        slots: Option<SlotGrid>,
        fire: impl FnMut(Fired) + Send + 'static,
    ) -> io::Result<Self> {
        let clock = match clock {
            SampledClock::Wall => libc::CLOCK_MONOTONIC,
            SampledClock::Cpu => cpu_clock_of_this_thread()?,
        };
        let shared = Arc::new(Shared {
            is_stopping: AtomicBool::new(false),
            least_ns: AtomicU64::new(0),
        });
        let schedule = Schedule {
            shared: Arc::clone(&shared),
            clock,
            interval_ns,
            slots: slots.filter(|_| clock == libc::CLOCK_MONOTONIC),
            has_ended: false,
            last: clock_ns(clock),
            due: clock_ns(clock),
            has_fired: false,
            random: Random::new(),
        };
        let builder = Builder::new()
            .name("xhprof-timer".to_owned())
            .stack_size(STACK_SIZE);
        let thread = without_signals(|| builder.spawn(move || schedule.run(fire)))?;
        Ok(Self { shared, thread })
    }

    /// From now on, leaves at least that much time between two firings.
    pub(crate) fn slow_down_to(&self, least_ns: u64) {
        self.shared.least_ns.store(least_ns, Ordering::Relaxed);
    }

    /// Ends the thread, and waits for its end.
    pub(crate) fn stop(self) {
        self.shared.is_stopping.store(true, Ordering::Release);
        self.thread.thread().unpark();
        // It cannot have panicked: that ends the process.
        let _ = self.thread.join();
    }

    /// In a forked child, where the thread does not exist.
    pub(crate) fn forget(self) {
        std::mem::forget(self);
    }
}

/// When to fire, as the thread knows it.
struct Schedule {
    shared: Arc<Shared>,
    clock: libc::clockid_t,
    interval_ns: u64,
    slots: Option<SlotGrid>,
    /// It has fired for the last time.
    has_ended: bool,
    /// When it fired last…
    last: u64,
    /// … and when it should have: being late once delays nothing else.
    due: u64,
    has_fired: bool,
    random: Random,
}

impl Schedule {
    fn run(mut self, mut fire: impl FnMut(Fired)) {
        reduce_timer_slack(self.interval_ns);
        while let Some(fired) = self.wait() {
            fire(fired);
        }
    }

    /// Waits for the next time; none at the end.
    fn wait(&mut self) -> Option<Fired> {
        let least = self.shared.least_ns.load(Ordering::Relaxed);
        let interval = self.random.around(self.interval_ns);
        self.due = if let Some(slots) = self.slots {
            slots.next_after(self.last + least)
        } else if self.has_fired {
            // Nor does it hurry to make up for more than one.
            (self.due + interval)
                .max(self.last + interval / 2)
                .max(self.last + least)
        } else {
            // At any time in the first interval: else nothing would be seen of
            // short requests, or of how long ones begin.
            self.last + self.random.below(interval)
        };
        loop {
            let is_stopping = self.shared.is_stopping.load(Ordering::Acquire);
            let now = clock_ns(self.clock);
            if is_stopping {
                let slots = self.slots.filter(|_| !self.has_ended);
                self.has_ended = true;
                // A slot began, and the program ended before this thread woke up.
                slots.filter(|slots| slots.next_after(self.last) <= now)?;
                self.due = now;
            }
            if now >= self.due {
                let elapsed = now.saturating_sub(self.last);
                self.last = now;
                self.has_fired = true;
                let at = match self.clock {
                    libc::CLOCK_MONOTONIC => now,
                    _ => clock_ns(libc::CLOCK_MONOTONIC),
                };
                return Some(Fired { at, elapsed });
            }
            // CPU time passes no faster than the time of day, but may stand.
            let left = self.due - now;
            let pause = if self.clock == libc::CLOCK_MONOTONIC {
                left
            } else {
                left.max(MIN_CPU_SLEEP_NS)
            };
            let pause = Duration::from_nanos(pause);
            if pause <= SHORT_SLEEP {
                sleep(pause);
            } else {
                park_timeout(pause);
            }
        }
    }
}

/// The kernel may wake a thread up to 50 µs late, to save energy: too late for
/// the shortest intervals.
fn reduce_timer_slack(interval_ns: u64) {
    #[cfg(target_os = "linux")]
    if interval_ns < 2_000_000 {
        let slack = libc::c_ulong::try_from(interval_ns / 100).unwrap_or(50_000);
        // SAFETY: changes this thread alone; at worst it does nothing.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, slack, 0, 0, 0) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = interval_ns;
}

/// Runs `act`, which starts a thread, so that the thread blocks all signals.
fn without_signals<R>(act: impl FnOnce() -> R) -> R {
    // SAFETY: sets of ours; what was blocked before is blocked afterwards, and
    // nothing else. A signal that comes meanwhile is delivered then.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, &raw mut before);
        let result = act();
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
        result
    }
}

#[cfg(target_os = "linux")]
fn cpu_clock_of_this_thread() -> io::Result<libc::clockid_t> {
    let mut clock = 0;
    // SAFETY: the calling thread exists, and `clock` is ours.
    let error = unsafe { libc::pthread_getcpuclockid(libc::pthread_self(), &raw mut clock) };
    if error == 0 {
        Ok(clock)
    } else {
        Err(io::Error::from_raw_os_error(error))
    }
}

#[cfg(not(target_os = "linux"))]
fn cpu_clock_of_this_thread() -> io::Result<libc::clockid_t> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

/// Enough chance to fall out of step: xorshift, seeded by the clock.
struct Random(u64);

impl Random {
    fn new() -> Self {
        Self(clock_ns(libc::CLOCK_MONOTONIC).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// From three quarters of `mean` to five.
    fn around(&mut self, mean: u64) -> u64 {
        mean - mean / 4 + self.below(mean / 2 + 1)
    }

    /// Less than `end`, which is not zero.
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end.max(1)
    }
}
