//! Signals that end a profiled command: the profile is written, then the signal ends
//! PHP, at once and with the status that it would have without this extension.
//!
//! | PHP's thread is | what happens |
//! |---|---|
//! | in PHP code | the handler sets PHP's interrupt flag; [`end_if_caught`] writes the profile between two opcodes |
//! | in a system call that blocks | the handler writes the profile and does not return: PHP repeats such calls, or warns |
//! | in C code that takes longer than [`GRACE_NS`] | the signal ends PHP; the profile is lost |
//! | a copy in a forked child before its first call, as in `proc_open()` | the signal ends the child |
//!
//! In a blocking system call no allocator is at work ([`blocked`](super::blocked)) and
//! PHP's frames are complete, so writing is as safe as in [`end_if_caught`]. It is not if
//! our own code made the call: the caller says so ([`catch`]'s `can_write`).
//!
//! A PHP with `zend_signal` has its own table of handlers, and calls only those.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicU64, Ordering};

use ext_php_rs::ffi::zend_atomic_bool_store;

use super::HookPointer;
use super::blocked::is_in_blocking_call;

/// The signals that end a command. Not SIGQUIT: its core shows what a hanging program
/// does.
const ENDING: [c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// The signal that came, or zero.
static CAUGHT: AtomicI32 = AtomicI32::new(0);
/// When it came.
static CAUGHT_AT_NS: AtomicU64 = AtomicU64::new(0);
/// When the profile began to be written, or zero.
static WRITING_SINCE_NS: AtomicU64 = AtomicU64::new(0);
/// The thread that catches.
static THREAD: AtomicU64 = AtomicU64::new(0);
/// The interrupt flag of that thread.
static INTERRUPT: AtomicPtr<ext_php_rs::ffi::zend_atomic_bool> =
    AtomicPtr::new(std::ptr::null_mut());
static IS_CATCHING: AtomicBool = AtomicBool::new(false);
/// The process whose PHP code goes on after a signal. The child of a fork that will call
/// `exec()` is another one: a handler that returned in it would lose the signal.
static PROCESS: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// This thread catches: in a command with threads, the first profiled one.
    static CATCHES: Cell<bool> = const { Cell::new(false) };
}

/// Writes the profile.
static WRITE_PROFILE: HookPointer<fn()> = HookPointer::new(|| {});
/// Whether that is possible while PHP's thread is in a blocking system call.
static CAN_WRITE: HookPointer<fn() -> bool> = HookPointer::new(|| false);

/// How long a signal waits for the next safe point.
const GRACE_NS: u64 = 100_000_000;
/// How long the profile may be written after a signal.
const WRITING_NS: u64 = 2_000_000_000;

/// Makes a signal that ends the process call `write_profile` first. For
/// command-line PHP only. Signals that the program or its parent handles or
/// ignores are not changed. `can_write` says whether PHP may be asked at a moment that
/// is no safe point, because none of our code is at work.
pub(crate) fn catch(write_profile: fn(), can_write: fn() -> bool) {
    // The kernel ignores these signals for the first process of a container, as long
    // as they have no handler.
    if std::process::id() == 1 || IS_CATCHING.swap(true, Ordering::AcqRel) {
        return;
    }
    CATCHES.set(true);
    note_process();
    WRITE_PROFILE.set(write_profile);
    CAN_WRITE.set(can_write);
    // SAFETY: this thread, and its globals, which live until the thread ends.
    unsafe {
        THREAD.store(libc::pthread_self() as u64, Ordering::Release);
        let globals = ext_php_rs::ffi::ext_php_rs_executor_globals();
        INTERRUPT.store(&raw mut (*globals).vm_interrupt, Ordering::Release);
    }
    for signal in ENDING {
        replace_handler(signal, libc::SIG_DFL, catch_signal as *const () as usize);
    }
}

/// PHP code goes on in this process, also after a fork.
pub(crate) fn note_process() {
    PROCESS.store(std::process::id(), Ordering::Release);
}

/// RSHUTDOWN: the profile is written now, whatever signals come.
pub(crate) fn note_writing() {
    if CATCHES.get() {
        WRITING_SINCE_NS.store(monotonic_ns(), Ordering::Release);
    }
}

/// Restores the signal handlers, if this thread catches.
pub(crate) fn stop_catching() {
    if !CATCHES.replace(false) {
        return;
    }
    for signal in ENDING {
        replace_handler(signal, catch_signal as *const () as usize, libc::SIG_DFL);
    }
    INTERRUPT.store(std::ptr::null_mut(), Ordering::Release);
    WRITING_SINCE_NS.store(0, Ordering::Release);
    // Last, so that no other thread begins before this one has ended.
    IS_CATCHING.store(false, Ordering::Release);
    // A signal that arrived too late for `end_if_caught` still ends the process.
    die_of_caught_signal();
}

/// The signal that ends the process; none if none was caught.
pub(crate) fn caught() -> Option<i32> {
    Some(CAUGHT.load(Ordering::Acquire)).filter(|&signal| signal != 0)
}

/// `zend_sigaction()` of `zend_signal.h`, which returns nothing.
type ZendSigAction = unsafe extern "C" fn(c_int, *const libc::sigaction, *mut libc::sigaction);

/// Sets or reads an action, by PHP's own function if it has one, else by the system's. False if
/// that failed.
///
/// # Safety
///
/// As for `sigaction()`.
unsafe fn sigaction(signal: c_int, new: *const libc::sigaction, old: *mut libc::sigaction) -> bool {
    // SAFETY: looks a symbol up by name, which only a PHP with `zend_signal` has; the pointers are the
    // caller's.
    unsafe {
        let symbol = libc::dlsym(libc::RTLD_DEFAULT, c"zend_sigaction".as_ptr());
        if symbol.is_null() {
            return libc::sigaction(signal, new, old) == 0;
        }
        let zend_sigaction = std::mem::transmute::<*mut c_void, ZendSigAction>(symbol);
        zend_sigaction(signal, new, old);
    }
    true
}

