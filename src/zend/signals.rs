//! Ctrl-C on a profiled command: the profile is written, then PHP dies of the
//! signal as it would have.
//!
//! The handler only sets flags. The engine looks at its interrupt flag between
//! opcodes and calls [`interrupted`] there, where PHP's data is in order. A
//! second signal kills at once: the handler is gone after the first.

use std::cell::Cell;
use std::ffi::c_int;
use std::ptr::fn_addr_eq;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use ext_php_rs::ffi::{zend_atomic_bool_store, zend_execute_data};

use super::bindings::zend_interrupt_function;

/// The signals that end a command.
const ENDING: [c_int; 2] = [libc::SIGINT, libc::SIGTERM];

/// The signal that came, or zero.
static CAUGHT: AtomicI32 = AtomicI32::new(0);
/// The interrupt flag of the thread that asked; signals of other threads set it too.
static INTERRUPT: AtomicPtr<ext_php_rs::ffi::zend_atomic_bool> =
    AtomicPtr::new(std::ptr::null_mut());
static IS_CATCHING: AtomicBool = AtomicBool::new(false);

type InterruptFunction = unsafe extern "C" fn(*mut zend_execute_data);

struct Previous {
    interrupt: Cell<Option<InterruptFunction>>,
    write_profile: Cell<fn()>,
}

// SAFETY: set by the one thread of a command-line PHP, see `catch`.
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
    PREVIOUS.write_profile.set(write_profile);
    // SAFETY: this thread's globals, which live until the thread ends; the
    // handler is plain and does what a signal handler may.
    unsafe {
        let globals = ext_php_rs::ffi::ext_php_rs_executor_globals();
        INTERRUPT.store(&raw mut (*globals).vm_interrupt, Ordering::Release);
        PREVIOUS.interrupt.set(zend_interrupt_function);
        zend_interrupt_function = Some(interrupted);
        for signal in ENDING {
            let mut action: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0
                && action.sa_sigaction == libc::SIG_DFL
            {
                action.sa_sigaction = caught as *const () as usize;
                // Not restarted: a sleeping program must wake up to end.
                action.sa_flags = libc::SA_RESETHAND;
                libc::sigaction(signal, &raw const action, std::ptr::null_mut());
            }
        }
    }
}

/// Gives signals and the interrupt hook back.
pub(crate) fn stop_catching() {
    if !IS_CATCHING.swap(false, Ordering::AcqRel) {
        return;
    }
    // SAFETY: as in `catch`.
    unsafe {
        if let Some(hook) = zend_interrupt_function
            && fn_addr_eq(hook, interrupted as InterruptFunction)
        {
            zend_interrupt_function = PREVIOUS.interrupt.get();
        }
        for signal in ENDING {
            let mut action: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0
                && action.sa_sigaction == caught as *const () as usize
            {
                libc::signal(signal, libc::SIG_DFL);
            }
        }
        INTERRUPT.store(std::ptr::null_mut(), Ordering::Release);
    }
    // A signal that came too late to be handled must not be lost.
    die_of_caught_signal();
}

extern "C" fn caught(signal: c_int) {
    CAUGHT.store(signal, Ordering::Release);
    let interrupt = INTERRUPT.load(Ordering::Acquire);
    if !interrupt.is_null() {
        // SAFETY: the thread's globals, see `catch`; the store is atomic.
        unsafe { zend_atomic_bool_store(interrupt, true) };
    }
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

fn die_of_caught_signal() {
    let signal = CAUGHT.swap(0, Ordering::AcqRel);
    if signal != 0 {
        // SAFETY: the handler was reset when it was called, so this is the
        // system's default for the signal: the end of the process.
        unsafe {
            libc::raise(signal);
        }
    }
}
