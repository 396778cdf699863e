//! The timer of the sampling mode: a thread.
//!
//! A POSIX timer would send signals, which change what programs do. Measured on
//! PHP 8.2 with an empty handler, set with `SA_RESTART`, at 100 Hz: `sleep(1)`,
//! `usleep()` and `time_nanosleep()` returned after 10 ms, `stream_select()`
//! failed with a warning, and a read with a timeout of 0.5 s waited for as long
//! as signals came (6.6 s). The thread sends no signal, and blocks all signals,
//! so that the kernel delivers PHP's signals to PHP's thread.
//!
//! **Invariants:** the thread exists only between [`Timer::start`] and
//! [`Timer::stop`]. It holds no lock while it sleeps. A forked child has no such
//! thread, and calls [`Timer::forget`].

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{Builder, JoinHandle, park_timeout, sleep};
use std::time::Duration;

use policy::settings::SampledClock;
use recorder::SlotGrid;

use super::calibration::clock_ns;

/// One expiration of the timer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fired {
    /// `CLOCK_MONOTONIC`, in nanoseconds.
    pub(crate) at: u64,
    /// The time since the last expiration, on the sampled clock.
    pub(crate) elapsed: u64,
}

/// A running timer.
pub(crate) struct Timer {
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

/// The data that the thread and its owner share.
struct Shared {
    is_stopping: AtomicBool,
    /// A lower bound of the interval, see [`Timer::slow_down_to`].
    least_ns: AtomicU64,
}

/// Enough for the thread's calls and the C library's own data.
const STACK_SIZE: usize = 128 * 1024;

/// The shortest sleep on the CPU clock, which stands still while a program waits.
const MIN_CPU_SLEEP_NS: u64 = 50_000;

/// Up to this length the thread uses `sleep`, which costs the kernel less than
/// `park_timeout`, but cannot be woken by [`Timer::stop`].
const SHORT_SLEEP: Duration = Duration::from_micros(500);

impl Timer {
    /// Starts a thread that calls `fire` whenever `interval_ns` have passed on
    /// `clock`. The interval varies randomly by a quarter, so that samples do not
    /// run in lockstep with the program. With `slots`, `fire` is called at the
    /// beginning of each slot on the wall clock; if slots have begun since the
    /// last call, [`stop`](Self::stop) causes one more.
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

    /// Sets the least time between two calls of `fire`.
    pub(crate) fn slow_down_to(&self, least_ns: u64) {
        self.shared.least_ns.store(least_ns, Ordering::Relaxed);
    }

    /// Ends the thread, and waits for its end.
    pub(crate) fn stop(self) {
        self.shared.is_stopping.store(true, Ordering::Release);
        self.thread.thread().unpark();
        // A panic would have aborted the process.
        let _ = self.thread.join();
    }

    /// Called in a forked child, where the thread does not exist.
    pub(crate) fn forget(self) {
        std::mem::forget(self);
    }
}

/// The thread's schedule.
struct Schedule {
    shared: Arc<Shared>,
    clock: libc::clockid_t,
    interval_ns: u64,
    slots: Option<SlotGrid>,
    /// The timer has expired for the last time.
    has_ended: bool,
    /// When it expired last…
    last: u64,
    /// … and when it should have: one delay does not shift later expirations.
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

    /// Sleeps until the next expiration; none after [`Timer::stop`].
    fn wait(&mut self) -> Option<Fired> {
        let least = self.shared.least_ns.load(Ordering::Relaxed);
        let interval = self.random.around(self.interval_ns);
        self.due = if let Some(slots) = self.slots {
            slots.next_after(self.last + least)
        } else if self.has_fired {
            // Missed expirations are not made up for.
            (self.due + interval)
                .max(self.last + interval / 2)
                .max(self.last + least)
        } else {
            // At a random time in the first interval: otherwise short requests,
            // and the beginning of long ones, would get no sample.
            self.last + self.random.below(interval)
        };
        loop {
            let is_stopping = self.shared.is_stopping.load(Ordering::Acquire);
            let now = clock_ns(self.clock);
            if is_stopping {
                let slots = self.slots.filter(|_| !self.has_ended);
                self.has_ended = true;
                // A slot began, and the profile ended before this thread woke up.
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
            // CPU time advances no faster than wall time, but may stand still.
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

/// Reduces the timer slack: by default the kernel may wake a thread 50 µs late,
/// which is too late for the shortest intervals.
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

/// Runs `act` with all signals blocked; a thread that `act` starts inherits that.
fn without_signals<R>(act: impl FnOnce() -> R) -> R {
    // SAFETY: local signal sets; the previous mask is restored afterwards. The
    // kernel delivers a signal that arrives during `act` then.
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

/// Random numbers for the interval: xorshift, seeded by the clock.
struct Random(u64);

impl Random {
    fn new() -> Self {
        Self(clock_ns(libc::CLOCK_MONOTONIC).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// From three to five quarters of `mean`.
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