/// Sets the handler of `signal` to `new` if it is `old`.
fn replace_handler(signal: c_int, old: usize, new: usize) {
    // SAFETY: local, initialised actions; the handlers are the system's default or
    // `catch_signal`.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        if sigaction(signal, std::ptr::null(), &raw mut action) && action.sa_sigaction == old {
            action.sa_sigaction = new;
            // The handler returns only where nothing waits, or where the process ends
            // within the grace: until then no call of the program may fail.
            action.sa_flags = if new == libc::SIG_DFL {
                0
            } else {
                libc::SA_SIGINFO | libc::SA_RESTART
            };
            sigaction(signal, &raw const action, std::ptr::null_mut());
        }
    }
}

/// Signals often come twice at the same moment, to the process and to its group: those
/// within the grace are one.
unsafe extern "C" fn catch_signal(signal: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    // `proc_open()` forks, and its child runs no PHP code.
    if std::process::id() != PROCESS.load(Ordering::Acquire) {
        return die_of(signal);
    }
    // SAFETY: the calling thread. A signal to the process may reach any thread, and
    // only PHP's thread can tell what PHP does.
    unsafe {
        let thread = THREAD.load(Ordering::Acquire);
        if libc::pthread_self() as u64 != thread {
            libc::pthread_kill(thread as libc::pthread_t, signal);
            return;
        }
    }
    let now = monotonic_ns();
    let is_first = CAUGHT
        .compare_exchange(0, signal, Ordering::AcqRel, Ordering::Acquire)
        .is_ok();
    if is_first {
        CAUGHT_AT_NS.store(now, Ordering::Release);
    }
    let writing_since = WRITING_SINCE_NS.load(Ordering::Acquire);
    if writing_since != 0 {
        if is_first && !come_again(signal) || now.saturating_sub(writing_since) > WRITING_NS {
            die_of_caught_signal();
        }
        return;
    }
    if is_in_blocking_call(context) {
        if (CAN_WRITE.get())() {
            write_profile();
        }
        return die_of_caught_signal();
    }
    let is_over = now.saturating_sub(CAUGHT_AT_NS.load(Ordering::Acquire)) >= GRACE_NS;
    if is_over || is_first && !come_again(signal) {
        return die_of_caught_signal();
    }
    let interrupt = INTERRUPT.load(Ordering::Acquire);
    if !interrupt.is_null() {
        // SAFETY: the thread's globals, see `catch`; the store is atomic.
        unsafe { zend_atomic_bool_store(interrupt, true) };
    }
}

/// Writes the profile, at most for [`WRITING_NS`].
fn write_profile() {
    WRITING_SINCE_NS.store(monotonic_ns(), Ordering::Release);
    // The timer of `catch_signal` may be running; without one, nothing limits the time.
    let _ = come_again(CAUGHT.load(Ordering::Acquire));
    // In a handler the signals that it handles are blocked.
    unblock(&ENDING);
    (WRITE_PROFILE.get())();
}

/// Sends the signal to this process again, every [`GRACE_NS`]; false if that fails.
#[cfg(target_os = "linux")]
fn come_again(signal: c_int) -> bool {
    // The system call itself: the C library's function may allocate.
    // SAFETY: local data that the kernel reads and writes; the process ends soon, and
    // its timers with it.
    unsafe {
        let mut event: libc::sigevent = std::mem::zeroed();
        event.sigev_notify = libc::SIGEV_SIGNAL;
        event.sigev_signo = signal;
        let mut timer: c_int = 0;
        if libc::syscall(
            libc::SYS_timer_create,
            libc::CLOCK_MONOTONIC,
            &raw mut event,
            &raw mut timer,
        ) != 0
        {
            return false;
        }
        let grace = libc::timespec {
            tv_sec: 0,
            tv_nsec: GRACE_NS.cast_signed(),
        };
        let times = libc::itimerspec {
            it_interval: grace,
            it_value: grace,
        };
        let no_times = std::ptr::null_mut::<libc::itimerspec>();
        libc::syscall(
            libc::SYS_timer_settime,
            timer,
            0,
            &raw const times,
            no_times,
        ) == 0
    }
}

/// Without such a timer the signal ends the process at once.
#[cfg(not(target_os = "linux"))]
fn come_again(_signal: c_int) -> bool {
    false
}

fn monotonic_ns() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is ours; the call is allowed in a signal handler.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000
        + u64::try_from(time.tv_nsec).unwrap_or(0)
}

/// In PHP's interrupt: writes the profile and ends the process, if a signal came.
pub(crate) fn end_if_caught() {
    if CAUGHT.load(Ordering::Acquire) != 0 && CATCHES.get() {
        write_profile();
        die_of_caught_signal();
    }
}

/// Ends the process by the caught signal's default action.
fn die_of_caught_signal() {
    if let Some(signal) = caught() {
        die_of(signal);
    }
}

/// Ends the process by the signal's default action.
fn die_of(signal: c_int) {
    // SAFETY: the system's default for the signal is the end of the process.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
    unblock(&[signal]);
}

/// Unblocks signals in this thread.
fn unblock(signals: &[c_int]) {
    // SAFETY: a local set of signals.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        for &signal in signals {
            libc::sigaddset(&raw mut set, signal);
        }
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const set, std::ptr::null_mut());
    }
}
