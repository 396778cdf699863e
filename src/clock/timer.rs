//! The timer of the sampling mode: a thread.
//!
//! A POSIX timer would send signals, which change what programs do. Measured on
//! PHP 8.2 with an empty handler, set with `SA_RESTART`, at 100 Hz: `sleep(1)`,
//! `usleep()` and `time_nanosleep()` returned after 10 ms, `stream_select()`
//! failed with a warning, and a read with a timeout of 0.5 s waited for as long
//! as signals came (6.6 s). The thread sends no signal, and blocks all signals,
//! so that the kernel delivers PHP's signals to PHP's thread.
//!
//! A server's process keeps the thread for its next request ([`kept`]): a new one
//! takes more time than a short request. The thread wakes up for a while longer, so that
//! the next request need not wake it. Then it parks.
//!
//! **Invariants:** the thread touches PHP's memory only between [`Timer::start`] and
//! [`Timer::stop`]: what it calls is under the lock that both take. It holds no lock
//! while it sleeps. A forked child has no such thread, and calls [`Timer::forget`].

use std::cell::Cell;
use std::io;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle, park, park_timeout, sleep};
use std::time::Duration;

use ::settings::SampledClock;
use recorder::SlotGrid;

use super::calibration::clock_ns;
use super::schedule::{Fired, Random, Schedule};
use crate::zend;

/// A running timer.
pub(crate) struct Timer(TimerThread);

/// The thread, with or without something to do.
struct TimerThread {
    shared: Arc<Shared>,
    handle: JoinHandle<()>,
    /// The process that it belongs to.
    process: u32,
}

/// The data that the thread and its owner share.
struct Shared {
    work: Mutex<Work>,
    is_ending: AtomicBool,
    /// See [`Timer::slow_down_to`].
    least_ns: AtomicU64,
}

/// What the thread does.
struct Work {
    job: Option<Job>,
    /// When the thread wakes up next, on `CLOCK_MONOTONIC`.
    wakes_at: u64,
    random: Random,
}

/// What a timer calls, and when.
struct Job {
    schedule: Schedule,
    fire: Box<dyn FnMut(Fired) + Send>,
}

/// The thread sleeps until it is woken.
const NEVER: u64 = u64::MAX;

/// Idle wake-ups before the thread parks.
const IDLE_WAKE_UPS: u32 = 100;

/// Enough for the thread's calls and the C library's own data.
const STACK_SIZE: usize = 128 * 1024;
/// An upper bound of what a thread needs beside its stack.
const MEMORY_OF_A_THREAD: usize = 1 << 20;

/// Up to this length the thread uses `sleep`, which costs the kernel less than
/// `park_timeout`, but cannot be woken.
const SHORT_SLEEP: Duration = Duration::from_micros(500);

impl Timer {
    /// Calls `fire` whenever `interval_ns` have passed on `clock`, in a thread of its
    /// own. The interval varies randomly by a quarter, so that samples do not run in
    /// lockstep with the program. With `slots`, `fire` is called at the beginning of
    /// each slot on the wall clock; if slots have begun since the last call,
    /// [`stop`](Self::stop) calls it once more.
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
        let thread = match kept::take() {
            Some(kept) => kept,
            None => TimerThread::new()?,
        };
        thread.shared.least_ns.store(0, Ordering::Relaxed);
        let mut work = thread.shared.work();
        let Work {
            wakes_at, random, ..
        } = &mut *work;
        let schedule = Schedule::starting(clock, interval_ns, slots, *wakes_at, random);
        let is_awake_in_time = schedule.is_in_time(*wakes_at);
        work.job = Some(Job {
            schedule,
            fire: Box::new(fire),
        });
        drop(work);
        if !is_awake_in_time {
            thread.handle.thread().unpark();
        }
        Ok(Self(thread))
    }

    /// Sets the least time between two calls of `fire`.
    pub(crate) fn slow_down_to(&self, least_ns: u64) {
        self.0.shared.least_ns.store(least_ns, Ordering::Relaxed);
    }

    /// Ends the timer: `fire` is not called any more when this returns.
    pub(crate) fn stop(self) {
        let job = self.0.shared.work().job.take();
        if let Some(Job {
            mut schedule,
            mut fire,
        }) = job
            && let Some(fired) = schedule.last_fire()
        {
            // A slot began, and the profile ends before the thread woke up.
            fire(fired);
        }
        kept::keep(self.0);
    }

    /// Called in a forked child, where the thread does not exist.
    pub(crate) fn forget(self) {
        std::mem::forget(self);
    }
}

