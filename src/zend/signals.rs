//! Ctrl-C on a profiled command: the profile is written, then PHP dies of the
//! signal as it would have.
//!
//! The handler only sets flags. The engine looks at its interrupt flag between
//! opcodes and calls [`interrupted`] there, where PHP's data is in order. A
//! second Ctrl-C kills at once; but a signal often comes twice at the same
//! moment, to the process and to its group, and that counts as one.
//!
//! Where PHP was built with its own signal handling, it keeps a table of
//! handlers, and only those in the table are called.

use std::cell::Cell;
use std::ffi::c_int;
use std::ptr::fn_addr_eq;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU64, Ordering};

use ext_php_rs::ffi::{zend_atomic_bool_store, zend_execute_data};

use super::bindings::zend_interrupt_function;

/// The signals that end a command.
const ENDING: [c_int; 2] = [libc::SIGINT, libc::SIGTERM];

/// The signal that came, or zero.
static CAUGHT: AtomicI32 = AtomicI32::new(0);
/// When it came.
static CAUGHT_AT_NS: AtomicU64 = AtomicU64::new(0);
/// The interrupt flag of the thread that asked; signals of other threads set it too.
static INTERRUPT: AtomicPtr<ext_php_rs::ffi::zend_atomic_bool> =
    AtomicPtr::new(std::ptr::null_mut());
static IS_CATCHING: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// It is this thread that catches: where a command has threads, the first
    /// one that is profiled, until that is over.
    static CATCHES: Cell<bool> = const { Cell::new(false) };
}

type InterruptFunction = unsafe extern "C" fn(*mut zend_execute_data);

struct Previous {
    interrupt: Cell<Option<InterruptFunction>>,
    write_profile: Cell<fn()>,
}

// SAFETY: set by the one thread that catches, before there is the hook that
// reads it.
unsafe impl Sync for Previous {}

static PREVIOUS: Previous = Previous {
    interrupt: Cell::new(None),
    write_profile: Cell::new(|| {}),
};

/// From now on, a signal that would end the process calls `write_profile`
/// first. For command-line PHP only; signals that the program or its parent
/// has other plans for are left alone.
pub(crate) fn catch(write_profile: fn()) {
    if IS_CATCHING.swap(true, Ordering::AcqRel) {
        return;
    }
    CATCHES.set(true);
    PREVIOUS.write_profile.set(write_profile);
    // SAFETY: this thread's globals, which live until the thread ends.
    unsafe {
        let globals = ext_php_rs::ffi::ext_php_rs_executor_globals();
        INTERRUPT.store(&raw mut (*globals).vm_interrupt, Ordering::Release);
        PREVIOUS.interrupt.set(zend_interrupt_function);
        zend_interrupt_function = Some(interrupted);
    }
    for signal in ENDING {
        replace_handler(signal, libc::SIG_DFL, catch_signal as *const () as usize);
    }
}

/// Gives signals and the interrupt hook back, if this thread has them.
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
            zend_interrupt_function = PREVIOUS.interrupt.get();
        }
    }
    INTERRUPT.store(std::ptr::null_mut(), Ordering::Release);
    // Last, so that no other thread finds the hook where it puts its own.
    IS_CATCHING.store(false, Ordering::Release);
    // A signal that came too late to be handled must not be lost.
    die_of_caught_signal();
}

/// The signal that ends the process now, if one does.
pub(crate) fn caught() -> Option<i32> {
    Some(CAUGHT.load(Ordering::Acquire)).filter(|&signal| signal != 0)
}

type SigAction = unsafe extern "C" fn(c_int, *const libc::sigaction, *mut libc::sigaction) -> c_int;

/// PHP's own `sigaction` if it has one, else the system's.
fn sigaction() -> SigAction {
    // SAFETY: looks a symbol up by name; PHP's has the system's signature
    // (zend_signal.h), and is there only if PHP handles signals itself.
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
    // SAFETY: whole actions of ours; the handlers are the system's default or
    // a plain function that does what a signal handler may.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        if sigaction(signal, std::ptr::null(), &raw mut action) == 0 && action.sa_sigaction == old {
            action.sa_sigaction = new;
            // Not restarted: a sleeping program must wake up to end.
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
    if let Some(previous) = PREVIOUS.interrupt.get() {
        // SAFETY: passes on what the engine handed us.
        unsafe { previous(data) };
    }
    if CAUGHT.load(Ordering::Acquire) != 0 {
        (PREVIOUS.write_profile.get())();
        die_of_caught_signal();
    }
}

/// Ends the process as the signal would have without us.
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
