//! Runs PHP code with all hooks of this extension taken out.
//!
//! `compensation` compares with the cost of a call where the extension is not
//! loaded. Armed hooks cost time even when idle, above all the observer API's.
//!
//! **Invariant:** no code that was compiled in here outlives the call. Such code
//! never checks the hooks, and its frames have no space for the observer API's
//! data. Signal handlers could include files, so the interrupt hook is removed,
//! too. Threads share these hooks, so with ZTS nothing is removed.

use std::cell::Cell;
use std::ffi::c_int;

use ext_php_rs::ffi::{self, zend_atomic_bool_store, zend_execute_data};

use super::installed::internal;
use super::{Engine, compile};
use crate::zend::bindings;
use crate::zend::per_thread::per_thread;

/// The value of `zend_observer_fcall_op_array_extension` without observers.
const UNOBSERVED: c_int = -1;

/// The engine's globals to restore.
#[derive(Clone, Copy)]
struct Saved {
    /// `zend_observer_fcall_op_array_extension`.
    observers: c_int,
    /// `zend_interrupt_function`.
    interrupt: Option<unsafe extern "C" fn(*mut zend_execute_data)>,
}

per_thread! {
    /// Each thread's own: `resume` is called in every thread.
    static SAVED: Cell<Option<Saved>> = Cell::new(None);
}

/// Runs `act` without our hooks. The caller must not be recording.
pub(crate) fn without_hooks<R>(act: impl FnOnce() -> R) -> R {
    suspend();
    let result = act();
    resume();
    result
}

fn suspend() {
    if cfg!(php_zts) || !compile::suspend() {
        return;
    }
    internal::suspend();
    // SAFETY: no threads. The functions on the stack were compiled for observers,
    // and read this global again only after `resume` has restored it.
    unsafe {
        SAVED.get().set(Some(Saved {
            observers: bindings::zend_observer_fcall_op_array_extension,
            interrupt: bindings::zend_interrupt_function,
        }));
        bindings::zend_interrupt_function = None;
        // All observers share one slot, so another extension's observer is
        // removed, too, and its cost counts as ours.
        if super::armed() == Some(Engine::Observer) {
            bindings::zend_observer_fcall_op_array_extension = UNOBSERVED;
        }
    }
}

/// Restores the hooks. Also called when a fatal error is raised, before the
/// bailout: the engine then ends the observed calls.
pub(super) fn resume() {
    if let Some(saved) = SAVED.get().take() {
        // SAFETY: as in `suspend`. The interrupt flag is set, so that an interrupt
        // that was requested since is handled now.
        unsafe {
            bindings::zend_observer_fcall_op_array_extension = saved.observers;
            bindings::zend_interrupt_function = saved.interrupt;
            let globals = ffi::ext_php_rs_executor_globals();
            zend_atomic_bool_store(&raw mut (*globals).vm_interrupt, true);
        }
        internal::resume();
        compile::resume();
    }
}