impl TimerThread {
    fn new() -> io::Result<Self> {
        // The C library ends the process if a thread that begins has no memory.
        if !zend::can_allocate(STACK_SIZE + MEMORY_OF_A_THREAD) {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        let shared = Arc::new(Shared {
            work: Mutex::new(Work {
                job: None,
                // It looks for a job before it sleeps.
                wakes_at: 0,
                random: Random::new(),
            }),
            is_ending: AtomicBool::new(false),
            least_ns: AtomicU64::new(0),
        });
        let builder = Builder::new()
            .name("xhprof-timer".to_owned())
            .stack_size(STACK_SIZE);
        let of_thread = Arc::clone(&shared);
        let handle = without_signals(|| builder.spawn(move || of_thread.run()))?;
        Ok(Self {
            shared,
            handle,
            process: std::process::id(),
        })
    }

    /// Ends the thread, and waits for its end.
    fn end(self) {
        self.shared.is_ending.store(true, Ordering::Release);
        self.handle.thread().unpark();
        // A panic would have aborted the process.
        let _ = self.handle.join();
    }
}

impl Shared {
    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut interval_ns = 0;
        let mut idle_wake_ups = 0;
        while !self.is_ending.load(Ordering::Acquire) {
            let mut work = self.work();
            let Work { job, random, .. } = &mut *work;
            let pause_ns = match job {
                Some(Job { schedule, fire }) => {
                    idle_wake_ups = 0;
                    if interval_ns != schedule.interval_ns() {
                        interval_ns = schedule.interval_ns();
                        set_timer_slack(interval_ns);
                    }
                    let least_ns = self.least_ns.load(Ordering::Relaxed);
                    if let Some(fired) = schedule.fire(least_ns, random) {
                        fire(fired);
                    }
                    Some(schedule.pause_ns())
                }
                None => {
                    idle_wake_ups += 1;
                    let parks = idle_wake_ups > IDLE_WAKE_UPS || interval_ns == 0;
                    (!parks).then(|| random.around(interval_ns))
                }
            };
            work.wakes_at = pause_ns.map_or(NEVER, |pause| clock_ns(libc::CLOCK_MONOTONIC) + pause);
            drop(work);
            match pause_ns.map(Duration::from_nanos) {
                Some(pause) if pause <= SHORT_SLEEP => sleep(pause),
                Some(pause) => park_timeout(pause),
                None => park(),
            }
        }
    }
}

/// The thread of a server's process between two requests.
mod kept {
    use super::{Cell, ManuallyDrop, TimerThread};
    use crate::zend;

    thread_local! {
        /// In a forked child, the thread in it does not exist, and nothing of it may
        /// be dropped.
        static KEPT: Cell<Option<ManuallyDrop<TimerThread>>> = const { Cell::new(None) };
    }

    /// The thread that was kept; none if there is none, or not in this process.
    pub(super) fn take() -> Option<TimerThread> {
        let thread = KEPT.take()?;
        (thread.process == std::process::id()).then(|| ManuallyDrop::into_inner(thread))
    }

    /// Keeps the thread, or ends it where a process has one request, or the process
    /// goes on without PHP's thread.
    pub(super) fn keep(thread: TimerThread) {
        if zend::is_command_line() || cfg!(php_zts) {
            return thread.end();
        }
        end();
        KEPT.set(Some(ManuallyDrop::new(thread)));
    }

    /// MSHUTDOWN: ends the thread, whose code is unloaded.
    pub(crate) fn end() {
        if let Some(thread) = take() {
            thread.end();
        }
    }
}

pub(crate) use kept::end as end_kept_timer;

/// Sets the timer slack: by default the kernel may wake a thread 50 µs late, which is
/// too late for the shortest intervals. Zero is the default.
fn set_timer_slack(interval_ns: u64) {
    #[cfg(target_os = "linux")]
    {
        let slack = if interval_ns < 2_000_000 {
            libc::c_ulong::try_from(interval_ns / 100).unwrap_or(50_000)
        } else {
            0
        };
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
