//! PHP as it is without us, for a moment.
//!
//! What a profile should say of a call is what it takes where we are not even
//! loaded. Armed hooks have a price of their own, above all the observer API's,
//! so `compensation` compares with code that was compiled and run in here.
//!
//! What must stay true: no code that was compiled in here is left when the
//! moment is over, for it would never look at a hook, and its frames have no
//! room for the observer API's data: handlers of signals, which may include
//! files, wait. Threads share what is taken out, so with threads nothing is.

use std::cell::Cell;
use std::ffi::c_int;

use ext_php_rs::ffi::{self, zend_atomic_bool_store, zend_execute_data};

use super::{Engine, compile, internal};
use crate::zend::bindings;

/// No observer: what the engine has in the place of its slot's number.
const UNOBSERVED: c_int = -1;

/// What is to be put back.
#[derive(Clone, Copy)]
struct Saved {
    /// The slot of the observer API.
    observers: c_int,
    /// What is called at safe points.
    interrupt: Option<unsafe extern "C" fn(*mut zend_execute_data)>,
}

struct SavedHooks(Cell<Option<Saved>>);

// SAFETY: used only without threads.
unsafe impl Sync for SavedHooks {}

static SAVED: SavedHooks = SavedHooks(Cell::new(None));

/// Runs `act` without our hooks. No profile is running.
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
    // SAFETY: no threads; whoever runs now was compiled for observers and looks
    // at this again when what we run has ended, and it is as it was.
    unsafe {
        SAVED.0.set(Some(Saved {
            observers: bindings::zend_observer_fcall_op_array_extension,
            interrupt: bindings::zend_interrupt_function,
        }));
        bindings::zend_interrupt_function = None;
        // An observer of somebody else's is saved with ours, because they have
        // one slot together: what it costs is then taken for our own.
        if super::armed() == Some(Engine::Observer) {
            bindings::zend_observer_fcall_op_array_extension = UNOBSERVED;
        }
    }
}

/// Ends what [`without_hooks`] began: also at a fatal error, which leaves by
/// `longjmp`. Before that, because the engine then ends calls that it observes.
pub(super) fn resume() {
    if let Some(saved) = SAVED.0.take() {
        // SAFETY: as in `suspend`. Whoever wanted to be called meanwhile has not
        // been, and will be now.
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
