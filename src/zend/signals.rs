//! Ctrl-C on a profiled command: writes the profile, then lets the signal end PHP.
//!
//! The handler only sets flags. The engine checks its interrupt flag between
//! opcodes and calls [`interrupted`], where PHP's data is consistent. A second
//! Ctrl-C ends the process at once. A signal often comes twice at the same moment,
//! to the process and to its group; that counts as one.
//!
//! A PHP with `zend_signal` has its own table of handlers, and calls only those.

use std::cell::Cell;
use std::ffi::c_int;
use std::ptr::fn_addr_eq;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU64, Ordering};

use ext_php_rs::ffi::{zend_atomic_bool_store, zend_execute_data};

use super::HookPointer;
use super::bindings::zend_interrupt_function;

/// The signals that end a command.
const ENDING: [c_int; 2] = [libc::SIGINT, libc::SIGTERM];

/// The signal that came, or zero.
static CAUGHT: AtomicI32 = AtomicI32::new(0);
/// When it came.
static CAUGHT_AT_NS: AtomicU64 = AtomicU64::new(0);
/// The interrupt flag of the thread that catches; signals to other threads also
/// set it.
static INTERRUPT: AtomicPtr<ext_php_rs::ffi::zend_atomic_bool> =
    AtomicPtr::new(std::ptr::null_mut());
static IS_CATCHING: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// This thread catches: in a command with threads, the first profiled one.
    static CATCHES: Cell<bool> = const { Cell::new(false) };
}

type InterruptFunction = unsafe extern "C" fn(*mut zend_execute_data);

/// The hook that was there before ours.
static PREVIOUS: HookPointer<Option<InterruptFunction>> = HookPointer::new(None);
/// Writes the profile.
static WRITE_PROFILE: HookPointer<fn()> = HookPointer::new(|| {});

/// Makes a signal that ends the process call `write_profile` first. For
/// command-line PHP only. Signals that the program or its parent handles or
/// ignores are not changed.
pub(crate) fn catch(write_profile: fn()) {
    if IS_CATCHING.swap(true, Ordering::AcqRel) {
        return;
    }
    CATCHES.set(true);
    WRITE_PROFILE.set(write_profile);
    // SAFETY: this thread's globals, which live until the thread ends.
    unsafe {
        let globals = ext_php_rs::ffi::ext_php_rs_executor_globals();
        INTERRUPT.store(&raw mut (*globals).vm_interrupt, Ordering::Release);
        PREVIOUS.set(zend_interrupt_function);
        zend_interrupt_function = Some(interrupted);
    }
    for signal in ENDING {
        replace_handler(signal, libc::SIG_DFL, catch_signal as *const () as usize);
    }
}

/// Restores the signal handlers and the interrupt hook, if this thread catches.
pub(crate) fn stop_catching() {
    if !CATCHES.replace(false) {
        return;
    }
    for signal in ENDING {
        replace_handler(signal, catch_signal as *const () as usize, libc::SIG_DFL);
    }
    // SAFETY: as in `catch`.
    unsafe {
        if let Some(hook) = zend_interrupt_function
            && fn_addr_eq(hook, interrupted as InterruptFunction)
        {
            zend_interrupt_function = PREVIOUS.get();
        }
    }
    INTERRUPT.store(std::ptr::null_mut(), Ordering::Release);
    // Last, so that no other thread installs its hook on top of this one.
    IS_CATCHING.store(false, Ordering::Release);
    // A signal that arrived too late for `interrupted` still ends the process.
    die_of_caught_signal();
}

/// The signal that ends the process; none if none was caught.
pub(crate) fn caught() -> Option<i32> {
    Some(CAUGHT.load(Ordering::Acquire)).filter(|&signal| signal != 0)
}

type SigAction = unsafe extern "C" fn(c_int, *const libc::sigaction, *mut libc::sigaction) -> c_int;

/// PHP's own `sigaction` if it has one, else the system's.
fn sigaction() -> SigAction {
    // SAFETY: looks a symbol up by name. `zend_sigaction` has the signature of
    // `sigaction` (zend_signal.h), and exists only in a PHP with `zend_signal`.
    unsafe {
        let symbol = libc::dlsym(libc::RTLD_DEFAULT, c"zend_sigaction".as_ptr());
        if symbol.is_null() {
            libc::sigaction
        } else {
            std::mem::transmute::<*mut libc::c_void, SigAction>(symbol)
        }
    }
}

/// Sets the handler of `signal` to `new` if it is `old`.
fn replace_handler(signal: c_int, old: usize, new: usize) {
    let sigaction = sigaction();
    // SAFETY: local, initialised actions; the handlers are the system's default or
    // an async-signal-safe function.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        if sigaction(signal, std::ptr::null(), &raw mut action) == 0 && action.sa_sigaction == old {
            action.sa_sigaction = new;
            // Without SA_RESTART: a sleeping program must wake up to end.
            action.sa_flags = 0;
            sigaction(signal, &raw const action, std::ptr::null_mut());
        }
    }
}

/// Signals that come this close together are one.
const SAME_MOMENT_NS: u64 = 300_000_000;

extern "C" fn catch_signal(signal: c_int) {
    let now = monotonic_ns();
    if CAUGHT.swap(signal, Ordering::AcqRel) != 0 {
        if now.saturating_sub(CAUGHT_AT_NS.load(Ordering::Acquire)) > SAME_MOMENT_NS {
            die_of_caught_signal();
        }
        return;
    }
    CAUGHT_AT_NS.store(now, Ordering::Release);
    let interrupt = INTERRUPT.load(Ordering::Acquire);
    if !interrupt.is_null() {
        // SAFETY: the thread's globals, see `catch`; the store is atomic.
        unsafe { zend_atomic_bool_store(interrupt, true) };
    }
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

unsafe extern "C" fn interrupted(data: *mut zend_execute_data) {
    if let Some(previous) = PREVIOUS.get() {
        // SAFETY: passes on what the engine handed us.
        unsafe { previous(data) };
    }
    if CAUGHT.load(Ordering::Acquire) != 0 {
        (WRITE_PROFILE.get())();
        die_of_caught_signal();
    }
}

/// Ends the process by the caught signal's default action.
fn die_of_caught_signal() {
    let signal = CAUGHT.load(Ordering::Acquire);
    if signal != 0 {
        // SAFETY: the system's default for the signal is the end of the process.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            let mut unblocked: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut unblocked);
            libc::sigaddset(&raw mut unblocked, signal);
            libc::raise(signal);
            libc::sigprocmask(
                libc::SIG_UNBLOCK,
                &raw const unblocked,
                std::ptr::null_mut(),
            );
        }
    }
}
